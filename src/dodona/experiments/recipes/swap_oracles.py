"""The oracles of SwapStandard, greedy and with a beam: the runs that `swap` and `learning-curves` share."""

from collections.abc import Iterable
from typing import Any

from dodona.experiments.plan import Condition, Grid, Plan, as_in_the_papers
from dodona.experiments.run import Run

__all__ = ["ORACLES", "SEARCHES", "condition_name", "grid", "runs"]

NONDETERMINISTIC = ("ND-SW", "ND-ALL")
STATIC = ("EAGER", "LAZY", "MINIMAL")
ORACLES = (*NONDETERMINISTIC, *STATIC)
SEARCHES: dict[str, dict[str, Any]] = {
    "greedy": {},
    "beam": {"beam": 20, "update": "pa"},  # max-violation, passive-aggressive (section 5)
}


def condition_name(search: str, oracle: str) -> str:
    return f"{search} {oracle}"


CONDITIONS = {
    condition_name(search, oracle): Condition(
        as_in_the_papers("swap-standard", oracle.lower(), **options),
        measures=("dev", "test", "curve", "swaps"),
        keep="best",  # the number of iterations is tuned on dev
    )
    for search, options in SEARCHES.items()
    for oracle in ORACLES
}


def grid(plan: Plan) -> Grid:
    return Grid(plan, CONDITIONS)


def runs(plan: Plan) -> Iterable[Run]:
    return (run for run in grid(plan).runs() if run.treebank.dev)
