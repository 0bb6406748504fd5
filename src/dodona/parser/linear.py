"""A linear model of the parser: feature templates and frozen weights."""

from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from dodona.data.sentence import Sentence
from dodona.linear.frozen import check_weights
from dodona.linear.scorer import LinearScorer
from dodona.linear.templates import Templates
from dodona.parser.encoder import SentenceEncoder
from dodona.search.scorer import EncodedSentence

__all__ = ["LinearModel", "LinearSession"]


class LinearModel:
    """Feature templates and frozen weights."""

    retags = False
    tagger_bonus = 0.0
    choice = None

    def __init__(self, templates: Templates, arrays: Mapping[str, NDArray[Any]], actions: int, where: str) -> None:
        self.templates = templates
        self.arrays = arrays
        self.weights = check_weights(where, actions, dict(arrays))
        self.encoder = SentenceEncoder(templates)

    def session(self) -> "LinearSession":
        return LinearSession(self)

    def description(self) -> dict[str, Any]:
        return {"templates": self.templates.text}

    @classmethod
    def restore(
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

    def encode(self, sentences: Sequence[Sentence]) -> list[EncodedSentence]:
        encoded: list[EncodedSentence] = [*self._model.encoder.encode(sentences)]
        self.greedy.prepare(encoded)
        return encoded

    def tags(self, sentences: Sequence[Sentence], bonus: float) -> "list[array[int]]":
        raise NotImplementedError("a linear parser predicts no tags")
