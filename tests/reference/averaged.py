"""A linear model in the making, as two dictionaries: the weights, and their sums over all steps."""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

Weight = tuple[int, int]  # feature, action


class AveragedDict:
    """The average counts a weight once for each step, with the value it had when the step began."""

    def __init__(self) -> None:
        self.weights: dict[Weight, np.float32] = {}
        self.totals: defaultdict[Weight, float] = defaultdict(float)
        self.steps = 0

    def score(self, keys: Iterable[int], action: int) -> np.float32:
        """The sum in the order of the features, in single precision as the compiled loops have it."""
        total = np.float32(0)
        for key in keys:
            total += self.weights.get((key, action), np.float32(0))
        return total

    def step(self, changes: Iterable[tuple[int, int, float]]) -> None:
        for weight, value in self.weights.items():
            self.totals[weight] += float(value)
        self.steps += 1
        for key, action, delta in changes:
            old = self.weights.get((key, action), np.float32(0))
            self.weights[key, action] = np.float32(old + np.float32(delta))

    def averages(self) -> dict[Weight, float]:
        """Those that are not 0."""
        return {weight: total / self.steps for weight, total in self.totals.items() if total}
