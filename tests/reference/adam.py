"""Adam (Kingma and Ba 2015) with clipping, a learning rate that rises and falls, and averaged weights: as in the books,
number by number."""

from dataclasses import dataclass, field
from math import cos, pi, sqrt

Numbers = dict[str, list[float]]


@dataclass
class Adam:
    """`planned` is the number of steps after which the rate has fallen to a hundredth of itself."""

    weights: Numbers
    rate: float
    warmup: int
    planned: int
    average: float
    betas: tuple[float, float] = (0.9, 0.95)
    clip: float = 5.0
    steps: int = 0
    averaged: Numbers = field(init=False)
    first: Numbers = field(init=False)
    second: Numbers = field(init=False)

    def __post_init__(self) -> None:
        self.averaged = {name: list(values) for name, values in self.weights.items()}
        self.first = {name: [0.0] * len(values) for name, values in self.weights.items()}
        self.second = {name: [0.0] * len(values) for name, values in self.weights.items()}

    def step(self, gradient: Numbers) -> None:
        self.steps += 1
        norm = sqrt(sum(g * g for values in gradient.values() for g in values))
        scale = self.clip / norm if norm > self.clip else 1.0
        rising = min(1.0, self.steps / self.warmup)
        falling = (1 + cos(pi * min(1.0, self.steps / self.planned))) / 2 + 0.01
        one, two = self.betas
        kept = min(self.average, (1 + self.steps) / (10 + self.steps))
        for name, values in gradient.items():
            for i, g in enumerate(values):
                g *= scale
                self.first[name][i] = one * self.first[name][i] + (1 - one) * g
                self.second[name][i] = two * self.second[name][i] + (1 - two) * g * g
                mean = self.first[name][i] / (1 - one**self.steps)
                spread = sqrt(self.second[name][i] / (1 - two**self.steps))
                self.weights[name][i] -= self.rate * rising * falling * mean / (spread + 1e-12)
                self.averaged[name][i] = kept * self.averaged[name][i] + (1 - kept) * self.weights[name][i]
