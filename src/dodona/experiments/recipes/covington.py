"""Gómez-Rodríguez and Fernández-González (2015), Table 2: Covington's parser with static and dynamic oracle."""

from collections.abc import Iterable, Sequence
from statistics import fmean

from dodona.experiments.comparisons import mark_of, mean, randomization_p
from dodona.experiments.plan import Condition, Grid, Plan, Recipe, as_in_the_papers
from dodona.experiments.records import Records
from dodona.experiments.run import Run
from dodona.tables import Cell, Table, Value

CONDITIONS = {oracle: Condition(as_in_the_papers("covington", oracle)) for oracle in ("static", "dynamic")}
SCORES = ("UAS", "LAS")


def runs(plan: Plan) -> Iterable[Run]:
    return Grid(plan, CONDITIONS).runs()


def report(plan: Plan, records: Records) -> Sequence[Table]:
    """Treebanks in rows, as the paper has them."""
    grid = Grid(plan, CONDITIONS)
    rows: list[Sequence[Cell | Value]] = []
    whole = []
    for treebank in plan.trainable:
        static, dynamic = (grid.records(records, treebank, oracle) for oracle in CONDITIONS)
        values = [[mean(own, "test", score) for score in SCORES] for own in (static, dynamic)]
        cells = []
        for own, other, marks in ((0, 1, False), (1, 0, True)):
            for j, score in enumerate(SCORES):
                value, rival = values[own][j], values[other][j]
                better = value is not None and rival is not None and value > rival
                significant = (
                    marks and better and mark_of(randomization_p(static, dynamic, "test", score), ((0.05, "*"),))
                )
                cells.append(Cell(value, significant or "", "strong" if better else ""))
        rows.append([treebank.name, *cells])
        if static and dynamic:
            whole.append([value or 0.0 for pair in values for value in pair])
    rows.append(["mean", *(map(fmean, zip(*whole, strict=True)) if whole else [None] * 4)])
    columns = ("", "static UAS", "static LAS", "dynamic UAS", "dynamic LAS")
    note = "Test parts, all words. * a significant improvement at p < .05 (approximate randomization, Yeh 2000)."
    title = "Covington's parser with static and dynamic oracle"
    return [Table(columns, rows, title, "accuracy", (note,), rules=frozenset([len(rows) - 1]))]


RECIPE = Recipe(
    name="covington",
    paper="Gómez-Rodríguez & Fernández-González 2015, Table 2",
    shows="Covington's non-projective parser with static and dynamic oracle, with Yeh's randomization test.",
    paper_claim="The dynamic oracle is better on 17 of 19 treebanks, by 0.80 UAS and 0.74 LAS on average.",
    runs=runs,
    report=report,
)
