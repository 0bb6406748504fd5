"""Input and output in the formats of UDPipe: sentences that are given a line each, and what MISC says of the text."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dodona.data import Sentence, characters
from dodona.data.conllu import read_conllu
from dodona.data.spacing import rebuild_text
from dodona.data.stream import only_sentences
from dodona.errors import OptionError
from dodona.pipeline.pipeline import Pipeline

__all__ = ["Spaces", "check_output", "presegmented", "written"]

OUTPUTS = ("conllu", "horizontal", "vertical", "plaintext")
ID, MISC = 0, 9
NO_BREAK = "\N{NO-BREAK SPACE}"
LINE = re.compile(r"[^\n]*\n|[^\n]+")
BLANKS = re.compile(f"[{characters.BLANKS}]+")
SPACES = ("SpacesAfter=", "SpacesBefore=", "SpacesInToken=")


@dataclass(frozen=True)
class Spaces:
    """What MISC says of the text, beside the white space after each token: its place; or nothing but single spaces."""

    ranges: bool = False
    normalized: bool = False


def check_output(given: str) -> str:
    """Return the name of an output format, without its options."""
    name = given.partition("=")[0]
    if name not in OUTPUTS or given == "conllu=v1":
        raise OptionError(f"Unknown output format {given[:40]!r}; the formats are: {', '.join(OUTPUTS)}.")
    return name


def written(sentences: Iterable[Sentence], output: str, spaces: Spaces) -> Iterator[str]:
    """Yield the sentences in an output format. Spaces inside of words would be taken for ends of words, so they become
    no-break spaces where words are separated by spaces."""
    for sentence in sentences:
        if output == "conllu":
            yield _conllu(sentence, spaces)
        elif output == "horizontal":
            yield " ".join(word.replace(" ", NO_BREAK) for word in sentence.words) + "\n"
        elif output == "vertical":
            yield "\n".join(sentence.words) + "\n\n"
        else:
            yield rebuild_text([sentence])


def _conllu(sentence: Sentence, spaces: Spaces) -> str:
    text = sentence.to_bytes().decode()
    if spaces != Spaces():
        text = "\n".join(_respaced(text.split("\n"), sentence.offsets, spaces))
    return text if text.endswith(("\n\n", "\n\r\n")) else text.rstrip("\r\n") + "\n\n"


def _respaced(lines: Iterable[str], offsets: list[tuple[int, int]] | None, spaces: Spaces) -> Iterator[str]:
    """Yield the lines of a sentence with another MISC. Only tokens have a place in the text: a multiword token has one,
    and its words have none."""
    inside = 0
    for line in lines:
        columns = line.split("\t")
        if len(columns) <= MISC or line.startswith("#"):
            yield line
            continue
        first, _, last = columns[ID].partition("-")
        notes = [note for note in columns[MISC].split("|") if note != "_"]
        if spaces.normalized:
            notes = [note for note in notes if not note.startswith(SPACES)]
        if spaces.ranges and offsets is not None and first.isdecimal() and int(first) > inside:
            begin, end = offsets[int(first) - 1]
            notes.append(f"TokenRange={begin}:{end}")
        if last:
            inside = int(last)
        columns[MISC] = "|".join(notes) or "_"
        yield "\t".join(columns)


def presegmented(pipeline: Pipeline, text: str) -> Iterator[Sentence]:
    """Tokenize a text whose lines are sentences; an empty line ends a paragraph."""
    number = begin = 0
    comments = ["# newdoc"]
    for line in LINE.findall(text):
        parts = list(pipeline.sentences([line], located=True))
        if parts:
            number += 1
            yield _joined(parts, [*comments, f"# sent_id = {number}"], begin)
            comments = []
        elif number:
            comments = ["# newpar"]
        begin += len(line)


def _joined(parts: list[Sentence], comments: list[str], begin: int) -> Sentence:
    """Return one sentence of what the tokenizer took for several, in a line that begins there in the text."""
    rows: list[str] = []
    words = 0
    for part in parts:
        for line in part.to_bytes().decode().split("\n"):
            if line and not line.startswith("#"):
                numbers, tab, rest = line.partition("\t")
                moved = "-".join(str(int(number) + words) for number in numbers.split("-"))
                rows.append(moved + tab + rest)
        words += len(part)
    text = BLANKS.sub(" ", rebuild_text(parts)).strip()
    block = "\n".join([*comments, f"# text = {text}", *rows, "", ""])
    (joined,) = only_sentences(read_conllu([block.encode()], "data"))
    joined.offsets = [(begin + a, begin + b) for part in parts for a, b in part.offsets or ()]
    return joined
