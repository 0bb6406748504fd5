"""All systems, each with its best oracle and Dodona's defaults: linear greedy, linear with a beam, neural."""

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Any

from dodona.experiments.figures import Figure, Scatter
from dodona.experiments.plan import Condition, Grid, Plan, Recipe
from dodona.experiments.records import Records
from dodona.experiments.run import Run
from dodona.neural.options import check_network_can_learn
from dodona.parser.options import ParserOptions
from dodona.systems.registry import SYSTEMS
from dodona.tables import Table, Value

MEASURES = ("dev", "test", "speed")
SCORERS: dict[str, dict[str, Any]] = {
    "linear, greedy": {},
    "linear, beam": {"beam": 8},
    "neural": {"scorer": "neural"},
}


def conditions(plan: Plan) -> dict[tuple[str, str], Condition]:
    """By system and kind; easy-first has no beam."""
    return {
        (name, kind): Condition(ParserOptions(system=name, **options), MEASURES)
        for kind, options in SCORERS.items()
        for name, entry in SYSTEMS.items()
        if (entry.has_beam or "beam" not in options) and (plan.neural or kind != "neural")
    }


def grid(plan: Plan) -> Grid:
    return Grid(plan, {", ".join(place): condition for place, condition in conditions(plan).items()})


def runs(plan: Plan) -> Iterable[Run]:
    if plan.neural:
        check_network_can_learn()
    return grid(plan).runs()


def report(plan: Plan, records: Records) -> Sequence[Table | Figure]:
    rows: list[tuple[Value, ...]] = []
    rules = []
    groups: dict[str, dict[str, tuple[float, float]]] = {}
    for name, kind in conditions(plan):
        parsers = [grid(plan).records(records, treebank, f"{name}, {kind}") for treebank in plan.trainable]
        if not rows or rows[-1][1] != kind:
            rules.append(len(rows))
        if not all(parsers):
            rows.append((name, kind, None, None, None))
            continue
        uas, las = (fmean(fmean(r.percent("test", s) for r in own) for own in parsers) for s in ("UAS", "LAS"))
        speed = fmean(fmean(r.result("speed")["words_per_second"] for r in own) for own in parsers)
        rows.append((name, kind, uas, las, round(speed)))
        groups.setdefault(kind, {})[name] = (speed, las)
    columns = ("", "kind", "UAS", "LAS", "words per second")
    note = "Test parts, all words, mean over treebanks. Words per second of processor time, of the parser alone."
    title = "All systems with their best oracles and the default options"
    about = ("accuracy-and-speed", "Accuracy against speed, mean over treebanks", "words per second", "LAS on test")
    return [
        Table(columns, rows, title, "systems", (note,), rules=frozenset(rules)).mark_best(),
        Scatter(*about, groups),
    ]


RECIPE = Recipe(
    name="systems",
    paper="Dodona",
    shows="Every system with its best oracle: linear greedy, linear with a beam, neural; accuracy against speed.",
    paper_claim="No paper compares them all; networks should lead in accuracy and linear greedy parsers in speed.",
    runs=runs,
    report=report,
)
