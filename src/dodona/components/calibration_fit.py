"""Fitting of a calibration: logistic regression by Newton's method, then a monotone curve through groups of arcs."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from dodona.components.confidence import INPUTS, NEEDED, Calibration, Evidence, Numbers, inputs_of, sigmoid

__all__ = ["Example", "fit_calibration"]

RIDGE = 1.0  # keeps the weights finite where all arcs are correct, or a threshold separates them, or a tag is rare
STEPS = 100
DECIMALS = 6  # the same weights, whatever the order in which a computer adds up the same data

KNOTS = 12  # points of the curve at most
LEAST = 100  # arcs for each of them
PRIOR = 20  # arcs that count as if they were as the regression says
GAP = 1e-3  # between two points at least
EDGE = 1e-6  # no point is nearer to 0 or 1

Example = tuple[Evidence, Sequence[bool] | NDArray[np.bool_]]
"""A parsed sentence, and for each word whether its head and label are correct."""


def fit_calibration(examples: Iterable[Example]) -> Calibration:
    """Return the weights that minimize the log loss plus RIDGE / 2 times their squares, and a curve.

    Without any word, the default is returned.
    """
    rows, verdicts = [np.zeros((0, len(INPUTS)))], [np.zeros(0)]
    for evidence, correct in examples:
        rows.append(inputs_of(evidence))
        verdicts.append(np.asarray(correct, dtype=np.float64))
        if len(rows[-1]) != len(verdicts[-1]):
            raise ValueError(f"{len(verdicts[-1])} verdicts for {len(rows[-1])} words")
    inputs, right = np.concatenate(rows), np.concatenate(verdicts)
    if not len(inputs):
        return Calibration()
    # a beam's inputs for a beam only, and no weights for tags that do not occur
    used = np.abs(inputs).max(axis=0) > 0
    weights = np.zeros(len(INPUTS))
    weights[used] = np.round(_regression(inputs[:, used], right), DECIMALS)
    named = {
        name: weight
        for name, weight, is_used in zip(INPUTS, weights.tolist(), used.tolist(), strict=True)
        if is_used or name in NEEDED
    }
    return Calibration(named, _curve(inputs @ weights, right))


def _regression(inputs: Numbers, right: Numbers) -> Numbers:
    weights = np.zeros(inputs.shape[1])
    loss = _loss(weights, inputs, right)
    for _ in range(STEPS):
        sure = sigmoid(inputs @ weights)
        slope = inputs.T @ (sure - right) + RIDGE * weights
        curvature = (inputs.T * (sure * (1 - sure))) @ inputs + RIDGE * np.eye(len(weights))
        step = np.linalg.solve(curvature, slope)
        while (less := _loss(weights - step, inputs, right)) > loss and np.abs(step).max() > 1e-12:
            step /= 2  # too far: the loss is convex, so a shorter step in the same direction lowers it
        weights, loss = weights - step, less
        if np.abs(step).max() < 1e-9:
            break
    return weights


def _loss(weights: Numbers, inputs: Numbers, right: Numbers) -> float:
    values = inputs @ weights
    return float((np.logaddexp(0, values) - right * values).sum() + RIDGE / 2 * (weights @ weights))


def _curve(sums: Numbers, right: Numbers) -> tuple[tuple[float, float], ...]:
    """Return the points of a rising curve: arcs are grouped by their sums, and a group that is right less often than
    the one below it is merged with it (pool adjacent violators)."""
    count = min(KNOTS, len(sums) // LEAST)
    if count < 2:
        return ()
    groups: list[_Group] = []
    for part in np.array_split(np.argsort(sums, kind="stable"), count):
        group = _Group(len(part), float(sums[part].sum()), _expected(sums[part], right[part]))
        if groups and group.place - groups[-1].place < GAP:
            group = groups.pop() + group
        groups.append(group)
    pools: list[list[_Group]] = []
    for group in groups:
        pools.append([group])
        while len(pools) > 1 and _share(pools[-2]) > _share(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    if len(groups) < 2:
        return ()
    shares = [(group.place, min(max(_share(pool), EDGE), 1 - EDGE)) for pool in pools for group in pool]
    return tuple((round(x, DECIMALS), round(float(np.log(y / (1 - y))), DECIMALS)) for x, y in shares)


class _Group:
    """Arcs with about the same sum of inputs: how many, the total of their sums, and how many are right."""

    def __init__(self, arcs: int, total: float, right: float) -> None:
        self.arcs, self.total, self.right = arcs, total, right

    def __add__(self, other: "_Group") -> "_Group":
        return _Group(self.arcs + other.arcs, self.total + other.total, self.right + other.right)

    @property
    def place(self) -> float:
        return self.total / self.arcs


def _expected(sums: Numbers, right: Numbers) -> float:
    """Return how many arcs of a group are right, with PRIOR arcs more for which the regression is believed.

    So neither all nor none are right.
    """
    return float((right.sum() + PRIOR * sigmoid(sums).mean()) * len(sums) / (len(sums) + PRIOR))


def _share(pool: list[_Group]) -> float:
    return sum(group.right for group in pool) / sum(group.arcs for group in pool)
