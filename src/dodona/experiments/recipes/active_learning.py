"""What to annotate next: how many words have to be annotated until a parser is nearly as good as with all of them."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any

from dodona.experiments.active import ARCS, GOAL, RANDOM, SENTENCES, find_crossing
from dodona.experiments.figures import Curves, Figure
from dodona.experiments.plan import Condition, Grid, Plan, Recipe
from dodona.experiments.records import Records
from dodona.experiments.treebanks import Treebank
from dodona.parser.options import ParserOptions
from dodona.tables import Table, Value

ITERATIONS = 5
ORDERS = (*SENTENCES, *ARCS)
PERCENTS = range(1, 101)  # of the words of the training part
CONDITIONS = {order: Condition(ParserOptions(iterations=ITERATIONS), (f"active, {order}",)) for order in ORDERS}


def report(plan: Plan, records: Records) -> Sequence[Table | Figure]:
    treebanks = plan.trainable
    words: list[list[Value]] = []
    shares: list[list[Value]] = []
    panels: dict[str, dict[str, list[float | None]]] = {treebank.name: {} for treebank in treebanks}
    usual = [_mean_words(plan, records, treebank, RANDOM) for treebank in treebanks]
    for order in ORDERS:
        means = [_mean_words(plan, records, treebank, order) for treebank in treebanks]
        words.append([order, *(None if each is None else round(sum(each)) for each in means)])
        with_start, without = (_percents(means, usual, skipped) for skipped in (0, 1))
        shares.append([order, *with_start, _mean(with_start), *without, _mean(without)])
        for treebank in treebanks:
            panels[treebank.name][order] = _mean_curve(plan, records, treebank, order)
    names = [treebank.name for treebank in treebanks]
    goal = f"the LAS of the whole training part less {GOAL}"
    note = "With the sentences that are annotated first, the same ones in every order."
    columns = ("order", *names, "mean", *(f"{name}, then" for name in (*names, "mean")))
    notes = (note, "“Then”: without them, what is left to annotate.")
    return [
        Table(("order", *names), words, f"Words to annotate for {goal}", "words", (note,)),
        Table(columns, shares, "Words to annotate in percent of random order", "shares", notes),
        Curves("curves", "LAS by annotated words", "words in percent of the training part", "LAS on test", panels),
    ]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None


def _percents(
    means: Sequence[tuple[float, float] | None], usual: Sequence[tuple[float, float] | None], skipped: int
) -> list[float | None]:
    pairs = zip(means, usual, strict=True)
    return [None if a is None or b is None else 100 * sum(a[skipped:]) / max(1, sum(b[skipped:])) for a, b in pairs]


def _read(grid: Grid, records: Records, treebank: Treebank, order: str) -> list[Any]:
    return [record.result(f"active, {order}") for record in grid.records(records, treebank, order)]


def _mean_words(plan: Plan, records: Records, treebank: Treebank, order: str) -> tuple[float, float] | None:
    """The words that are annotated first, and those that follow, in the mean over seeds; None if one of these is
    missing, or has not reached the goal."""
    grid = Grid(plan, CONDITIONS)
    found = _read(grid, records, treebank, order)
    first = [each["curve"][0][0] for each in found]
    all_words = [find_crossing(each["curve"], each["whole"] - GOAL) for each in found]
    reached = [words for words in all_words if words is not None]
    is_whole = reached and len(reached) == len(grid.cell(treebank, order))
    return (fmean(first), fmean(reached) - fmean(first)) if is_whole else None


def _mean_curve(plan: Plan, records: Records, treebank: Treebank, order: str) -> list[float | None]:
    """The mean LAS at each percent of the words, where all seeds have one."""
    found = _read(Grid(plan, CONDITIONS), records, treebank, order)
    means: list[float | None] = []
    for percent in PERCENTS:
        scores = [_score_at(each["curve"], each["words"] * percent / 100) for each in found]
        known = [score for score in scores if score is not None]
        means.append(fmean(known) if known and len(known) == len(scores) else None)
    return means


def _score_at(curve: Sequence[Sequence[float]], words: float) -> float | None:
    for (before, low), (after, high) in pairwise(curve):
        if before <= words <= after:
            return low + (high - low) * (words - before) / max(1, after - before)
    return None


RECIPE = Recipe(
    name="active-learning",
    paper="Dodona",
    shows="Words that a person has to annotate, by what is annotated next: whole sentences and single arcs.",
    paper_claim="What the parser doubts should teach it more than what comes by chance, and single arcs most of all.",
    runs=lambda plan: Grid(plan, CONDITIONS).runs(),
    report=report,
)
