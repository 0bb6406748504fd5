"""A remark in Goldberg and Nivre (2012): costs could also scale updates, by the passive-aggressive algorithm.

Its aggressiveness C is the one with the highest LAS on dev.
"""

from collections.abc import Sequence
from dataclasses import replace

from dodona.experiments.comparisons import LEVEL_NOTE, Accuracy, mark_of, mean, randomization_p
from dodona.experiments.plan import Condition, Grid, Plan, Recipe, as_in_the_papers
from dodona.experiments.records import Records
from dodona.experiments.treebanks import Treebank
from dodona.tables import Cell, Table

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


def report(plan: Plan, records: Records) -> Sequence[Table]:
    dev = Accuracy(grid(plan), records, part="dev").table("dev-las", "LAS on dev by update rule", "LAS")
    return [dev, *(_test(plan, records, score) for score in ("UAS", "LAS"))]


def _test(plan: Plan, records: Records, score: str) -> Table:
    treebanks = grid(plan).plan.trainable
    rows = [[PERCEPTRON, *(_cell(plan, records, treebank, PERCEPTRON, score) for treebank in treebanks)]]
    for name in RULES:
        best = [_best(plan, records, treebank, name) for treebank in treebanks]
        rows.append([name, *(_cell(plan, records, *each, score) for each in zip(treebanks, best, strict=True))])
    columns = ("", *(treebank.name for treebank in treebanks))
    note = f"Test parts, all words, C tuned on dev. {LEVEL_NOTE} against the perceptron (approximate randomization)."
    title = f"{score} of arc-eager with a dynamic oracle by update rule"
    return Table(columns, rows, title, f"test-{score.lower()}", (note,)).mark_best()


def _cell(plan: Plan, records: Records, treebank: Treebank, condition: str | None, score: str) -> Cell | None:
    if condition is None:
        return None
    own, base = (grid(plan).records(records, treebank, name) for name in (condition, PERCEPTRON))
    mark = mark_of(randomization_p(base, own, "test", score)) if condition != PERCEPTRON else ""
    return Cell(mean(own, "test", score), mark)


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
    runs=lambda plan: grid(plan).runs(),
    report=report,
)
