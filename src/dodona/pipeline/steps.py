"""What a caller of `dodona.train` hears while a pipeline is trained, and how it can end the training of a component."""

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Callback", "TrainingStep", "nobody"]


@dataclass(frozen=True)
class TrainingStep:
    """An iteration of the training of a component that is done."""

    component: str  # "tokenizer", "tagger", "lemmatizer" or "parser"
    iteration: int  # from 1
    iterations: int  # that are planned
    accuracy: float | None  # the share of decisions that were right during the iteration; None if there was none
    uas: float | None = None  # of the parser on the development data, in percent; None without such data
    las: float | None = None


Callback = Callable[[TrainingStep], bool | None]
"""Called after each iteration. If it returns True, that was the last one of this component."""


def nobody(step: TrainingStep) -> None:
    """A `Callback` for those who do not want to be called."""
