"""Detects whether chunks of bytes are CoNLL-U or text, from the first line that is not a comment.

A file that is named as CoNLL-U is never text. CoNLL-U with spaces for tabs is an error: as text, it would be nonsense.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from dodona.data.blocks import BOM, SENTENCE_LIMIT
from dodona.data.lines import COLUMNS, HEAD
from dodona.errors import FormatError

__all__ = ["format_by_name", "sniffed_format"]

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
