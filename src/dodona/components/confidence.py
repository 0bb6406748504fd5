"""Calibration of greedy parses: of the arcs with a confidence of 0.9, nine in ten should be correct.

The probability of the action that built an arc is not the probability that the arc is correct: scores may be too bold,
long arcs are wrong more often than short ones, and in a doubtful sentence everything is. A logistic regression on these
few numbers, fitted on development data, corrects that (Platt 1999).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dodona.errors import FormatError

__all__ = ["Calibration", "fit_calibration"]

Numbers = NDArray[np.float64]

INPUTS = ("action", "sentence", "distance", "late", "bias")
SURE = 0.999  # probabilities are clipped to it: beyond it, scores do not tell correct arcs from wrong ones
RIDGE = 0.1  # keeps the weights finite where all arcs are correct, or a threshold separates them
STEPS = 100
LARGEST = 1e6
DECIMALS = 6  # the same weights, whatever the order in which a computer adds up the same data


@dataclass(frozen=True)
class Calibration:
    """The weights of

    action      the logit of the probability of the action that built the arc; 0 for a late word
    sentence    the mean logarithm of the probabilities of all actions of the sentence
    distance    the logarithm of the distance between head and dependent; 0 for words under ROOT
    late        1 for a word that no action has attached, so that it hangs on ROOT in the end
    bias        1

    By default the action's probability is taken as it is.
    """

    weights: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if len(self.weights) != len(INPUTS):
            raise ValueError(f"{len(self.weights)} weights; expected {len(INPUTS)}: {', '.join(INPUTS)}")

    def apply(self, raw: Sequence[float] | Numbers, heads: Sequence[int]) -> list[float]:
        """Return for each word how probable it is that its head and label are correct.

        `raw` is the `confidence` that `GreedySearch.parse` has filled in, `heads` are the heads of the words 1..n.
        """
        found: list[float] = _sigmoid(_inputs(raw, heads) @ np.array(self.weights)).tolist()
        return found

    def description(self) -> dict[str, float]:
        """Return the weights by their names, for a model file."""
        return dict(zip(INPUTS, self.weights, strict=True))

    @classmethod
    def from_description(cls, description: Any, where: str = "calibration") -> "Calibration":
        """Restore what `description` has returned; `where` is named in errors."""
        if not isinstance(description, dict) or set(description) != set(INPUTS):
            raise FormatError(f"{where}: {description!r}; expected a number each for {', '.join(INPUTS)}")
        for name, weight in description.items():
            if type(weight) not in (int, float) or not abs(weight) <= LARGEST:  # nor NaN
                raise FormatError(f"{where}: {name} {weight!r}; expected a number up to {LARGEST:.0f}")
        return cls(tuple(float(description[name]) for name in INPUTS))


Example = tuple[Sequence[float] | Numbers, Sequence[int], Sequence[bool] | NDArray[np.bool_]]
"""A parsed sentence: `raw` and `heads` as above, and for each word whether its head and label are correct."""


def fit_calibration(examples: Iterable[Example]) -> Calibration:
    """Return the weights that minimize the log loss plus RIDGE / 2 times their squares, by Newton's method.

    Without any word, the default is returned.
    """
    rows, verdicts = [np.zeros((0, len(INPUTS)))], [np.zeros(0)]
    for raw, heads, correct in examples:
        rows.append(_inputs(raw, heads))
        verdicts.append(np.asarray(correct, dtype=np.float64))
        if len(rows[-1]) != len(verdicts[-1]):
            raise ValueError(f"{len(verdicts[-1])} verdicts for {len(rows[-1])} words")
    inputs, correct_ones = np.concatenate(rows), np.concatenate(verdicts)
    if not len(inputs):
        return Calibration()
    weights = np.zeros(len(INPUTS))
    loss = _loss(weights, inputs, correct_ones)
    for _ in range(STEPS):
        sure = _sigmoid(inputs @ weights)
        slope = inputs.T @ (sure - correct_ones) + RIDGE * weights
        curvature = (inputs.T * (sure * (1 - sure))) @ inputs + RIDGE * np.eye(len(weights))
        step = np.linalg.solve(curvature, slope)
        while (less := _loss(weights - step, inputs, correct_ones)) > loss and np.abs(step).max() > 1e-12:
            step /= 2  # too far: the loss is convex, so a shorter step in the same direction lowers it
        weights, loss = weights - step, less
        if np.abs(step).max() < 1e-9:
            break
    return Calibration(tuple(np.round(weights, DECIMALS).tolist()))


def _inputs(raw: Sequence[float] | Numbers, heads: Sequence[int]) -> Numbers:
    """Return a row for each word, a column for each of INPUTS."""
    values, above = np.asarray(raw, dtype=np.float64), np.asarray(heads, dtype=np.int64)
    n = len(above)
    if len(values) != n + 1:
        raise ValueError(f"{len(values)} raw numbers for {n} words; expected {n + 1}")
    late = values[1:] == 0
    probability = np.where(late, 0.5, np.clip(values[1:], 1 - SURE, SURE))
    distance = np.where(above == 0, 1, np.abs(above - np.arange(1, n + 1)))
    ones = np.ones(n)
    return np.stack(
        [np.log(probability / (1 - probability)), values[0] * ones, np.log(np.maximum(distance, 1)), late, ones], axis=1
    )


def _sigmoid(values: Numbers) -> Numbers:
    return 0.5 + 0.5 * np.tanh(values / 2)  # does not overflow


def _loss(weights: Numbers, inputs: Numbers, correct: Numbers) -> float:
    values = inputs @ weights
    return float((np.logaddexp(0, values) - correct * values).sum() + RIDGE / 2 * (weights @ weights))
