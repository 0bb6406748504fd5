"""The encoder from strings to numbers: it computes the atoms of feature templates for a sentence."""

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
    """The columns of a sentence that are used."""

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
    """Encodes the columns that the templates use, and caches the hashes of strings.

    The number of a string is a 64-bit hash of it, so a model needs no vocabulary. The cache does not change results.
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
    """Return the numbers of a string in these columns."""
    return [_number(name, value) for name in columns]


def _number(name: str, value: str) -> int:
    """Return a hash of the string, or of the affix that is the column; each column has different numbers."""
    part = PARTS[name](value) if name in PARTS and value != ROOT else value
    return hash_text(part, COLUMNS.index(name)) or 1
