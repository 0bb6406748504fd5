"""A remark in Goldberg and Nivre (2012): costs could also scale updates, by the passive-aggressive algorithm.

Its aggressiveness C is the one with the highest LAS on dev.
"""

from collections.abc import Callable, Sequence
from functools import partial

from dodona.experiments.comparisons import LEVEL_NOTE, Accuracy, compare_means, mean
from dodona.experiments.plan import Condition, Grid, Plan, Recipe, as_in_the_papers
from dodona.experiments.records import Record, Records
from dodona.tables import Cell, Table

PERCEPTRON = "perceptron"
RULES = {"PA, prediction-based": "pa", "PA, max-loss": "pa-max-loss"}
STRENGTHS = (0.001, 0.01, 0.1)  # with more than a hundred features, no update is larger
CONDITIONS = {PERCEPTRON: Condition(as_in_the_papers("arc-eager", "dynamic"))} | {
    f"{name}, C = {c:g}": Condition(as_in_the_papers("arc-eager", "dynamic", update=rule, aggressiveness=c))
    for name, rule in RULES.items()
    for c in STRENGTHS
}


def report(plan: Plan, records: Records) -> Sequence[Table]:
    grid = Grid(plan.with_dev, CONDITIONS)
    dev = Accuracy(grid, records, part="dev").table("dev-las", "LAS on dev by update rule", "LAS")
    return [dev, *(_test(grid, records, score) for score in ("UAS", "LAS"))]


def _test(grid: Grid, records: Records, score: str) -> Table:
    treebanks = grid.plan.treebanks
    rows = [
        [name, *(_cell(partial(grid.records, records, t), name, score) for t in treebanks)]
        for name in (PERCEPTRON, *RULES)
    ]
    columns = ("", *(treebank.name for treebank in treebanks))
    note = f"Test parts, all words, C tuned on dev. {LEVEL_NOTE} against the perceptron (approximate randomization)."
    title = f"{score} of arc-eager with a dynamic oracle by update rule"
    return Table(columns, rows, title, f"test-{score.lower()}", (note,)).mark_best()


def _cell(of: Callable[[str], list[Record]], name: str, score: str) -> Cell | None:
    """That of the best C; None if there is no record of any."""
    scores = {condition: mean(of(condition), "dev", "LAS") for condition in CONDITIONS if condition.startswith(name)}
    known = {condition: value for condition, value in scores.items() if value is not None}
    return compare_means(of(PERCEPTRON), of(max(known, key=known.__getitem__)), "test", score) if known else None


RECIPE = Recipe(
    name="cost-sensitive",
    paper="Goldberg & Nivre 2012, section 4",
    shows="The perceptron against passive-aggressive updates with costs: prediction-based and max-loss.",
    paper_claim="Costs help passive-aggressive learning, but the averaged perceptron is still clearly better.",
    runs=lambda plan: Grid(plan.with_dev, CONDITIONS).runs(),
    report=report,
)
