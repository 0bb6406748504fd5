"""Whether the difference between two parsers could be due to chance, and how much a score varies over the folds of a
cross-validation.

Both tests of significance are paired over sentences and two-sided. The errors within a sentence are not independent, so
whole sentences are exchanged, not words.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import erfc, sqrt
from statistics import fmean, stdev

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dodona.data import Sentence
from dodona.errors import MismatchError, OptionError
from dodona.evaluation.attachment import Comparison, Rate, attachment, compare
from dodona.evaluation.conll18 import evaluate

__all__ = [
    "SCORES", "SHUFFLES", "Difference", "Spread", "Wilcoxon", "approximate_randomization", "differences",
    "double_ranks", "find_unpredicted", "scores_of", "spread", "wilcoxon",
]  # fmt: skip

SHUFFLES = 10_000
BATCH = 1 << 22  # coin tosses at a time: bounds the memory, not the result
FULL_LAS = "LAS with subtypes"
SCORES = ("UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS", FULL_LAS, "CLAS", "MLAS", "BLEX")
NEEDS = {"XPOS": "xpos", "UFeats": "feats", "Lemmas": "lemmas", "UPOS": "upos", "MLAS": "upos", "BLEX": "lemmas"}


@dataclass(frozen=True, slots=True)
class Wilcoxon:
    statistic: float  # the smaller of the two rank sums
    differing: int  # sentences on which the systems differ; the others say nothing
    p: float


@dataclass(frozen=True, slots=True)
class Difference:
    """One score of two systems, and the p-values of the difference."""

    first: Rate
    second: Rate
    randomization_p: float
    wilcoxon: Wilcoxon


def differences(
    first: Comparison, second: Comparison, *, shuffles: int = SHUFFLES, seed: int = 1
) -> dict[str, Difference]:
    """UAS and LAS (full labels, all words) of two systems, each compared with the same gold.

    Randomization exchanges counts of correct words, so it tests the score as reported; Wilcoxon's ranks are of the
    share of correct words in a sentence, so that long sentences do not rank first merely for being long.
    """
    words = first.per_sentence(np.ones_like(first.head_right))
    if not np.array_equal(first.sentence, second.sentence):
        raise MismatchError(
            f"the systems were compared with gold files of {len(first.sentence)} and {len(second.sentence)} words; "
            f"expected the same sentences"
        )
    masks = {"UAS": (first.head_right, second.head_right), "LAS": (first.arc_right, second.arc_right)}
    by_score = {}
    for name, right in masks.items():
        a, b = (first.per_sentence(mask) for mask in right)
        by_score[name] = Difference(
            Rate(int(a.sum()), len(first.sentence)),
            Rate(int(b.sum()), len(first.sentence)),
            approximate_randomization(a, b, shuffles=shuffles, seed=seed),
            wilcoxon((a - b) / words),  # not a / words - b / words, whose rounding would tell equal differences apart
        )
    return by_score


def approximate_randomization(
    first: Sequence[int] | ArrayLike, second: Sequence[int] | ArrayLike, *, shuffles: int = SHUFFLES, seed: int = 1
) -> float:
    """The p-value of the difference in correct words (Yeh 2000), from the number of them in each sentence.

    If the systems were the same, swapping their outputs on any sentences would do nothing. Each shuffle tosses a coin
    for every sentence; p is the share of shuffles with a difference at least as large as the real one, that one
    included in the count, so that p is never 0.
    """
    if shuffles < 1:
        raise OptionError(f"{shuffles} shuffles; expected at least 1")
    difference = np.asarray(first, np.int64) - np.asarray(second, np.int64)
    difference = difference[difference != 0]  # a coin for these changes nothing
    if not len(difference):
        return 1.0
    actual = abs(int(difference.sum()))
    coins = np.random.PCG64(seed)  # its stream is fixed for all versions of numpy
    chunks = -(-len(difference) // 64)
    at_least = 0
    rows = max(1, BATCH // (64 * chunks))
    for begin in range(0, shuffles, rows):
        batch = min(rows, shuffles - begin)
        tosses = coins.random_raw(batch * chunks).astype("<u8").view(np.uint8).reshape(batch, chunks * 8)
        swapped = np.unpackbits(tosses, axis=1, count=len(difference))
        # sums of integers below 2**53: exact, in whatever order they are added up
        sums = difference.sum() - 2 * (swapped.astype(np.float64) @ difference.astype(np.float64))
        at_least += int(np.sum(np.abs(sums) >= actual))
    return (at_least + 1) / (shuffles + 1)


def wilcoxon(differences: Sequence[float] | ArrayLike) -> Wilcoxon:
    """The signed-rank test over the difference in score of each sentence (Wilcoxon 1945).

    Sentences without a difference are dropped, equal differences share their mean rank, and the p-value comes from
    the normal distribution with the variance corrected for ties: fine from some twenty differing sentences up.
    """
    doubled, positive_ones, size = double_ranks(differences)
    n = len(doubled)
    if n == 0:
        return Wilcoxon(0.0, 0, 1.0)
    positive = float(doubled[positive_ones].sum()) / 2
    mean = n * (n + 1) / 4
    ties = float((size.astype(np.float64) ** 3 - size).sum())
    deviation = sqrt(n * (n + 1) * (2 * n + 1) / 24 - ties / 48)
    z = (positive - mean) / deviation
    return Wilcoxon(min(positive, 2 * mean - positive), n, erfc(abs(z) / sqrt(2)))


def double_ranks(
    differences: Sequence[float] | ArrayLike,
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]:
    """Return twice the rank of each difference that is not 0, a whole number also where equal differences share one;
    whether it is positive; and how many share each rank."""
    difference = np.asarray(differences, np.float64)
    difference = difference[difference != 0]
    _, group, size = np.unique(np.abs(difference), return_inverse=True, return_counts=True)
    return (2 * np.cumsum(size) - size + 1)[group], difference > 0, size


@dataclass(frozen=True)
class Spread:
    """`deviation` is the standard deviation of a sample: the sum of squares is divided by one less than the folds."""

    mean: float
    deviation: float
    least: float
    greatest: float


def spread(scores: Iterable[float | None]) -> Spread | None:
    """Return the spread of two or more scores; None if one of them is missing."""
    every = list(scores)
    values = [score for score in every if score is not None]
    if len(values) < len(every):
        return None
    return Spread(fmean(values), stdev(values), min(values), max(values))


def find_unpredicted(gold: Iterable[Sentence], predicted: Collection[str]) -> set[str]:
    """Return the names of scores that say nothing: their column is not among the predicted, or empty in gold."""
    columns = set(NEEDS.values()) & set(predicted)
    filled = {column for sentence in gold for column in columns if not sentence.lacks(column)}
    return {name for name, column in NEEDS.items() if column not in filled}


def scores_of(
    gold: Sequence[Sentence], system: Sequence[Sentence], without: Collection[str] = ()
) -> dict[str, float | None]:
    """Return SCORES in percent for a parse of the same words: those of CoNLL 2018, and LAS with full labels.

    Those named in `without` are None.
    """
    scores = {name: score.f1 for name, score in evaluate(gold, system).items()}
    scores[FULL_LAS] = attachment(compare(gold, system))["LAS"].accuracy
    return {name: None if name in without else 100 * scores[name] for name in SCORES}
