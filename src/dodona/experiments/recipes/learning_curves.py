"""Björkelund and Nivre (2015), Figures 5 and 6: accuracy on dev, and swaps in training, by iteration."""

from collections.abc import Callable, Sequence
from statistics import fmean

from dodona.experiments.figures import Curves, Figure
from dodona.experiments.plan import Plan, Recipe
from dodona.experiments.recipes.swap import ORACLES, SEARCHES, condition_name, grid, training_runs
from dodona.experiments.records import Record, Records
from dodona.tables import Table


def report(plan: Plan, records: Records) -> Sequence[Table | Figure]:
    accuracy, swaps = "LAS on dev by iteration", "Swaps per sentence in training, by iteration"
    return [
        figure
        for search in SEARCHES
        for figure in (
            _curves(plan, records, search, f"las-{search}", f"{accuracy}, {search} search", "LAS on dev", _las),
            _curves(
                plan, records, search, f"swaps-{search}", f"{swaps}, {search} search", "swaps per sentence", _swaps
            ),
        )
    ]


def _curves(
    plan: Plan, records: Records, search: str, name: str, title: str, y_name: str,
    numbers: Callable[[Record], list[float]],
) -> Curves:  # fmt: skip
    panels = {}
    for treebank in plan.trainable:
        series = {}
        for oracle in ORACLES:
            own = grid(plan).records(records, treebank, condition_name(search, oracle)) if treebank.dev else []
            if own:
                series[oracle] = [fmean(point) for point in zip(*map(numbers, own), strict=True)]
        if series:
            panels[treebank.name] = series
    return Curves(name, title, "iteration", y_name, panels)


def _las(record: Record) -> list[float]:
    return [point["LAS"] for point in record.result("curve")]


def _swaps(record: Record) -> list[float]:
    counts = record.result("swaps")
    return [swaps / counts["sentences"] for swaps in counts["swaps"]]


RECIPE = Recipe(
    name="learning-curves",
    paper="Björkelund & Nivre 2015, Figures 5 and 6",
    shows="LAS on dev and swaps per sentence by iteration, for the five oracles of SwapStandard.",
    paper_claim="Oracles that swap too often learn worse: EAGER in German; in Hungarian ND-ALL, whose swaps grow.",
    runs=training_runs,
    report=report,
)
