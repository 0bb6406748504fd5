"""Tables of accuracy: conditions in rows, treebanks in columns, means over seeds, and marks for what is significant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from dodona.experiments.comparisons import Test, mean
from dodona.experiments.plan import Grid
from dodona.experiments.records import Record, Records
from dodona.experiments.tables import Cell, Row, Table, with_best
from dodona.experiments.treebanks import Treebank

__all__ = ["Accuracy", "marked"]

LEVELS = ((0.01, "‡"), (0.05, "†"))
LEVEL_NOTE = "† p < .05, ‡ p < .01"


def marked(p: float | None, levels: Sequence[tuple[float, str]] = LEVELS) -> str:
    """The mark of a p-value: that of the first level that it is below."""
    return next((mark for level, mark in levels if p is not None and p < level), "")


@dataclass(frozen=True)
class Accuracy:
    """How a table of accuracy is made from the records of a grid."""

    grid: Grid
    records: Records
    part: str = "test"
    punctuation: bool = True
    test: Test | None = None
    against: Mapping[str, str] = field(default_factory=dict)  # the condition that each one is tested against
    levels: Sequence[tuple[float, str]] = LEVELS
    conditions: Sequence[str] = ()  # the rows; none: all
    groups: Sequence[Sequence[int]] | None = None  # rows among which the best is marked

    @property
    def treebanks(self) -> tuple[Treebank, ...]:
        return tuple(t for t in self.grid.plan.trainable if t.files(self.part))

    def table(self, name: str, title: str, score: str) -> Table:
        rows = [self._row(condition, score) for condition in self.conditions or self.grid.conditions]
        starts = {group[0] for group in self.groups or [[0]]}
        rows = [Row(row.label, row.cells, i in starts) for i, row in enumerate(rows)]
        columns = ("", *(treebank.name for treebank in self.treebanks), "mean")
        return with_best(Table(name, title, columns, tuple(rows), self.notes()), self.groups)

    def notes(self) -> tuple[str, ...]:
        words = "all words" if self.punctuation else "without punctuation"
        note = f"{self.part.capitalize()} parts, {words}; mean over treebanks where no condition is missing."
        return (note,)

    def _row(self, condition: str, score: str) -> Row:
        cells = [self._cell(treebank, condition, score) for treebank in self.treebanks]
        complete = [
            mean(self._of(treebank, condition), self.part, score, self.punctuation)
            for treebank in self.treebanks
            if all(self._of(treebank, other) for other in self.conditions or self.grid.conditions)
        ]
        overall = fmean(value for value in complete if value is not None) if complete else None
        return Row(condition, (*cells, Cell(overall)))

    def _cell(self, treebank: Treebank, condition: str, score: str) -> Cell:
        own = self._of(treebank, condition)
        value = mean(own, self.part, score, self.punctuation)
        mark = ""
        if self.test is not None and condition in self.against:
            other = self._of(treebank, self.against[condition])
            mark = marked(self.test(other, own, self.part, score), self.levels)
        return Cell(value, mark)

    def _of(self, treebank: Treebank, condition: str) -> list[Record]:
        return self.grid.records(self.records, treebank, condition)
