"""Björkelund and Nivre (2015), Tables 1 to 5: static and non-deterministic oracles for SwapStandard, greedy and with a
beam; and of the same runs, Figures 5 and 6: accuracy on dev, and swaps in training, by iteration."""

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import Any

from dodona.experiments.comparisons import LEVEL_NOTE, Accuracy, mark_of, mean, sentence_wilcoxon_p
from dodona.experiments.figures import Curves, Figure
from dodona.experiments.plan import Condition, Grid, Plan, Recipe, as_in_the_papers
from dodona.experiments.records import Record, Records
from dodona.experiments.run import Run
from dodona.experiments.treebanks import Treebank
from dodona.tables import Cell, Table, Value

NONDETERMINISTIC = ("ND-SW", "ND-ALL")
STATIC = ("EAGER", "LAZY", "MINIMAL")
ORACLES = (*NONDETERMINISTIC, *STATIC)
SEARCHES: dict[str, dict[str, Any]] = {
    "greedy": {},
    "beam": {"beam": 20, "update": "pa"},  # max-violation, passive-aggressive (section 5)
}
STATISTICS = {
    "sentences": "sentences",
    "projective sentences %": "projective_sentences_percent",
    "EAGER swaps": "eager_swaps",
    "LAZY saves %": "lazy_reduction_percent",
    "MINIMAL saves %": "minimal_reduction_percent",
    "one derivation only %": "unique_derivation_percent",
}


CONDITIONS = {
    f"{search} {oracle}": Condition(
        as_in_the_papers("swap-standard", oracle.lower(), **options),
        measures=("dev", "test", "curve", "swaps"),
        keep="best",  # the number of iterations is tuned on dev
    )
    for search, options in SEARCHES.items()
    for oracle in ORACLES
}


def grid(plan: Plan) -> Grid:
    """On treebanks with a dev part: the number of iterations is tuned on it."""
    return Grid(plan.with_dev, CONDITIONS)


def runs(plan: Plan) -> Iterable[Run]:
    own = grid(plan)
    return [*(_measure(plan, treebank) for treebank in own.plan.treebanks), *own.runs()]


def _measure(plan: Plan, treebank: Treebank) -> Run:
    return plan.run(treebank, Condition(None, ("statistics",)))


def report(plan: Plan, records: Records) -> Sequence[Table]:
    own = grid(plan)
    return [
        _statistics(own.plan, records),
        *(_dev(own, records, search) for search in ("beam", "greedy")),
        *(_test(own, records, search) for search in ("beam", "greedy")),
    ]


def _statistics(plan: Plan, records: Records) -> Table:
    """Table 1."""
    measured = [records.of([_measure(plan, treebank)]) for treebank in plan.treebanks]
    rows = [
        (label, *(own[0].result("statistics")[name] if own else None for own in measured))
        for label, name in STATISTICS.items()
    ]
    columns = ("", *(treebank.name for treebank in plan.treebanks))
    return Table(columns, rows, "The training parts, and swaps that oracles need", "statistics")


def _dev(grid: Grid, records: Records, search: str) -> Table:
    """Tables 2 and 4."""
    conditions = [f"{search} {oracle}" for oracle in ORACLES]
    accuracy = Accuracy(grid, records, part="dev", conditions=conditions, groups=[(0, 1), (2, 3, 4)])
    note = "The best iteration of each parser. The best static and the best non-deterministic oracle are bold."
    return accuracy.table(f"dev-{search}", f"LAS on dev, {search} search", "LAS").add_notes(note)


def _test(grid: Grid, records: Records, search: str) -> Table:
    """Tables 3 and 5: for each treebank the static and the non-deterministic oracle that were best on dev."""
    columns: list[list[Cell | Value]] = []
    for treebank in grid.plan.treebanks:
        own = {oracle: grid.records(records, treebank, f"{search} {oracle}") for oracle in ORACLES}
        if not all(own.values()):
            columns.append([None] * 4)
            continue
        on_dev = {oracle: mean(of_oracle, "dev", "LAS") or 0.0 for oracle, of_oracle in own.items()}
        static, other = (max(oracles, key=on_dev.__getitem__) for oracles in (STATIC, NONDETERMINISTIC))
        before, after = (mean(own[oracle], "test", "LAS") or 0.0 for oracle in (static, other))
        mark = mark_of(sentence_wilcoxon_p(own[static], own[other], "test", "LAS"))
        columns.append([before, Cell(after - before, mark, signed=True), static, other])
    labels = ("static", "non-deterministic", "best static oracle", "best non-deterministic oracle")
    rows = [(label, *(column[i] for column in columns)) for i, label in enumerate(labels)]
    names = ("", *(treebank.name for treebank in grid.plan.treebanks))
    note = f"The oracles that are best on dev. {LEVEL_NOTE} (Wilcoxon's signed-rank test over sentences)."
    title = f"LAS on test, {search} search: the best static oracle, and what the best non-deterministic one adds"
    return Table(names, rows, title, f"test-{search}", (note,), rules=frozenset([2]))


def report_curves(plan: Plan, records: Records) -> Sequence[Table | Figure]:
    """Figures 5 and 6."""
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
    name="swap",
    paper="Björkelund & Nivre 2015, Tables 1 to 5",
    shows="SwapStandard with EAGER, LAZY, MINIMAL, ND-SW and ND-ALL, greedy and with a beam, on dev and test.",
    paper_claim="With a beam static oracles do as well; a greedy parser gains from ND-ALL, and fewer swaps are better.",
    runs=runs,
    report=report,
)

LEARNING_CURVES = Recipe(
    name="learning-curves",
    paper="Björkelund & Nivre 2015, Figures 5 and 6",
    shows="LAS on dev and swaps per sentence by iteration, for the five oracles of SwapStandard.",
    paper_claim="Oracles that swap too often learn worse: EAGER in German; in Hungarian ND-ALL, whose swaps grow.",
    runs=lambda plan: grid(plan).runs(),
    report=report_curves,
)
