"""Whether bytes that come in pieces are CoNLL-U or text: the first line that is no comment tells, however far it is."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from dodona.data.blocks import BOM, SENTENCE_LIMIT

__all__ = ["sniffed"]

WORD = re.compile(rb"[0-9]+(?:-[0-9]+|\.[0-9]+)?\t[^\t\n]*\t")
BEGUN = re.compile(rb"(?:[0-9]+(?:[-.][0-9]*)?(?:\t[^\t\n]*)?)?")


def sniffed(pieces: Iterable[bytes]) -> tuple[bool, Iterator[bytes]]:
    """Whether this is CoNLL-U, and all of the pieces once more. Nothing is read beyond what decides it.

    What is nothing but comments is text, and so is what has more of them than a sentence may have.
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
