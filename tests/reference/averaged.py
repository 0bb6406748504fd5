"""A linear model during training as a dictionary, which remembers every change of every weight."""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

Weight = tuple[int, int]  # feature, action


class AveragedDict:
    """The average counts a weight once for each step, with the value it had when the step began."""

    def __init__(self) -> None:
        self.weights: defaultdict[Weight, np.float32] = defaultdict(np.float32)
        self.changes: defaultdict[Weight, list[tuple[int, float]]] = defaultdict(list)
        self.steps = 0

    def score(self, keys: Iterable[int], action: int) -> float:
        """The sum in the order of the features, in single precision as the compiled loops have it."""
        total = np.float32(0)
        for key in keys:
            if (key, action) in self.weights:
                total = np.float32(total + self.weights[key, action])
        return float(total)

    def step(self, changes: Iterable[tuple[int, int, float]]) -> None:
        self.steps += 1
        for key, action, delta in changes:
            old = self.weights[key, action]
            new = self.weights[key, action] = np.float32(old + np.float32(delta))
            self.changes[key, action].append((self.steps, float(new) - float(old)))

    def averages(self) -> dict[Weight, float]:
        """A change after so many of all steps counts for the rest of them."""
        found = {}
        for weight, changes in self.changes.items():
            total = sum(delta * (self.steps - step) for step, delta in changes)
            found[weight] = total / self.steps
        return found
