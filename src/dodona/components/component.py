"""What all components have in common: what they do, how they are trained, and what they report meanwhile."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, TypeVar

from numpy.typing import NDArray

from dodona.data import Sentence
from dodona.errors import OptionError

__all__ = ["Component", "Iteration", "Parts", "TrainingOptions", "batches", "check_size"]

BATCH = 64
LARGEST = 100_000  # megabytes

Item = TypeVar("Item")
Given = TypeVar("Given", contravariant=True)
Parts = tuple[dict[str, Any], dict[str, NDArray[Any]]]
"""A component as data: a description for JSON, and arrays."""


class Component(Protocol[Given]):
    """A trained component. It takes text (the tokenizer) or sentences (all others) and gives sentences.

    A function `train_NAME(sentences, options, report)` beside the class trains it.
    """

    def apply(self, given: Iterable[Given], /) -> Iterator[Sentence]:
        """Do the component's work, one sentence after the other, in place."""

    def parts(self) -> Parts:
        """What a model file needs to keep."""

    @classmethod
    def from_parts(cls, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], where: str) -> Any:
        """The component with these parts. Whatever is not as it should be is a FormatError that names `where`."""


def batches(items: Iterable[Item], size: int = BATCH) -> Iterator[list[Item]]:
    """A few items at a time: a component that works on them one after the other keeps its weights in the cache."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def check_size(size: Any) -> None:
    if not isinstance(size, int | float) or not 0 < size < LARGEST:
        raise OptionError(f"size {size!r}: expected megabytes, more than 0 and less than {LARGEST:,}")


@dataclass(frozen=True)
class TrainingOptions:
    """How often a component goes through its training data, the seed of the order in which it does, and how large its
    weights may become."""

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
    """A pass over the training data: how many decisions there were, and how many of them were wrong.

    What can only be decided in one way does not count.
    """

    number: int
    steps: int
    mistakes: int
    features: int

    @property
    def accuracy(self) -> float:
        return 1 - self.mistakes / max(1, self.steps)
