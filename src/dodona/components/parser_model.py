"""What a parser needs of a trained model: sentences as numbers, and scorers. Linear and neural models have it both."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from dodona.scoring.linear.pruning import checked_weights
from dodona.scoring.linear.scorer import LinearScorer
from dodona.scoring.linear.templates import Templates
from dodona.scoring.scorer import EncodedSentence, Scorer
from dodona.text.encoder import Encoder, Tagged

__all__ = ["LinearModel", "LinearSession", "Model", "Session", "TagColumns"]

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
        self.weights = checked_weights(where, actions, dict(arrays))
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
