"""Calibration: of the arcs with a confidence of 0.9, nine in ten should be correct."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dodona.data import Sentence
from dodona.errors import FormatError
from dodona.evaluation.attachment import Comparison

__all__ = ["Bin", "Reliability", "confidences", "reliability"]

EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Most arcs have a high confidence, so the bins become narrow towards 1, which has its own bin."""


@dataclass(frozen=True)
class Bin:
    """Arcs with a confidence from `low` up to, but not including, `high`."""

    low: float
    high: float
    arcs: int
    confidence: float  # on average
    accuracy: float


@dataclass(frozen=True)
class Reliability:
    bins: list[Bin]
    error: float  # expected calibration error: how far confidence and accuracy are apart, weighted by arcs
    brier: float  # mean squared difference between confidence and what is true


def confidences(sentences: Sequence[Sentence]) -> NDArray[np.float64]:
    """Return the values of `Confidence=` in MISC, word by word."""
    found = []
    for sentence in sentences:
        for d, misc in enumerate(sentence.misc, start=1):
            values = [part[11:] for part in misc.split("|") if part.startswith("Confidence=")]
            try:
                (value,) = map(float, values)
                if not 0 <= value <= 1:
                    raise ValueError
            except ValueError:
                place = f"{sentence.file}:{sentence.word_line(d)}"
                raise FormatError(f"{place}: MISC {misc!r}; expected Confidence= with a number from 0 to 1") from None
            found.append(value)
    return np.array(found)


def reliability(comparison: Comparison, confidence: NDArray[np.float64]) -> Reliability:
    """Compare confidence and accuracy, head and full label together, over all words."""
    right = comparison.arc_right
    bins = []
    for low, high in zip(EDGES, (*EDGES[1:], 2.0), strict=True):
        inside = (confidence >= low) & (confidence < high)
        count = int(inside.sum())
        if count:
            bins.append(Bin(low, min(high, 1.0), count, float(confidence[inside].mean()), float(right[inside].mean())))
    total = max(1, len(confidence))
    error = sum(one.arcs * abs(one.confidence - one.accuracy) for one in bins) / total
    return Reliability(bins, error, float(((confidence - right) ** 2).sum()) / total)
