"""Calibration: of the arcs with a confidence of 0.9, nine in ten should be correct."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dodona.data import Sentence
from dodona.data.ud import CONFIDENCE
from dodona.errors import FormatError
from dodona.evaluation.attachment import Comparison, Rate

__all__ = [
    "SHARES", "Bin", "FoundErrors", "Reliability", "confidences", "count_found_errors", "reliability",
]  # fmt: skip

EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Most arcs have a high confidence, so the bins become narrow towards 1, which has its own bin."""

SHARES = (0.05, 0.1, 0.2, 0.5)


@dataclass(frozen=True)
class Bin:
    """Arcs with a confidence from `low` up to, but not including, `high`."""

    low: float
    high: float
    arcs: int
    confidence: float  # on average
    accuracy: float


@dataclass(frozen=True)
class FoundErrors:
    """The errors among the first words that a person reads, of all errors."""

    share: float  # of all words
    words: int  # that are read
    in_words: Rate  # if the least sure words are read
    in_sentences: Rate  # if the least sure sentences are read


@dataclass(frozen=True)
class Reliability:
    """Both numbers are None without any arc."""

    bins: list[Bin]
    error: float | None  # expected calibration error: how far confidence and accuracy are apart, weighted by arcs
    brier: float | None  # mean squared difference between confidence and what is true


def confidences(sentences: Sequence[Sentence]) -> NDArray[np.float64]:
    """Return the values of `Confidence=` in MISC, word by word."""
    numbers = []
    for sentence in sentences:
        for d, misc in enumerate(sentence.misc, start=1):
            values = [part.removeprefix(CONFIDENCE) for part in misc.split("|") if part.startswith(CONFIDENCE)]
            try:
                (value,) = map(float, values)
                if not 0 <= value <= 1:
                    raise ValueError
            except ValueError:
                location = f"{sentence.file}:{sentence.word_line(d)}"
                raise FormatError(
                    f"{location}: MISC {misc!r}; expected {CONFIDENCE} with a number from 0 to 1"
                ) from None
            numbers.append(value)
    return np.array(numbers)


def reliability(comparison: Comparison, confidence: NDArray[np.float64]) -> Reliability:
    """Compare confidence and accuracy, head and full label together, over all words."""
    right = comparison.arc_right
    bins = []
    for low, high in zip(EDGES, (*EDGES[1:], 2.0), strict=True):
        inside = (confidence >= low) & (confidence < high)
        count = int(inside.sum())
        if count:
            bins.append(Bin(low, min(high, 1.0), count, float(confidence[inside].mean()), float(right[inside].mean())))
    if not len(confidence):
        return Reliability(bins, None, None)
    error = sum(one.arcs * abs(one.confidence - one.accuracy) for one in bins) / len(confidence)
    return Reliability(bins, error, float(((confidence - right) ** 2).mean()))


def count_found_errors(
    comparison: Comparison, confidence: NDArray[np.float64], shares: Sequence[float] = SHARES
) -> list[FoundErrors]:
    """Return how many errors a person finds who reads this share of the words: the least sure ones, or whole sentences,
    the least sure on average first. Words or sentences that are equally sure are read in their order."""
    wrong = ~comparison.arc_right
    total = int(wrong.sum())
    words = np.argsort(confidence, kind="stable")
    lengths = comparison.per_sentence(np.ones_like(wrong))
    sums = np.bincount(comparison.sentence, weights=confidence, minlength=len(lengths))
    means = sums / np.maximum(1, lengths)
    whole = np.lexsort((np.arange(len(wrong)), comparison.sentence, means[comparison.sentence]))
    curve = []
    for share in shares:
        read = round(share * len(wrong))
        in_words, in_sentences = (int(wrong[order[:read]].sum()) for order in (words, whole))
        curve.append(FoundErrors(share, read, Rate(in_words, total), Rate(in_sentences, total)))
    return curve
