"""Honnibal, Goldberg and Johnson (2013), Tables 1 to 4: transitions that repair earlier decisions."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from dodona.experiments.comparisons import Accuracy, mean, seed_wilcoxon_p
from dodona.experiments.plan import Condition, Grid, Plan, Recipe, as_in_the_papers
from dodona.experiments.records import Record, Records
from dodona.experiments.treebanks import Treebank
from dodona.tables import Table

BASELINE, BOTH = "baseline", "NM L+D"
MOVES = {"NM L": "left", "NM D": "reduce", BOTH: "both"}
CONDITIONS = {BASELINE: Condition(as_in_the_papers("arc-eager", "dynamic"))} | {
    name: Condition(
        as_in_the_papers("nonmonotonic", "dynamic", system_options={"moves": moves}),
        ("dev", "test", "repairs") if name == BOTH else ("dev", "test"),
    )
    for name, moves in MOVES.items()
}
DECISIONS = ("TP", "FP", "TN", "FN")
MAX_LABELS = 15


def report(plan: Plan, records: Records) -> Sequence[Table]:
    """Repairs are counted on dev, so without one they are not."""
    own = plan.with_dev
    of = partial(Grid(own, CONDITIONS).records, records)
    repairs = [record.result("repairs") for treebank in own.treebanks for record in of(treebank, BOTH)]
    return [
        *(_effect(own, of, score) for score in ("UAS", "LAS")),
        _repairs([each["counts"] for each in repairs]),
        _labels([each["labels"] for each in repairs]),
        *(_test(plan, records, score) for score in ("UAS", "LAS")),
    ]


def _effect(plan: Plan, of: Callable[[Treebank, str], list[Record]], score: str) -> Table:
    """Table 1: words (W) and whole sentences (S) on dev, a pair of columns for each treebank."""
    kinds = {"W": score, "S": f"{score} exact match"}
    rows = [[c, *(mean(of(t, c), "dev", s) for t in plan.treebanks for s in kinds.values())] for c in CONDITIONS]
    columns = ("", *(f"{treebank.name} {kind}" for treebank in plan.treebanks for kind in kinds))
    title = f"{score} of words (W) and whole sentences (S), dev"
    return Table(columns, rows, title, f"dev-{score.lower()}").mark_best()


def _repairs(parsers: Sequence[Mapping[str, Mapping[str, int]]]) -> Table:
    """Table 2: how often a word left the stack by a repair or by its alternative, rightly or wrongly, on all of dev."""
    rows = []
    for name, kinds in (("LEFT", ["LEFT"]), ("REDUCE", ["REDUCE"]), ("total", ["LEFT", "REDUCE"])):
        sums = (sum(counts[kind][decision] for counts in parsers for kind in kinds) for decision in DECISIONS)
        rows.append((name, *(total / len(parsers) if parsers else None for total in sums)))
    note = (
        "TP: repairs that add a gold arc; FP: other repairs; FN: missed repairs; TN: rightly no repair. No punctuation."
    )
    title = f"Repairs of {BOTH} on the dev parts: how often a parser repairs, mean over parsers"
    return Table(("", *DECISIONS), rows, title, "repairs", (note,), decimals=1, rules=frozenset([2]))


def _labels(parsers: Sequence[Sequence[tuple[str, str, int]]]) -> Table:
    """Which relations are repaired: the label before and after."""
    counts: Counter[tuple[str, str]] = Counter()
    for labels in parsers:
        counts.update({(old, new): count for old, new, count in labels})
    frequent = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_LABELS]
    rows = [(f"{old} → {new}", count) for (old, new), count in frequent]
    title = "Relations that are repaired rightly most often, all parsers and dev parts"
    return Table(("before → after", "repairs"), rows, title, "repaired-relations")


def _test(plan: Plan, records: Records, score: str) -> Table:
    """Tables 3 and 4."""
    accuracy = Accuracy(
        Grid(plan, CONDITIONS),
        records,
        test=seed_wilcoxon_p,
        against=dict.fromkeys(MOVES, BASELINE),
        levels=((0.05, "†"),),
    )
    least = 2 / 2**plan.seeds
    note = f"† p < .05 against the baseline (Wilcoxon over seeds; with {plan.seeds} seeds, p is at least {least:.2g})."
    return accuracy.table(f"test-{score.lower()}", f"{score} with non-monotonic transitions", score).add_notes(note)


RECIPE = Recipe(
    name="nonmonotonic",
    paper="Honnibal, Goldberg & Johnson 2013, Tables 1 to 4",
    shows="Arc-eager against non-monotonic transitions: accuracy of words and sentences, how often repairs are used.",
    paper_claim="Both repairs help a little and their gains add up; repairs are rare, and mostly right when used.",
    runs=lambda plan: Grid(plan.with_dev, CONDITIONS).runs(),
    report=report,
)
