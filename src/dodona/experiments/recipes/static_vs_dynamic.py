"""Goldberg and Nivre (2013), Table 1: three systems, each trained with its static and with its dynamic oracle."""

from collections.abc import Sequence

from dodona.experiments.comparisons import LEVEL_NOTE, Accuracy
from dodona.experiments.plan import Condition, Grid, Plan, Recipe, as_in_the_papers
from dodona.experiments.records import Records
from dodona.tables import Table

SYSTEMS = {"eager": "arc-eager", "hybrid": "arc-hybrid", "easy-first": "easy-first"}
CONDITIONS = {
    f"{short}: {oracle}": Condition(as_in_the_papers(system, oracle))  # k = 1 and p = 0.9 are the defaults
    for short, system in SYSTEMS.items()
    for oracle in ("static", "dynamic")
}


def report(plan: Plan, records: Records) -> Sequence[Table]:
    against = {f"{short}: dynamic": f"{short}: static" for short in SYSTEMS}
    accuracy = Accuracy(Grid(plan, CONDITIONS), records, against=against, groups=[(0, 1), (2, 3), (4, 5)])
    note = f"{LEVEL_NOTE} against the static oracle (approximate randomization). The better oracle is bold."
    title = "with static and dynamic oracles (k = 1, p = 0.9)"
    return [accuracy.table(s.lower(), f"{s} {title}", s).add_notes(note) for s in ("UAS", "LAS")]


RECIPE = Recipe(
    name="static-vs-dynamic",
    paper="Goldberg & Nivre 2013, Table 1",
    shows="Arc-eager, arc-hybrid and easy-first with static and dynamic oracles: UAS and LAS.",
    paper_claim="Exploration with a dynamic oracle raises accuracy for nearly every system and language.",
    runs=lambda plan: Grid(plan, CONDITIONS).runs(),
    report=report,
)
