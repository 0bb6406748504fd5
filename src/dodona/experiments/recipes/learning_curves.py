"""Björkelund and Nivre (2015), Figures 5 and 6: accuracy on dev, and swaps in training, by iteration."""

from collections.abc import Callable, Sequence
from statistics import fmean

from dodona.experiments.figures import Curves, Figure
from dodona.experiments.plan import Plan, Recipe
from dodona.experiments.recipes.swap import ORACLES, SEARCHES, grid
from dodona.experiments.records import Record, Records
from dodona.tables import Table


def report(plan: Plan, records: Records) -> Sequence[Table | Figure]:
    figures: list[Figure] = []
    for search in SEARCHES:
        las, swaps = (_panels(plan, records, search, numbers) for numbers in (_las, _swaps))
        title = f"LAS on dev by iteration, {search} search"
        figures.append(Curves(f"las-{search}", title, "iteration", "LAS on dev", las))
        title = f"Swaps per sentence in training, by iteration, {search} search"
        figures.append(Curves(f"swaps-{search}", title, "iteration", "swaps per sentence", swaps))
    return figures


def _panels(
    plan: Plan, records: Records, search: str, numbers: Callable[[Record], list[float]]
) -> dict[str, dict[str, list[float]]]:
    panels: dict[str, dict[str, list[float]]] = {}
    own_grid = grid(plan)
    for treebank in own_grid.plan.treebanks:
        for oracle in ORACLES:
            own = own_grid.records(records, treebank, f"{search} {oracle}")
            if own:
                means = [fmean(point) for point in zip(*map(numbers, own), strict=True)]
                panels.setdefault(treebank.name, {})[oracle] = means
    return panels


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
    runs=lambda plan: grid(plan).runs(),
    report=report,
)
