"""What a parser needs of a trained model: sentences as numbers, and scorers. Linear and neural models have it both."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from dodona.data.batches import columns_of, forms_of
from dodona.data.sentence import Sentence
from dodona.linear.frozen import check_weights
from dodona.linear.scorer import LinearScorer, Words
from dodona.linear.templates import COLUMNS, Templates
from dodona.parser.column_hashes import ColumnHashes, write_columns
from dodona.search.scorer import EncodedSentence, Scorer

__all__ = ["Encoder", "LinearModel", "LinearSession", "Model", "Session", "TagColumns", "Tagged"]

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


TagColumns = list[list[str]]
"""UPOS, XPOS and FEATS of the words of a sentence."""


class Session(Protocol):
    """A model at work in one thread: its scorers have a workspace."""

    @property
    def greedy(self) -> Scorer: ...
    @property
    def beam(self) -> Scorer: ...

    def encoded(self, sentences: Sequence[Tagged]) -> list[EncodedSentence]:
        """Return sentences as numbers, ready to be scored until the next call."""

    def tags(self) -> list[TagColumns]:
        """Return the tags of the sentences encoded last, if the model predicts tags."""


class Model(Protocol):
    """A trained model, shared by threads."""

    @property
    def retags(self) -> bool:
        """Whether it predicts tags that are better than those of the tagger before it."""

    def session(self) -> Session: ...
    def description(self) -> dict[str, Any]: ...

    @property
    def arrays(self) -> Mapping[str, NDArray[Any]]: ...


class LinearModel:
    """Feature templates and frozen weights."""

    retags = False

    def __init__(self, templates: Templates, arrays: Mapping[str, NDArray[Any]], actions: int, where: str) -> None:
        self.templates = templates
        self.arrays = arrays
        self.weights = check_weights(where, actions, dict(arrays))
        self.encoder = Encoder(templates)

    def session(self) -> "LinearSession":
        return LinearSession(self)

    def description(self) -> dict[str, Any]:
        return {"templates": self.templates.text}

    @classmethod
    def restored(
        cls, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], actions: int, where: str
    ) -> "LinearModel":
        text = description["templates"]
        if not isinstance(text, str):
            raise TypeError("expected templates as text")
        return cls(Templates.parse(text, f"{where}, templates"), arrays, actions, where)


class LinearSession:
    """The scorers of a thread. With a beam, configurations with the same features are scored once."""

    def __init__(self, model: LinearModel) -> None:
        self._model = model
        self.greedy = LinearScorer(model.templates, model.weights)
        self.beam = LinearScorer(model.templates, model.weights, cached=True)

    def encoded(self, sentences: Sequence[Tagged]) -> list[EncodedSentence]:
        found: list[EncodedSentence] = [*self._model.encoder.encode(sentences)]
        self.greedy.prepare(found)
        return found

    def tags(self) -> list[TagColumns]:
        raise NotImplementedError("a linear parser predicts no tags")
