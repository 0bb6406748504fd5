"""Means over seeds, and whether two conditions differ by more than chance.

Three tests are used in the papers. Over sentences, the correct words of all seeds are added up for each sentence, and
whole sentences are exchanged (randomization) or ranked (Wilcoxon). Over seeds, the scores of the same seed are paired.
"""

from collections.abc import Callable, Sequence
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from dodona.evaluation import approximate_randomization, wilcoxon
from dodona.experiments.records import Record

__all__ = ["Test", "mean", "randomization_p", "seed_wilcoxon_p", "sentence_wilcoxon_p", "signed_rank_p"]

EXACT = 25  # pairs up to which the distribution of the rank sum is counted, not approximated

Test = Callable[[Sequence[Record], Sequence[Record], str, str], float | None]
"""(first, second, part, score) → p, or None where there is nothing to compare."""


def mean(records: Sequence[Record], part: str, score: str, punctuation: bool = True) -> float | None:
    """The mean of a score in percent; None without records."""
    return fmean(record.percent(part, score, punctuation) for record in records) if records else None


def randomization_p(first: Sequence[Record], second: Sequence[Record], part: str, score: str) -> float | None:
    """Yeh's approximate randomization (2000) over sentences."""
    pairs = paired(first, second)
    if not pairs:
        return None
    a, b = (_added([pair[i] for pair in pairs], part, score) for i in (0, 1))
    return approximate_randomization(a, b)


def sentence_wilcoxon_p(first: Sequence[Record], second: Sequence[Record], part: str, score: str) -> float | None:
    """Wilcoxon's signed-rank test over the share of correct words in each sentence."""
    pairs = paired(first, second)
    if not pairs:
        return None
    a, b = (_added([pair[i] for pair in pairs], part, score) for i in (0, 1))
    return wilcoxon((a - b) / pairs[0][0].sentences(part, "words")).p


def seed_wilcoxon_p(first: Sequence[Record], second: Sequence[Record], part: str, score: str) -> float | None:
    """Wilcoxon's signed-rank test over seeds."""
    pairs = paired(first, second)
    if not pairs:
        return None
    correct = [[record.part(part)["all words"][score][0] for record in pair] for pair in pairs]
    return signed_rank_p([b - a for a, b in correct])


def paired(first: Sequence[Record], second: Sequence[Record]) -> list[tuple[Record, Record]]:
    """The records of the seeds that both conditions have."""
    others = {record.seed: record for record in second}
    return [(record, others[record.seed]) for record in first if record.seed in others]


def _added(records: Sequence[Record], part: str, score: str) -> NDArray[np.int64]:
    found: NDArray[np.int64] = np.stack([record.sentences(part, score) for record in records]).sum(axis=0)
    return found


def signed_rank_p(differences: Sequence[float]) -> float:
    """The two-sided p of the signed-rank test: exact for few pairs, where the normal distribution is no good."""
    numbers = np.asarray(differences, np.float64)
    numbers = numbers[numbers != 0]
    if len(numbers) > EXACT:
        return wilcoxon(numbers).p
    if len(numbers) == 0:
        return 1.0
    _, group, size = np.unique(np.abs(numbers), return_inverse=True, return_counts=True)
    last = np.cumsum(size)
    doubled = (2 * last - size + 1)[group]  # twice the rank, a whole number also where equal differences share one
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1
    for rank in doubled:  # with either sign, all alike
        ways[rank:] += ways[:-rank].copy()
    actual = int(doubled[numbers > 0].sum())
    lower, upper = ways[: actual + 1].sum(), ways[actual:].sum()
    return min(1.0, float(2 * min(lower, upper) / ways.sum()))
