"""The common interface of all components: application, options of training, and its progress."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from numpy.typing import NDArray

from dodona.data import Sentence
from dodona.errors import OptionError

__all__ = [
    "Callback",
    "Component",
    "Parts",
    "TrainingOptions",
    "TrainingProgress",
    "check_iterations",
    "check_size",
    "ignore",
]

LARGEST = 100_000  # megabytes

Input = TypeVar("Input", contravariant=True)
Parts = tuple[dict[str, Any], dict[str, NDArray[Any]]]
"""A component as data: a description for JSON, and arrays."""


class Component(Protocol[Input]):
    """A trained component. It takes chunks of text (the tokenizer) or a batch of sentences (all others).

    A function `train_NAME(sentences, options, callback)` beside the class trains it.
    """

    def apply(self, inputs: Input, /) -> Iterable[Sentence]:
        """Fill in what is missing, in place; returns the sentences."""

    def parts(self) -> Parts:
        """Return the contents for a model file."""

    @classmethod
    def from_parts(cls, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], where: str) -> Any:
        """Restore the component from these parts. Invalid parts raise a FormatError that names `where`."""


def check_size(size: Any) -> None:
    if not isinstance(size, int | float) or not 0 < size < LARGEST:
        raise OptionError(f"size {size!r}: expected megabytes, more than 0 and less than {LARGEST:,}")


def check_iterations(iterations: Any) -> None:
    if not isinstance(iterations, int) or iterations < 1:
        raise OptionError(f"iterations {iterations!r}: expected at least 1")


@dataclass(frozen=True)
class TrainingOptions:
    """Number of iterations over the training data, random seed for the order, and maximum size of the weights."""

    iterations: int
    size: float  # megabytes
    seed: int = 1

    def __post_init__(self) -> None:
        check_iterations(self.iterations)
        if not isinstance(self.seed, int):
            raise OptionError(f"seed {self.seed!r}: expected a number")
        check_size(self.size)


@dataclass(frozen=True)
class TrainingProgress:
    """How far the training of a component is: after an iteration, within a long one, or, with a message, before the
    first.

    A decision is what is learned at once: a tag, a transition, or with a beam the derivation of a sentence. Those
    without an alternative are not counted.
    """

    component: str  # "tokenizer", "tagger", "lemmatizer" or "parser"; messages are also about "vectors" and "jackknife"
    iteration: int = 0  # from 1; 0: before the first
    iterations: int = 1  # that are planned
    decisions: int = 0  # of this iteration
    mistakes: int = 0  # among them
    transitions: int = 0  # of the derivations that a linear parser was trained on
    uas: float | None = None  # of the parser on the development data, in percent; None without such data
    las: float | None = None
    share: float = 1.0  # of the iteration that is done: less than 1 while a network is learning
    whole: float | None = None  # the share of all words, if some iterations have more than others: those with silver
    message: str = ""

    @property
    def done(self) -> float:
        """The share of the whole training that is done."""
        return (self.iteration - 1 + self.share) / self.iterations if self.whole is None else self.whole

    @property
    def is_iteration(self) -> bool:
        """Whether an iteration is done."""
        return self.iteration > 0 and self.share == 1

    @property
    def accuracy(self) -> float | None:
        """The share of decisions that were right during the iteration; None if there was none."""
        return 1 - self.mistakes / self.decisions if self.decisions else None

    def __str__(self) -> str:
        if not self.iteration:
            return f"{self.component}: {self.message}"
        right = "–" if self.accuracy is None else f"{self.accuracy:.2%}"
        dev = "" if self.las is None else f", dev UAS {self.uas:.2f} LAS {self.las:.2f}"
        return f"{self.component} {self.iteration}/{self.iterations}: {right} of {self.decisions} decisions right{dev}"


Callback = Callable[[TrainingProgress], bool | None]
"""Told of the progress of training. If it returns True after an iteration, that was the last one of this component."""


def ignore(progress: TrainingProgress) -> None:
    """A `Callback` for those who do not want to be told."""
