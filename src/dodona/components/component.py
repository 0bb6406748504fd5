"""What all components that learn have in common: how often, with which seed, and what they report meanwhile."""

from dataclasses import dataclass

from dodona.errors import OptionError

__all__ = ["Iteration", "TrainingOptions"]


@dataclass(frozen=True)
class TrainingOptions:
    """How often a component goes through its training data, and the seed of the order in which it does."""

    iterations: int
    seed: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.iterations, int) or self.iterations < 1:
            raise OptionError(f"iterations {self.iterations!r}: expected at least 1")
        if not isinstance(self.seed, int):
            raise OptionError(f"seed {self.seed!r}: expected a number")


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
