"""The hashes of strings and features as plain arithmetic: what a model file of yesterday was trained with."""

from collections.abc import Iterable
from itertools import groupby

WORD = (1 << 64) - 1
FORWARDS, SHAPE, BACKWARDS = 1, 2, 3
RUNS = 8


def mix(h: int, *values: int) -> int:
    """One value after the other: multiply, and fold the upper half into the lower one."""
    for value in values:
        h = ((h ^ (value & WORD)) * 0x9E3779B97F4A7C15) & WORD
        h ^= h >> 32
    return h


def hashed(start: int, characters: Iterable[str]) -> int:
    return mix(start, *map(ord, characters))


def text_hash(text: str) -> int:
    return hashed(FORWARDS, text)


def prefix_hash(text: str, size: int) -> int:
    """Of the first `size` characters; 0 if there are not so many."""
    return hashed(FORWARDS, text[:size]) if len(text) >= size else 0


def suffix_hash(text: str, size: int) -> int:
    """Of the last `size` characters, read backwards; 0 if there are not so many."""
    return hashed(BACKWARDS, text[::-1][:size]) if len(text) >= size else 0


def shape_hash(text: str) -> int:
    """`McDonald's` looks like Xx Xx'x: the first eight runs of characters of one class."""

    def looks(c: str) -> str:
        return "X" if c.isupper() else "x" if c.isalpha() else "0" if c.isdigit() else c

    return hashed(SHAPE, [c for c, _ in groupby(map(looks, text))][:RUNS])
