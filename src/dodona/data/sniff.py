"""Detects whether chunks of bytes are CoNLL-U or text, from the first line that is not a comment."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from dodona.data.blocks import BOM, SENTENCE_LIMIT

__all__ = ["sniffed"]

WORD = re.compile(rb"[0-9]+(?:-[0-9]+|\.[0-9]+)?\t[^\t\n]*\t")
BEGUN = re.compile(rb"(?:[0-9]+(?:[-.][0-9]*)?(?:\t[^\t\n]*)?)?")


def sniffed(pieces: Iterable[bytes]) -> tuple[bool, Iterator[bytes]]:
    """Return whether this is CoNLL-U, and an iterator over all chunks. Reads no more than is needed to decide.

    Input that has only comments is text, and so is input with more comments than a sentence may have.
    """
    rest = iter(pieces)
    held = bytearray()
    at = 0  # the beginning of the first line that is not known to be a comment or blank
    for piece in rest:
        held += piece
        if at == 0 and held.startswith(BOM):
            at = len(BOM)
        while (end := held.find(b"\n", at)) >= 0 and _says_nothing(held[at:end]):
            at = end + 1
        line = held[at:end] if end >= 0 else held[at:]
        undecided = end < 0 and (
            _says_nothing(line) or BEGUN.fullmatch(line) is not None or BOM.startswith(bytes(held))
        )
        if not undecided or len(held) > SENTENCE_LIMIT:
            return WORD.match(line) is not None, chain([bytes(held)], rest)
    return False, iter([bytes(held)])


def _says_nothing(line: bytes | bytearray) -> bool:
    return line.startswith(b"#") or not line.strip()
