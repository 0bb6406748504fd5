"""Honnibal, Goldberg and Johnson (2013), Tables 1 to 4: transitions that repair earlier decisions."""

from collections import Counter
from collections.abc import Iterable, Sequence

from dodona.experiments.comparisons import Accuracy, mean, seed_wilcoxon_p
from dodona.experiments.plan import Condition, Grid, Plan, Recipe, as_in_the_papers
from dodona.experiments.records import Records
from dodona.experiments.run import Run
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


def grid(plan: Plan) -> Grid:
    """Repairs are counted on dev, so without one they are not."""
    return Grid(plan, CONDITIONS)


def runs(plan: Plan) -> Iterable[Run]:
    return (run for run in grid(plan).runs() if run.treebank.dev)


def report(plan: Plan, records: Records) -> Sequence[Table]:
    return [
        *(_effect(plan, records, score) for score in ("UAS", "LAS")),
        _repairs(plan, records),
        _labels(plan, records),
        *(_test(plan, records, score) for score in ("UAS", "LAS")),
    ]


def _effect(plan: Plan, records: Records, score: str) -> Table:
    """Table 1: words (W) and whole sentences (S) on dev, a pair of columns for each treebank."""
    treebanks = [treebank for treebank in plan.trainable if treebank.dev]
    rows = []
    for condition in CONDITIONS:
        own = [grid(plan).records(records, treebank, condition) for treebank in treebanks]
        rows.append([condition, *(mean(each, "dev", s) for each in own for s in (score, f"{score} exact match"))])
    columns = ("", *(f"{treebank.name} {kind}" for treebank in treebanks for kind in "WS"))
    title = f"{score} of words (W) and whole sentences (S), dev"
    return Table(columns, rows, title, f"dev-{score.lower()}").mark_best()


def _repairs(plan: Plan, records: Records) -> Table:
    """Table 2: how often a word left the stack by a repair or by its alternative, rightly or wrongly, on all of dev."""
    counts = {kind: Counter[str]() for kind in ("LEFT", "REDUCE")}
    parsers = [r for t in plan.trainable if t.dev for r in grid(plan).records(records, t, BOTH)]
    for record in parsers:
        for kind, own in record.result("repairs")["counts"].items():
            counts[kind].update(own)
    total = counts["LEFT"] + counts["REDUCE"]
    rows = [
        (kind, *(numbers[name] / len(parsers) if parsers else None for name in DECISIONS))
        for kind, numbers in (*counts.items(), ("total", total))
    ]
    note = (
        "TP: repairs that add a gold arc; FP: other repairs; FN: missed repairs; TN: rightly no repair. No punctuation."
    )
    title = f"Repairs of {BOTH} on the dev parts: how often a parser repairs, mean over parsers"
    return Table(("", *DECISIONS), rows, title, "repairs", (note,), decimals=1, rules=frozenset([2]))


def _labels(plan: Plan, records: Records) -> Table:
    """Which relations are repaired: the label before and after."""
    counts: Counter[tuple[str, str]] = Counter()
    for treebank in plan.trainable:
        if treebank.dev:
            for record in grid(plan).records(records, treebank, BOTH):
                counts.update({(old, new): count for old, new, count in record.result("repairs")["labels"]})
    frequent = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_LABELS]
    rows = [(f"{old} → {new}", count) for (old, new), count in frequent]
    title = "Relations that are repaired rightly most often, all parsers and dev parts"
    return Table(("before → after", "repairs"), rows, title, "repaired-relations")


def _test(plan: Plan, records: Records, score: str) -> Table:
    """Tables 3 and 4."""
    accuracy = Accuracy(
        grid(plan), records, test=seed_wilcoxon_p, against=dict.fromkeys(MOVES, BASELINE), levels=((0.05, "†"),)
    )
    least = 2 / 2**plan.seeds
    note = f"† p < .05 against the baseline (Wilcoxon over seeds; with {plan.seeds} seeds, p is at least {least:.2g})."
    return accuracy.table(f"test-{score.lower()}", f"{score} with non-monotonic transitions", score).add_notes(note)


RECIPE = Recipe(
    name="nonmonotonic",
    paper="Honnibal, Goldberg & Johnson 2013, Tables 1 to 4",
    shows="Arc-eager against non-monotonic transitions: accuracy of words and sentences, how often repairs are used.",
    paper_claim="Both repairs help a little and their gains add up; repairs are rare, and mostly right when used.",
    runs=runs,
    report=report,
)
