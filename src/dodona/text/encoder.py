"""The only door from strings to numbers: a sentence becomes the atoms that feature templates speak of."""

from collections.abc import Callable
from functools import partial
from typing import Protocol

from dodona.scoring.linear.features import Words
from dodona.scoring.linear.templates import COLUMNS, Templates
from dodona.text.hash_cache import HashCache
from dodona.text.hashing import hash_text

__all__ = ["Encoder", "Tagged"]

ROOT = "\N{NULL}root"  # no word of a sentence is called that


class Tagged(Protocol):
    """What is needed of a sentence."""

    @property
    def words(self) -> list[str]: ...
    @property
    def upos(self) -> list[str]: ...
    @property
    def xpos(self) -> list[str]: ...
    @property
    def feats(self) -> list[str]: ...


PARTS: dict[str, Callable[[str], str]] = {
    "pre2": lambda form: form[:2],
    "pre3": lambda form: form[:3],
    "suf2": lambda form: form[-2:],
    "suf3": lambda form: form[-3:],
    "suf4": lambda form: form[-4:],
}
SOURCES = {"w": "words", "p": "upos", "x": "xpos", "f": "feats"}


class Encoder:
    """Knows which columns the templates use and remembers the numbers of strings it has seen.

    The number of a string is a 64-bit hash of it, so a model needs no vocabulary, and what is remembered changes
    nothing but the time it takes.
    """

    def __init__(self, templates: Templates) -> None:
        used = {attribute for _, attribute in templates.atoms}
        self._caches: dict[str, HashCache] = {}
        for source in ("words", "upos", "xpos", "feats"):
            columns = [i for i, name in enumerate(COLUMNS) if i in used and SOURCES.get(name, "words") == source]
            if columns:
                self._caches[source] = HashCache(columns, partial(_numbers, [COLUMNS[i] for i in columns]), ROOT)

    def __call__(self, sentence: Tagged) -> Words:
        words = Words(len(sentence.words))
        for source, cache in self._caches.items():
            cache.write(getattr(sentence, source), words)
        return words


def _numbers(columns: list[str], value: str) -> list[int]:
    """The numbers of a string in these columns."""
    return [_number(name, value) for name in columns]


def _number(name: str, value: str) -> int:
    """A hash of the string, or of the part of it that the column shows; no column shares its numbers with another."""
    part = PARTS[name](value) if name in PARTS and value != ROOT else value
    return hash_text(part, COLUMNS.index(name)) or 1
