"""Gómez-Rodríguez and Fernández-González (2015), Table 2: Covington's parser with static and dynamic oracle."""

from collections.abc import Iterable, Sequence
from statistics import fmean

from dodona.experiments.accuracy import marked
from dodona.experiments.comparisons import mean, randomization_p
from dodona.experiments.plan import Condition, Grid, Plan, as_in_the_papers
from dodona.experiments.recipe import Recipe
from dodona.experiments.records import Records
from dodona.experiments.run import Run
from dodona.experiments.tables import Cell, Row, Table

CONDITIONS = {oracle: Condition(as_in_the_papers("covington", oracle)) for oracle in ("static", "dynamic")}
SCORES = ("UAS", "LAS")


def runs(plan: Plan) -> Iterable[Run]:
    return Grid(plan, CONDITIONS).runs()


def report(plan: Plan, records: Records) -> Sequence[Table]:
    """Treebanks in rows, as the paper has them."""
    grid = Grid(plan, CONDITIONS)
    rows, whole = [], []
    for treebank in plan.trainable:
        static, dynamic = (grid.records(records, treebank, oracle) for oracle in CONDITIONS)
        values = [[mean(found, "test", score) for score in SCORES] for found in (static, dynamic)]
        cells = []
        for own, other, marks in ((0, 1, False), (1, 0, True)):
            for j, score in enumerate(SCORES):
                value, rival = values[own][j], values[other][j]
                better = value is not None and rival is not None and value > rival
                significant = (
                    marks and better and marked(randomization_p(static, dynamic, "test", score), ((0.05, "*"),))
                )
                cells.append(Cell(value, significant or "", better))
        rows.append(Row(treebank.name, tuple(cells)))
        if static and dynamic:
            whole.append([value or 0.0 for pair in values for value in pair])
    means = [Cell(fmean(column)) for column in zip(*whole, strict=True)] or [Cell(None)] * 4
    rows.append(Row("mean", tuple(means), rule=True))
    columns = ("", "static UAS", "static LAS", "dynamic UAS", "dynamic LAS")
    note = "Test parts, all words. * a significant improvement at p < .05 (approximate randomization, Yeh 2000)."
    return [Table("accuracy", "Covington's parser with static and dynamic oracle", columns, tuple(rows), (note,))]


RECIPE = Recipe(
    name="covington",
    paper="Gómez-Rodríguez & Fernández-González 2015, Table 2",
    shows="Covington's non-projective parser with static and dynamic oracle, with Yeh's randomization test.",
    paper_claim="The dynamic oracle is better on 17 of 19 treebanks, by 0.80 UAS and 0.74 LAS on average.",
    runs=runs,
    report=report,
)
