"""The common interface of all components: application, training options, and reports during training."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from numpy.typing import NDArray

from dodona.data import Sentence
from dodona.errors import OptionError

__all__ = ["Component", "Iteration", "Parts", "TrainingOptions", "batches", "check_size"]

BATCH = 128
WORDS = 8192  # of a batch, unless one sentence has more
LARGEST = 100_000  # megabytes

Given = TypeVar("Given", contravariant=True)
Parts = tuple[dict[str, Any], dict[str, NDArray[Any]]]
"""A component as data: a description for JSON, and arrays."""


class Component(Protocol[Given]):
    """A trained component. It takes text (the tokenizer) or sentences (all others) and yields sentences.

    A function `train_NAME(sentences, options, report)` beside the class trains it.
    """

    def apply(self, given: Iterable[Given], /) -> Iterator[Sentence]:
        """Apply the component, one sentence after the other, in place."""

    def parts(self) -> Parts:
        """Return the contents for a model file."""

    @classmethod
    def from_parts(cls, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], where: str) -> Any:
        """Restore the component from these parts. Invalid parts raise a FormatError that names `where`."""


def batches(sentences: Iterable[Sentence], size: int = BATCH, words: int = WORDS) -> Iterator[list[Sentence]]:
    """Yield a few sentences at a time, so that the weights of a component stay in the processor cache.

    Very long sentences go in smaller batches: a network needs memory for every word of a batch at once.
    """
    batch: list[Sentence] = []
    held = 0
    for sentence in sentences:
        if batch and held + len(sentence) > words:
            yield batch
            batch, held = [], 0
        batch.append(sentence)
        held += len(sentence)
        if len(batch) == size:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


def check_size(size: Any) -> None:
    if not isinstance(size, int | float) or not 0 < size < LARGEST:
        raise OptionError(f"size {size!r}: expected megabytes, more than 0 and less than {LARGEST:,}")


@dataclass(frozen=True)
class TrainingOptions:
    """Number of iterations over the training data, random seed for the order, and maximum size of the weights."""

    iterations: int
    size: float  # megabytes
    seed: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.iterations, int) or self.iterations < 1:
            raise OptionError(f"iterations {self.iterations!r}: expected at least 1")
        if not isinstance(self.seed, int):
            raise OptionError(f"seed {self.seed!r}: expected a number")
        check_size(self.size)


@dataclass(frozen=True)
class Iteration:
    """An iteration over the training data: the number of decisions, and how many of them were wrong.

    Decisions without an alternative are not counted.
    """

    number: int
    steps: int
    mistakes: int
    features: int

    @property
    def accuracy(self) -> float:
        return 1 - self.mistakes / max(1, self.steps)

    @property
    def shown(self) -> str:
        """The accuracy for a message; `–` where there was nothing to decide."""
        return f"{self.accuracy:.2%}" if self.steps else "–"
