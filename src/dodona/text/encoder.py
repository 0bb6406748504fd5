"""The encoder from strings to numbers: it computes the atoms of feature templates for a sentence."""

from collections.abc import Sequence
from typing import Any, Protocol

from dodona.data.batches import columns_of, forms_of
from dodona.data.sentence import Sentence
from dodona.scoring.linear.features import Words
from dodona.scoring.linear.templates import COLUMNS, Templates
from dodona.text.column_hashes import ColumnHashes, write_columns

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


PARTS = {"pre2": 2, "pre3": 3, "suf2": -2, "suf3": -3, "suf4": -4}
"""Columns that are affixes of the form: its first or, if negative, its last characters."""
SOURCES = {"w": "words", "p": "upos", "x": "xpos", "f": "feats"}


class Encoder:
    """Encodes the columns that the templates use.

    The number of a string is a 64-bit hash of it, so a model needs no vocabulary.
    """

    def __init__(self, templates: Templates) -> None:
        used = {attribute for _, attribute in templates.atoms}
        self._hashes: dict[str, ColumnHashes] = {}
        for source in ("words", "upos", "xpos", "feats"):
            columns = [i for i, name in enumerate(COLUMNS) if i in used and SOURCES.get(name, "words") == source]
            if columns:
                self._hashes[source] = ColumnHashes(columns, [PARTS.get(COLUMNS[i], 0) for i in columns], ROOT)

    def __call__(self, sentence: Tagged) -> Words:
        (words,) = self.encode([sentence])
        return words

    def encode(self, sentences: Sequence[Tagged]) -> list[Words]:
        """Return several sentences as numbers."""
        own = [sentence for sentence in sentences if isinstance(sentence, Sentence)]
        forms: list[Any] = forms_of(own)
        columns: list[list[Any]] = [forms if name == "words" else columns_of(own, name) for name in self._hashes]
        if len(own) < len(sentences):
            forms = [sentence.words for sentence in sentences]
            columns = [[getattr(sentence, name) for sentence in sentences] for name in self._hashes]
        words = [Words(len(each)) for each in forms]
        write_columns(list(self._hashes.values()), columns, words)
        return words
