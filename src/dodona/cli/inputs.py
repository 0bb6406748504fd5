"""What a command is about: names for its texts, or the one sentence of a file, of a text, or given as a tree."""

import re
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from dodona.data import Sentence, read
from dodona.data.formats import format_by_name
from dodona.errors import FormatError, OptionError

__all__ = [
    "build_sentence", "decode_argument", "find_sentence", "find_treebank_files", "make_safe", "name_texts",
    "parse_sentence",
]  # fmt: skip

NOT_IN_NAMES = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""White space, which UD does not allow in a sent_id; control characters; and bytes that are not UTF-8, as Python shows
them in the names of files."""
NOT_IN_FILES = re.compile(NOT_IN_NAMES.pattern[:-1] + r'/\\:*?"<>|]')


def name_texts(files: Sequence[str | None]) -> list[str]:
    """Return a name for each input, no two of them the same: that of its file, or else a number. An input that is no
    file is None."""
    plain = ("" if file in (None, "-") else Path(str(file)).name.partition(".")[0] for file in files)
    names = [NOT_IN_NAMES.sub("_", name) for name in plain]
    taken = {name for name in names if names.count(name) == 1}
    for place, name in enumerate(names):
        if name not in taken or not name:
            names[place] = next(number for k in count(place + 1) if (number := str(k)) not in taken)
            taken.add(names[place])
    return names


def find_treebank_files(names: Sequence[str]) -> list[str]:
    """Return the files of these names; of a folder, all files in CoNLL-U that are anywhere in it, by name."""
    files: list[str] = []
    for name in names:
        if not Path(name).is_dir():
            files.append(name)
            continue
        below = [str(path) for path in sorted(Path(name).rglob("*")) if format_by_name(path.name) and path.is_file()]
        if not below:
            raise FormatError(f"{name}: no file in CoNLL-U in this folder; expected .conllu, .conllu.gz or .conllu.xz")
        files += below
    return files


def make_safe(name: str) -> str:
    """Return a name that can be that of a file: in no folder, not hidden, without what other systems do not allow."""
    return NOT_IN_FILES.sub("_", name).lstrip(".")


def decode_argument(text: str) -> str:
    """Return a text of the command line, which must be UTF-8; the name of a file may be anything.

    Python turns bytes that the locale does not know into lone surrogates: in the C locale all that are not ASCII.
    """
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        data = text.encode("utf-8", "surrogateescape")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        fault = f"byte {data[error.start]:#04x} is not UTF-8; expected text in UTF-8"
        raise OptionError(f"{data.decode('utf-8', 'replace')[:40]!r}: {fault}") from None


def find_sentence(file: str, wanted: str) -> Sentence:
    """Return a sentence by its number, or else by its sent_id."""
    count = 0
    for count, sentence in enumerate(read(file), start=1):
        if wanted == (str(count) if wanted.isdigit() else sentence.sent_id):
            return sentence
    if count == 0:
        raise FormatError(f"{file}: there are no sentences in this file")
    raise OptionError(f"{file}: no sentence {wanted!r}; expected a number from 1 to {count}, or a sent_id")


def parse_sentence(text: str, model: str, wanted: str) -> Sentence:
    """Return a sentence of a text, by its number, as a model parses it."""
    from dodona.pipeline.models import load

    sentences = load(model)(decode_argument(text))
    if not sentences:
        raise OptionError("--text: no words; expected a sentence")
    if not wanted.isdecimal() or not 1 <= int(wanted) <= len(sentences):
        raise OptionError(f"--text: no sentence {wanted!r}; expected a number from 1 to {len(sentences)}")
    sentence = sentences[int(wanted) - 1]
    sentence.file = "--text"
    return sentence


def build_sentence(heads: str, words: str | None, labels: str | None = None) -> Sentence:
    """Return the tree on the command line; without words, these are numbers."""
    try:
        numbers = [int(head) for head in heads.split()]
    except ValueError:
        raise OptionError(f"--heads {heads!r}: expected numbers, e.g. '2 0 2'") from None
    forms = list(map(str, range(1, len(numbers) + 1))) if words is None else decode_argument(words).split()
    if len(forms) != len(numbers) or not numbers:
        raise OptionError(f"--heads {heads!r}: {len(numbers)} heads; expected one for each of {len(forms)} words")
    if not all(0 <= head <= len(numbers) for head in numbers):
        raise OptionError(f"--heads {heads!r}: expected numbers from 0 to {len(numbers)}")
    names = None if labels is None else decode_argument(labels).split()
    if names is not None and len(names) != len(numbers):
        raise OptionError(f"--labels {labels!r}: {len(names)} labels; expected one for each of {len(numbers)} heads")
    sentence = Sentence.from_words(forms, heads=numbers, labels=names)
    sentence.file = "--heads"
    return sentence
