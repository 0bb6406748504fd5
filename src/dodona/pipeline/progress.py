"""What every component reports while it learns."""

from dataclasses import dataclass

__all__ = ["Iteration"]


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
