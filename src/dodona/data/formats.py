"""Sentences in other formats, and what is lost on the way."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from dodona.data.conllu import BOM, COLUMNS, HEAD, SENTENCE_LIMIT, write
from dodona.data.files import output
from dodona.data.sentence import Sentence
from dodona.data.spacing import begins_paragraph, rebuilt
from dodona.errors import FormatError, OptionError

__all__ = ["TARGETS", "convert", "format_by_name", "sniffed_format"]

WORD = re.compile(rb"[0-9]+(?:-[0-9]+|\.[0-9]+)?\t[^\t\n]*\t")
SPACED = re.compile(rb"[0-9]+(?:[-.][0-9]+)? ")
SAID = re.compile(rb"^#\s*(?:sent_id|text)\s*=", re.MULTILINE)
NUMBERED = re.compile(r"[0-9]+|_")
LONG_ROW = 10_000
"""Bytes of a line after which it is no longer waited for its end."""
NAMED = re.compile(r"\.(conllu|conllx)(?:\.gz|\.xz)?\Z", re.IGNORECASE)
BEGUN = re.compile(rb"(?:[0-9]+(?:[-.][0-9]*)?(?:\t[^\t\n]*)?)?")


def format_by_name(name: str) -> str | None:
    """The format that the name of a file says: "conllu", "conllx", or None."""
    found = NAMED.search(name)
    return found[1].lower() if found else None


def sniffed_format(pieces: Iterable[bytes], name: str) -> tuple[str, Iterator[bytes]]:
    """Return "conllu", "conllx" or "text", and an iterator over all chunks; `name` is the file's.

    No more is read than is needed to decide. Input that has only comments is text, and so is input with more comments
    than a sentence may have.
    """
    named = format_by_name(name)
    if named is not None:
        return named, iter(pieces)
    head, line, rest = _begun(iter(pieces))
    if WORD.match(line):
        return "conllu", rest
    if _is_spaced(head, line.decode("utf-8", "replace")):
        number = head.count(b"\n") + 1
        hint = "(dodona parse --input text if it really is text)"
        raise FormatError(
            f"{name}:{number}: this looks like CoNLL-U with spaces for tabs; expected tabs between columns {hint}"
        )
    return "text", rest


def _is_spaced(head: bytes, line: str) -> bool:
    """Whether a line is a number and more under a comment of CoNLL-U, or has ten fields like those of a first word."""
    if "\t" in line or not SPACED.match(line.encode()):
        return False
    fields = line.split()
    first = fields[0] == "1" or fields[0].startswith(("1-", "0."))
    return SAID.search(head) is not None or (
        first and len(fields) == COLUMNS and NUMBERED.fullmatch(fields[HEAD]) is not None
    )


def _begun(rest: Iterator[bytes]) -> tuple[bytes, bytes, Iterator[bytes]]:
    """The bytes before the first line that is no comment, that line as far as it is needed, and all chunks."""
    held = bytearray()
    at = 0  # the beginning of the first line that is not known to be a comment or blank
    for piece in filter(None, rest):  # at a pause nothing can be answered yet
        held += piece
        if at == 0 and held.startswith(BOM):
            at = len(BOM)
        while (end := held.find(b"\n", at)) >= 0 and _says_nothing(held[at:end]):
            at = end + 1
        line = held[at:end] if end >= 0 else held[at:]
        undecided = end < 0 and (
            _says_nothing(line)
            or BEGUN.fullmatch(line) is not None
            or BOM.startswith(bytes(held))
            or (len(line) < LONG_ROW and SPACED.match(line) is not None)
        )
        if not undecided or len(held) > SENTENCE_LIMIT:
            return bytes(held[:at]), bytes(line), chain([bytes(held)], rest)
    return bytes(held[:at]), bytes(held[at:]) if WORD.match(held[at:]) is None else b"", iter([bytes(held)])


def _says_nothing(line: bytes | bytearray) -> bool:
    return line.startswith(b"#") or not line.strip()


TARGETS = ("conllu", "conllx", "horizontal", "vertical", "text")
ANNOTATION = {"lemmas": "LEMMA", "upos": "UPOS", "xpos": "XPOS", "feats": "FEATS", "labels": "DEPREL"}
LAST_COLUMNS = {"conllu": ("DEPS", "MISC"), "conllx": ("PHEAD", "PDEPREL")}


def convert(sentences: Iterable[Sentence], path: str | Path, to: str) -> Counter[str]:
    """Write sentences in a format; return what it has no room for, with the number of sentences that lost it.

    horizontal: a sentence a line, words separated by spaces; vertical: a word a line, then an empty line;
    text: the raw text, as MISC has its white space, with an empty line before `# newdoc` and `# newpar`.
    """
    if to not in TARGETS:
        raise OptionError(f"unknown format {to!r}; the formats are: {', '.join(TARGETS)}")
    lost: Counter[str] = Counter()
    counted = _counted(sentences, to, lost)
    if to in LAST_COLUMNS:
        write(counted, path, format=to)
    else:
        with output(path) as out:
            for piece in _text(counted) if to == "text" else _words(counted, to == "vertical"):
                out.write(piece.encode())
    return lost


def _counted(sentences: Iterable[Sentence], to: str, lost: Counter[str]) -> Iterator[Sentence]:
    for sentence in sentences:
        if sentence.format != to:
            lost.update(_losses(sentence, to))
        yield sentence


def _losses(sentence: Sentence, to: str) -> Iterator[str]:
    """What a sentence has that the format has no room for."""
    if sentence.comments:
        yield "comments"
    if sentence.multiword and to != "text":
        yield "multiword tokens"
    rows = sum(line[:1] not in (b"", b"#", b"\r") for line in sentence.to_bytes().split(b"\n"))
    if rows > len(sentence) + len(sentence.multiword):
        yield "empty nodes"
    if to not in LAST_COLUMNS:
        yield from (name for column, name in ANNOTATION.items() if not sentence.lacks(column))
        if any(head is not None for head in sentence.heads):
            yield "HEAD"
    for column, name in zip(("deps", "misc"), LAST_COLUMNS[sentence.format], strict=True):
        if not sentence.lacks(column) and not (name == "MISC" and to == "text"):
            yield name
    if to == "horizontal" and any(len(word.split()) > 1 for word in sentence.words):
        yield "spaces inside of words"


def _words(sentences: Iterable[Sentence], vertical: bool) -> Iterator[str]:
    for sentence in sentences:
        yield "\n".join(sentence.words) + "\n\n" if vertical else " ".join(sentence.words) + "\n"


def _text(sentences: Iterable[Sentence]) -> Iterator[str]:
    """The space after the last token of a paragraph is the end of its line."""
    before = ""
    for sentence in sentences:
        if before.endswith(" ") and begins_paragraph(sentence):
            before = before[:-1] + "\n\n"
        yield before
        before = rebuilt([sentence])
    yield before[:-1] + "\n" if before.endswith(" ") else before
