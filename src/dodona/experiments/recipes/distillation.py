"""How much silver helps: students of several kinds, with more and more words that a teacher has parsed.

The teacher's parses are the part `silver` of a treebank: files that `dodona parse` or `dodona distill` has written.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from dodona.experiments.comparisons import mean
from dodona.experiments.figures import Figure, Scatter
from dodona.experiments.plan import Condition, Plan, Recipe
from dodona.experiments.records import Records
from dodona.experiments.run import Run
from dodona.experiments.treebanks import Treebank, count_words
from dodona.neural.options import NetworkOptions, check_network_can_learn
from dodona.parser.options import ParserOptions
from dodona.tables import Table, Value

SIZES = (0, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
STUDENTS: dict[str, dict[str, Any]] = {
    "linear": {},
    "one layer of 128": {"scorer": "neural", "network": NetworkOptions(layers=1, width=128, dropout=0.2)},
    "two layers of 160": {"scorer": "neural", "network": NetworkOptions(layers=2, width=160, dropout=0.25)},
}


def students(plan: Plan) -> list[str]:
    return [name for name, options in STUDENTS.items() if plan.neural or not options]


def sizes(treebank: Treebank) -> list[int]:
    """The amounts of silver that are tried: all that is there comes last."""
    words = count_words(treebank.silver)
    return [*(size for size in SIZES if size < words), words]


def cell(plan: Plan, treebank: Treebank, student: str, size: int) -> list[Run]:
    condition = Condition(ParserOptions(**STUDENTS[student]), ("dev", "test"), silver=size)
    return [plan.run(treebank, condition, seed) for seed in plan.seeds_of(condition.options)]


def runs(plan: Plan) -> Iterable[Run]:
    if plan.neural:
        check_network_can_learn()
    for treebank in _with_silver(plan):
        for student in students(plan):
            for size in sizes(treebank):
                yield from cell(plan, treebank, student, size)


def _with_silver(plan: Plan) -> list[Treebank]:
    return [treebank for treebank in plan.trainable if treebank.silver]


def report(plan: Plan, records: Records) -> Sequence[Table | Figure]:
    rows: list[tuple[Value, ...]] = []
    groups: dict[str, dict[str, tuple[float, float]]] = {}
    for treebank in _with_silver(plan):
        gold = count_words(treebank.train)
        for student in students(plan):
            for size in sizes(treebank):
                own = records.of(cell(plan, treebank, student, size))
                uas, las = (mean(own, "test", score) for score in ("UAS", "LAS"))
                rows.append((f"{treebank.name}, {student}, {size}", size, uas, las))
                if las is not None:
                    groups.setdefault(student, {})[treebank.name + f" + {size:,}"] = (gold + size, las)
    columns = ("treebank, student, silver words", "silver words", "UAS", "LAS")
    title = "Students by the number of silver words"
    note = "Test parts, all words. Silver words are learned from up to four times, and at most four for each gold one."
    axes = ("words of gold and silver", "LAS on test")
    return [
        Table(columns, rows, title, "distillation", (note,)),
        Scatter("silver-words", title, *axes, groups),
    ]


RECIPE = Recipe(
    name="distillation",
    paper="Dodona",
    shows="LAS of small and fast students by the number of words that a teacher has parsed for them.",
    paper_claim="Silver of the treebank's own kind should help all students, and the more of it the better.",
    runs=runs,
    report=report,
)
