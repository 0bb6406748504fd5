"""Gómez-Rodríguez and Fernández-González (2015), Table 2: Covington's parser with static and dynamic oracle."""

from collections.abc import Sequence
from statistics import fmean

from dodona.experiments.comparisons import mark_of, mean, randomization_p
from dodona.experiments.plan import Condition, Grid, Plan, Recipe, as_in_the_papers
from dodona.experiments.records import Records
from dodona.tables import Cell, Table, Value

CONDITIONS = {oracle: Condition(as_in_the_papers("covington", oracle)) for oracle in ("static", "dynamic")}
SCORES = ("UAS", "LAS")


def report(plan: Plan, records: Records) -> Sequence[Table]:
    """Treebanks in rows, as the paper has them."""
    grid = Grid(plan, CONDITIONS)
    rows: list[Sequence[Cell | Value]] = []
    whole = []
    for treebank in plan.trainable:
        static, dynamic = (grid.records(records, treebank, oracle) for oracle in CONDITIONS)
        values = [[mean(own, "test", score) for score in SCORES] for own in (static, dynamic)]
        cells: list[Cell] = []
        for oracle, own, rivals in (("static", values[0], values[1]), ("dynamic", values[1], values[0])):
            for score, value, rival in zip(SCORES, own, rivals, strict=True):
                is_better = value is not None and rival is not None and value > rival
                p = randomization_p(static, dynamic, "test", score) if is_better and oracle == "dynamic" else None
                cells.append(Cell(value, mark_of(p, ((0.05, "*"),)), "strong" if is_better else ""))
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
    runs=lambda plan: Grid(plan, CONDITIONS).runs(),
    report=report,
)
