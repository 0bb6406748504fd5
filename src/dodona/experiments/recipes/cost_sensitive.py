"""A remark in Goldberg and Nivre (2012): costs could also scale updates, by the passive-aggressive algorithm.

Its aggressiveness C is the one with the highest LAS on dev.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from dodona.experiments.accuracy import LEVEL_NOTE, Accuracy, marked
from dodona.experiments.comparisons import mean, randomization_p
from dodona.experiments.plan import Condition, Grid, Plan, as_in_the_papers
from dodona.experiments.recipe import Recipe
from dodona.experiments.records import Records
from dodona.experiments.run import Run
from dodona.experiments.tables import Cell, Row, Table, with_best
from dodona.experiments.treebanks import Treebank

PERCEPTRON = "perceptron"
RULES = {"PA, prediction-based": "pa", "PA, max-loss": "pa-max-loss"}
STRENGTHS = (0.001, 0.01, 0.1)  # with more than a hundred features, no update is larger
CONDITIONS = {PERCEPTRON: Condition(as_in_the_papers("arc-eager", "dynamic"))} | {
    f"{name}, C = {c:g}": Condition(as_in_the_papers("arc-eager", "dynamic", update=rule, aggressiveness=c))
    for name, rule in RULES.items()
    for c in STRENGTHS
}


def grid(plan: Plan) -> Grid:
    """On treebanks with a dev part."""
    return Grid(replace(plan, treebanks=tuple(t for t in plan.trainable if t.dev)), CONDITIONS)


def runs(plan: Plan) -> Iterable[Run]:
    return grid(plan).runs()


def report(plan: Plan, records: Records) -> Sequence[Table]:
    dev = Accuracy(grid(plan), records, part="dev").table("dev-las", "LAS on dev by update rule", "LAS")
    return [dev, *(_test(plan, records, score) for score in ("UAS", "LAS"))]


def _test(plan: Plan, records: Records, score: str) -> Table:
    treebanks = grid(plan).plan.trainable
    rows = [Row(PERCEPTRON, tuple(_cell(plan, records, t, PERCEPTRON, score) for t in treebanks))]
    for name in RULES:
        cells = []
        for treebank in treebanks:
            best = _best(plan, records, treebank, name)
            cells.append(Cell(None) if best is None else _cell(plan, records, treebank, best, score))
        rows.append(Row(name, tuple(cells)))
    columns = ("", *(treebank.name for treebank in treebanks))
    note = f"Test parts, all words, C tuned on dev. {LEVEL_NOTE} against the perceptron (approximate randomization)."
    title = f"{score} of arc-eager with a dynamic oracle by update rule"
    return with_best(Table(f"test-{score.lower()}", title, columns, tuple(rows), (note,)))


def _cell(plan: Plan, records: Records, treebank: Treebank, condition: str, score: str) -> Cell:
    found, base = (grid(plan).records(records, treebank, name) for name in (condition, PERCEPTRON))
    mark = marked(randomization_p(base, found, "test", score)) if condition != PERCEPTRON else ""
    return Cell(mean(found, "test", score), mark)


def _best(plan: Plan, records: Records, treebank: Treebank, name: str) -> str | None:
    """The condition with the best C; None if none is there."""
    scores = {
        condition: mean(grid(plan).records(records, treebank, condition), "dev", "LAS")
        for condition in (f"{name}, C = {c:g}" for c in STRENGTHS)
    }
    known = {condition: value for condition, value in scores.items() if value is not None}
    return max(known, key=lambda condition: known[condition]) if known else None


RECIPE = Recipe(
    name="cost-sensitive",
    paper="Goldberg & Nivre 2012, section 4",
    shows="The perceptron against passive-aggressive updates with costs: prediction-based and max-loss.",
    paper_claim="Costs help passive-aggressive learning, but the averaged perceptron is still clearly better.",
    runs=runs,
    report=report,
)
