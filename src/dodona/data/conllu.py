"""Gold trees out of CoNLL-U files, streaming: forms, heads and relation labels of the words."""

import gzip
import lzma
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from dodona.errors import FormatError

__all__ = ["Sentence", "read"]

COLUMNS = 10


@dataclass(slots=True)
class Sentence:
    """The words of a sentence with their gold tree; multiword tokens and empty nodes are passed over."""

    file: str
    line: int  # where the sentence begins
    sent_id: str | None = None
    words: list[str] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)


def read(path: str | Path) -> Iterator[Sentence]:
    """The sentences of a file, lazily; `.gz` and `.xz` are unpacked, `-` is standard input."""
    name = str(path)
    try:
        with _open(name) as stream:
            yield from _sentences(stream, name)
    except (OSError, EOFError, lzma.LZMAError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FormatError(f"{name}: cannot be read: {reason}") from error


def _open(name: str) -> BinaryIO:
    if name == "-":
        return cast(BinaryIO, open(sys.stdin.fileno(), "rb", closefd=False))
    if name.endswith(".gz"):
        return cast(BinaryIO, gzip.open(name, "rb"))
    if name.endswith(".xz"):
        return cast(BinaryIO, lzma.open(name, "rb"))
    return open(name, "rb")


def _sentences(stream: BinaryIO, name: str) -> Iterator[Sentence]:
    sentence = Sentence(name, 1)
    for number, raw in enumerate(stream, start=1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise FormatError(f"{name}:{number}: byte {raw[error.start]:#04x} is not UTF-8") from error
        if not line.strip():
            if sentence.words:
                yield _checked(sentence)
            sentence = Sentence(name, number + 1)
        elif line.startswith("#"):
            key, equals, value = line[1:].partition("=")
            if equals and key.strip() == "sent_id":
                sentence.sent_id = value.strip()
        else:
            _add_line(sentence, line, f"{name}:{number}")
    if sentence.words:
        yield _checked(sentence)


def _add_line(sentence: Sentence, line: str, place: str) -> None:
    columns = line.split("\t")
    if len(columns) != COLUMNS:
        raise FormatError(f"{place}: {len(columns)} columns; expected {COLUMNS}, separated by tabs")
    number, form, head, label = columns[0], columns[1], columns[6], columns[7]
    if "-" in number or "." in number:
        return
    if number != str(len(sentence.words) + 1):
        raise FormatError(f"{place}: word number {number!r}; expected {len(sentence.words) + 1}")
    if not form:
        raise FormatError(f"{place}: empty FORM; expected a word")
    if not (head.isascii() and head.isdigit() and len(head) < 10):
        raise FormatError(f"{place}: HEAD {head!r}; expected the number of a word, or 0 for the root")
    sentence.words.append(form)
    sentence.heads.append(int(head))
    sentence.labels.append(label)


def _checked(sentence: Sentence) -> Sentence:
    for d, h in enumerate(sentence.heads, start=1):
        if h > len(sentence.words) or h == d:
            raise FormatError(
                f"{sentence.file}:{sentence.line}: word {d} of this sentence has HEAD {h}; "
                f"expected another word from 0 to {len(sentence.words)}"
            )
    return sentence
