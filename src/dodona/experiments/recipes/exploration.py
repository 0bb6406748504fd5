"""Goldberg and Nivre (2013), Figure 1: after how many iterations exploration begins (k), how much is explored (p)."""

from collections.abc import Sequence
from statistics import fmean

from dodona.experiments.comparisons import mean
from dodona.experiments.figures import Figure, HeatMaps
from dodona.experiments.plan import Condition, Grid, Plan, Recipe, as_in_the_papers
from dodona.experiments.records import Records
from dodona.tables import Table

KS = tuple(range(6))
PS = (0.0, 0.3, 0.6, 0.9)
CONDITIONS = {
    f"k={k} p={p:g}": Condition(as_in_the_papers("arc-eager", "dynamic", explore_after=k, explore=p))
    for k in KS
    for p in PS
}


def report(plan: Plan, records: Records) -> Sequence[Table | Figure]:
    grid = Grid(plan, CONDITIONS)
    maps = {
        treebank.name: [
            [mean(grid.records(records, treebank, f"k={k} p={p:g}"), "test", "UAS") for p in PS] for k in KS
        ]
        for treebank in plan.trainable
    }
    complete = [numbers for numbers in maps.values() if all(value is not None for row in numbers for value in row)]
    means = [
        (f"k = {k}", *(fmean(n[k][j] or 0.0 for n in complete) if complete else None for j in range(len(PS))))
        for k in KS
    ]
    columns = ("", *(f"p = {p:g}" for p in PS))
    title = f"UAS of arc-eager by k and p, mean over {len(complete)} treebanks, test"
    names = [f"{p:g}" for p in PS]
    return [
        Table(columns, means, title, "mean").mark_best(),
        HeatMaps("heat-maps", "UAS of arc-eager on test by k and p", "k", "p", list(map(str, KS)), names, maps),
    ]


RECIPE = Recipe(
    name="exploration",
    paper="Goldberg & Nivre 2013, Figure 1",
    shows="Heat maps of arc-eager's UAS over k = 0…5 and p = 0, .3, .6, .9.",
    paper_claim="To explore early and often is best: accuracy mostly grows with p and falls with k.",
    runs=lambda plan: Grid(plan, CONDITIONS).runs(),
    report=report,
)
