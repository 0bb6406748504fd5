"""Confidence: how probable it is that an arc and its label are correct, from what the parser knows about them.

The probability of the action that built an arc is not the probability that the arc is correct: scores may be too bold,
long arcs are wrong more often than short ones, and in a doubtful sentence everything is. Nor is the share of a beam
that agrees on the arc, because all trees outside the beam are missing. A logistic regression on these few numbers
(Platt 1999), followed by a monotone curve (isotonic regression, Zadrozny and Elkan 2002), corrects that. Both are
fitted to data that the parser was not trained on: dodona.components.calibration_fit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dodona.errors import FormatError, OptionError

__all__ = ["INPUTS", "NEEDED", "Calibration", "Evidence", "checked_temperature", "inputs_of", "sigmoid"]

Numbers = NDArray[np.float64]

TAGS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM",
    "VERB", "X",
)  # fmt: skip
NEEDED = ("action", "sentence", "distance", "late", "bias")  # older models have only these
INPUTS = (*NEEDED, "root", "agreement", "both", *(f"upos={tag}" for tag in TAGS))
SURE = 0.999  # probabilities are clipped to it: beyond it, scores do not tell correct arcs from wrong ones
AGREED = 0.99  # and the agreement of a beam to this: beyond it, the few trees of a beam say no more
LARGEST = 1e6
COLDEST = 1e-6
MOST_KNOTS = 64

ROWS = {tag: i for i, tag in enumerate(TAGS)}
ONE_OF = np.vstack([np.eye(len(TAGS)), np.zeros(len(TAGS))])  # the last row is for any other tag


class Evidence(NamedTuple):
    """What is known about the arcs of a parsed sentence."""

    raw: Sequence[float] | Numbers
    """The `confidence` that `GreedySearch` fills in: the mean logarithm, then a probability for each word."""
    heads: Sequence[int]
    upos: Sequence[str]
    agreement: Sequence[float] | Numbers | None = None
    """For each word the share of the final beam that agrees on its arc; None without a beam."""


@dataclass(frozen=True)
class Calibration:
    """The weights of

    action      the logit of the probability of the action that built the arc; 0 for a late word
    sentence    the mean logarithm of the probabilities of all actions of the sentence
    distance    the logarithm of the distance between head and dependent; 0 for words under ROOT
    late        1 for a word that no action has attached, so that it hangs on ROOT in the end
    bias        1
    root        1 for a word under ROOT
    agreement   the logit of the share of the beam that agrees on the arc; 0 without a beam
    both        action times agreement: where the beam agrees, the action tells less, or more
    upos=TAG    1 for a word with this tag

    and points of the curve from their sum to the logit of the confidence: linear between two points, and with a slope
    of 1 beyond them. By default the action's probability is taken as it is.
    """

    weights: Mapping[str, float] = field(default_factory=lambda: {"action": 1.0})
    curve: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        for name in self.weights:
            if name not in INPUTS:
                raise ValueError(f"input {name!r}; expected one of {', '.join(INPUTS)}")

    def apply(self, evidence: Evidence) -> list[float]:
        """Return for each word how probable it is that its head and label are correct."""
        found: list[float] = sigmoid(self.curved(inputs_of(evidence) @ self.row())).tolist()
        return found

    def row(self) -> Numbers:
        """Return the weights in the order of INPUTS."""
        return np.array([self.weights.get(name, 0.0) for name in INPUTS])

    def curved(self, sums: Numbers) -> Numbers:
        """Return the logits that the curve has for weighted sums of inputs."""
        if not self.curve:
            return sums
        x, y = np.array(self.curve).T
        inside = np.clip(sums, x[0], x[-1])
        bent: Numbers = np.interp(inside, x, y) + (sums - inside)
        return bent

    def description(self) -> dict[str, Any]:
        """Return weights and curve by their names, for a model file."""
        kept = {name: self.weights.get(name, 0.0) for name in INPUTS if name in NEEDED or name in self.weights}
        return kept | ({"curve": [list(point) for point in self.curve]} if self.curve else {})

    @classmethod
    def from_description(cls, description: Any, where: str = "calibration") -> "Calibration":
        """Restore what `description` has returned; `where` is named in errors."""
        if not isinstance(description, dict) or not set(NEEDED) <= set(description) <= {*INPUTS, "curve"}:
            expected = f"a number each for {', '.join(NEEDED)}, and perhaps for other inputs, and a curve"
            raise FormatError(f"{where}: {description!r}; expected {expected}")
        weights = {name: _number(value, f"{where}: {name}") for name, value in description.items() if name != "curve"}
        return cls(weights, _curve(description["curve"], where) if "curve" in description else ())


def inputs_of(evidence: Evidence) -> Numbers:
    """Return a row for each word, a column for each of INPUTS."""
    values, above = np.asarray(evidence.raw, dtype=np.float64), np.asarray(evidence.heads, dtype=np.int64)
    n = len(above)
    if len(values) != n + 1:
        raise ValueError(f"{len(values)} raw numbers for {n} words; expected {n + 1}")
    if len(evidence.upos) != n:
        raise ValueError(f"{len(evidence.upos)} tags for {n} words")
    late = values[1:] == 0
    distance = np.where(above == 0, 1, np.abs(above - np.arange(1, n + 1)))
    found = np.zeros((n, len(INPUTS)))
    found[:, 0] = _logit(np.where(late, 0.5, values[1:]), SURE)
    found[:, 1] = values[0]
    found[:, 2] = np.log(np.maximum(distance, 1))
    found[:, 3] = late
    found[:, 4] = 1
    found[:, 5] = above == 0
    if evidence.agreement is not None:
        found[:, 6] = _logit(np.asarray(evidence.agreement, dtype=np.float64), AGREED)
        found[:, 7] = found[:, 0] * found[:, 6]
    found[:, 8:] = ONE_OF[[ROWS.get(tag, -1) for tag in evidence.upos]]
    return found


def sigmoid(values: Numbers) -> Numbers:
    return 0.5 + 0.5 * np.tanh(values / 2)  # does not overflow


def _logit(probability: Numbers, most: float) -> Numbers:
    clipped = np.clip(probability, 1 - most, most)
    found: Numbers = np.log(clipped / (1 - clipped))
    return found


def _number(value: Any, where: str) -> float:
    if type(value) not in (int, float) or not abs(value) <= LARGEST:  # nor NaN
        raise FormatError(f"{where} {value!r}; expected a number up to {LARGEST:.0f}")
    return float(value)


def _curve(points: Any, where: str) -> tuple[tuple[float, float], ...]:
    if not isinstance(points, list) or not 2 <= len(points) <= MOST_KNOTS:
        raise FormatError(f"{where}: curve {points!r}; expected 2 to {MOST_KNOTS} points, two numbers each")
    found = []
    for point in points:
        if not isinstance(point, list) or len(point) != 2:
            raise FormatError(f"{where}: curve with {point!r}; expected two numbers for each point")
        found.append((_number(point[0], f"{where}: curve with"), _number(point[1], f"{where}: curve with")))
    if any(after[0] <= before[0] or after[1] < before[1] for before, after in pairwise(found)):
        raise FormatError(f"{where}: curve {points!r}; expected points that rise")
    return tuple(found)


def checked_temperature(value: Any) -> float:
    """Return the temperature of a model file, by which scores are divided before they become probabilities."""
    if type(value) not in (int, float) or not COLDEST <= value <= 1 / COLDEST:
        raise OptionError(f"temperature {value!r}; expected a number from {COLDEST} to {1 / COLDEST}")
    return float(value)
