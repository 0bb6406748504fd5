"""Means over seeds, whether two conditions differ by more than chance, and tables of both: conditions in rows,
treebanks in columns, and marks for what is significant.

Three tests are used in the papers. Over sentences, the correct words of all seeds are added up for each sentence, and
whole sentences are exchanged (randomization) or ranked (Wilcoxon). Over seeds, the scores of the same seed are paired.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from dodona.evaluation import approximate_randomization, wilcoxon
from dodona.evaluation.significance import double_ranks
from dodona.experiments.plan import Grid
from dodona.experiments.records import Record, Records
from dodona.experiments.treebanks import Treebank
from dodona.tables import Cell, Table

__all__ = [
    "LEVEL_NOTE", "Accuracy", "Test", "compare_means", "mark_of", "mean", "randomization_p", "seed_wilcoxon_p",
    "sentence_wilcoxon_p", "signed_rank_p",
]  # fmt: skip

LEVELS = ((0.01, "‡"), (0.05, "†"))
LEVEL_NOTE = "† p < .05, ‡ p < .01"
MAX_EXACT = 25  # pairs up to which the distribution of the rank sum is counted, not approximated

Test = Callable[[Sequence[Record], Sequence[Record], str, str], float | None]
"""(first, second, part, score) → p, or None where there is nothing to compare."""


def mean(records: Sequence[Record], part: str, score: str, punctuation: bool = True) -> float | None:
    """The mean of a score in percent; None without records."""
    return fmean(record.percent(part, score, punctuation) for record in records) if records else None


def randomization_p(first: Sequence[Record], second: Sequence[Record], part: str, score: str) -> float | None:
    """Yeh's approximate randomization (2000) over sentences."""
    counts = _add_up(first, second, part, score)
    return None if counts is None else approximate_randomization(*counts[:2])


def sentence_wilcoxon_p(first: Sequence[Record], second: Sequence[Record], part: str, score: str) -> float | None:
    """Wilcoxon's signed-rank test over the share of correct words in each sentence."""
    counts = _add_up(first, second, part, score)
    return None if counts is None else wilcoxon((counts[0] - counts[1]) / counts[2]).p


def seed_wilcoxon_p(first: Sequence[Record], second: Sequence[Record], part: str, score: str) -> float | None:
    """Wilcoxon's signed-rank test over seeds."""
    correct = [[record.part(part)["all words"][score][0] for record in both] for both in pair(first, second)]
    return signed_rank_p([b - a for a, b in correct]) if correct else None


def pair(first: Sequence[Record], second: Sequence[Record]) -> list[tuple[Record, Record]]:
    """The records of the seeds that both conditions have."""
    others = {record.seed: record for record in second}
    return [(record, others[record.seed]) for record in first if record.seed in others]


def _add_up(
    first: Sequence[Record], second: Sequence[Record], part: str, score: str
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]] | None:
    """The correct words of each sentence over all seeds, for both conditions, and the words of each sentence."""
    pairs = pair(first, second)
    if not pairs:
        return None
    a, b = (
        np.stack([record.sentences(part, score) for record in side]).sum(axis=0) for side in zip(*pairs, strict=True)
    )
    return a, b, pairs[0][0].sentences(part, "words")


def signed_rank_p(differences: Sequence[float]) -> float:
    """The two-sided p of the signed-rank test: exact for few pairs, where the normal distribution is no good."""
    doubled, is_positive, _ = double_ranks(differences)
    if len(doubled) > MAX_EXACT:
        return wilcoxon(differences).p
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1
    for rank in doubled:  # with either sign, all alike
        ways[rank:] += ways[:-rank].copy()
    actual = int(doubled[is_positive].sum())
    lower, upper = ways[: actual + 1].sum(), ways[actual:].sum()
    return min(1.0, float(2 * min(lower, upper) / ways.sum()))


def mark_of(p: float | None, levels: Sequence[tuple[float, str]] = LEVELS) -> str:
    """The mark of a p-value: that of the first level that it is below."""
    return next((mark for level, mark in levels if p is not None and p < level), "")


def compare_means(
    base: Sequence[Record],
    own: Sequence[Record],
    part: str,
    score: str,
    test: Test = randomization_p,
    punctuation: bool = True,
    levels: Sequence[tuple[float, str]] = LEVELS,
) -> Cell:
    """The mean of a score, marked where it differs from that of `base` by more than chance."""
    return Cell(mean(own, part, score, punctuation), mark_of(test(base, own, part, score), levels))


@dataclass(frozen=True)
class Accuracy:
    """How a table of accuracy is made from the records of a grid."""

    grid: Grid
    records: Records
    part: str = "test"
    test: Test = randomization_p
    against: Mapping[str, str] = field(default_factory=dict)  # the condition that each one is tested against
    levels: Sequence[tuple[float, str]] = LEVELS
    conditions: Sequence[str] = ()  # the rows; none: all
    groups: Sequence[Sequence[int]] | None = None  # rows among which the best is marked

    def table(self, name: str, title: str, score: str) -> Table:
        conditions = self.conditions or self.grid.conditions
        treebanks = [treebank for treebank in self.grid.plan.trainable if treebank.files(self.part)]
        complete = [t for t in treebanks if all(self._of(t, condition) for condition in conditions)]
        rows = []
        for condition in conditions:
            means = [mean(self._of(t, condition), self.part, score) or 0.0 for t in complete]
            cells = [self._cell(treebank, condition, score) for treebank in treebanks]
            rows.append([condition, *cells, fmean(means) if means else None])
        note = f"{self.part.capitalize()} parts, all words; mean over treebanks where no condition is missing."
        columns = ("", *(treebank.name for treebank in treebanks), "mean")
        rules = frozenset(group[0] for group in self.groups or ())
        return Table(columns, rows, title, name, (note,), rules=rules).mark_best(self.groups)

    def _cell(self, treebank: Treebank, condition: str, score: str) -> Cell:
        base, own = (self._of(treebank, each) for each in (self.against.get(condition, condition), condition))
        return compare_means(base, own, self.part, score, self.test, levels=self.levels)

    def _of(self, treebank: Treebank, condition: str) -> list[Record]:
        return self.grid.records(self.records, treebank, condition)
