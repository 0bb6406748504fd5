"""What a recipe is: which runs it needs, and how its tables and figures are made from their records."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from dodona.experiments.figures import Figure
from dodona.experiments.plan import Plan
from dodona.experiments.records import Records
from dodona.experiments.run import Run
from dodona.experiments.tables import Table

__all__ = ["Recipe"]


@dataclass(frozen=True)
class Recipe:
    name: str
    paper: str  # and its tables and figures
    shows: str  # in a line
    paper_claim: str  # what the paper found, in a sentence
    runs: Callable[[Plan], Iterable[Run]]
    report: Callable[[Plan, Records], Sequence[Table | Figure]]
