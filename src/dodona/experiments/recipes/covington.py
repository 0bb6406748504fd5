"""Gómez-Rodríguez and Fernández-González (2015), Table 2: Covington's parser with static and dynamic oracle."""

from collections.abc import Sequence
from statistics import fmean

from dodona.experiments.comparisons import mark_of, mean, randomization_p
from dodona.experiments.plan import Condition, Grid, Plan, Recipe, as_in_the_papers
from dodona.experiments.records import Records
from dodona.tables import Cell, Table, Value

CONDITIONS = {oracle: Condition(as_in_the_papers("covington", oracle)) for oracle in ("static", "dynamic")}
SCORES = ("UAS", "LAS")
LEVELS = ((0.05, "*"),)


def report(plan: Plan, records: Records) -> Sequence[Table]:
    """Treebanks in rows, as the paper has them."""
    grid = Grid(plan, CONDITIONS)
    rows: list[Sequence[Cell | Value]] = []
    whole = []
    for treebank in plan.trainable:
        static, dynamic = (grid.records(records, treebank, oracle) for oracle in CONDITIONS)
        means = [mean(own, "test", score) for own in (static, dynamic) for score in SCORES]
        marks = [mark_of(randomization_p(static, dynamic, "test", score), LEVELS) for score in SCORES]
        cells = []
        for value, rival, mark in zip(means, means[2:] + means[:2], ["", "", *marks], strict=True):
            is_better = value is not None and rival is not None and value > rival
            cells.append(Cell(value, mark, "strong") if is_better else Cell(value))
        rows.append([treebank.name, *cells])
        if static and dynamic:
            whole.append([value or 0.0 for value in means])
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
    runs=lambda plan: Grid(plan, CONDITIONS).runs(),
    report=report,
)
