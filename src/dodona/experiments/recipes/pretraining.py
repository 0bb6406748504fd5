"""What raw text is worth: networks with and without a pretrained encoder, on treebanks of several sizes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import fmean

from dodona.experiments.comparisons import Accuracy
from dodona.experiments.figures import Figure
from dodona.experiments.plan import Condition, Grid, Plan, Recipe
from dodona.experiments.records import Records
from dodona.experiments.run import Run
from dodona.neural.options import check_network_can_learn
from dodona.parser.options import ParserOptions
from dodona.tables import Table

SIZES = (100, 300, None)  # sentences to train on; None: all
MEASURES = ("dev", "test", "tags")
WAYS = {"plain": "sizes", "pretrained": "weights"}


def name_of(way: str, size: int | None) -> str:
    return f"{way}, {'all' if size is None else size} sentences"


def grid(plan: Plan) -> Grid:
    """For the treebanks whose language has an encoder."""
    own = tuple(treebank for treebank in plan.with_dev.treebanks if treebank.language in plan.encoders)
    conditions = {
        name_of(way, size): Condition(ParserOptions(scorer="neural"), MEASURES, "best", 0, encoder, size)
        for size in SIZES
        for way, encoder in WAYS.items()
    }
    return Grid(replace(plan, treebanks=own if plan.neural else ()), conditions)


def runs(plan: Plan) -> Iterable[Run]:
    own = grid(plan)
    if own.plan.treebanks:
        check_network_can_learn()
    return own.runs()


def report(plan: Plan, records: Records) -> Sequence[Table | Figure]:
    own = grid(plan)
    against = {name_of("pretrained", size): name_of("plain", size) for size in SIZES}
    groups = [[2 * i, 2 * i + 1] for i in range(len(SIZES))]
    accuracy = Accuracy(own, records, against=against, groups=groups)
    return [
        accuracy.table("las", "LAS of networks with and without raw text", "LAS"),
        accuracy.table("uas", "UAS of networks with and without raw text", "UAS"),
        _tag_table(own, records, groups),
    ]


def _tag_table(own: Grid, records: Records, groups: Sequence[Sequence[int]]) -> Table:
    """Tags by the heads of the network, which can replace those of the tagger."""
    rows = []
    for condition in own.conditions:
        cells = []
        for treebank in own.plan.treebanks:
            counts = [record.result("tags")["UPOS"] for record in own.records(records, treebank, condition)]
            cells.append(100 * fmean(right / total for right, total in counts) if counts else None)
        rows.append((condition, *cells))
    columns = ("", *(treebank.name for treebank in own.plan.treebanks))
    note = "Test parts, the tags that the network predicts."
    rules = frozenset(group[0] for group in groups)
    return Table(columns, rows, "UPOS of networks with and without raw text", "upos", (note,), rules=rules)


RECIPE = Recipe(
    name="pretraining",
    paper="Dodona",
    shows="Networks with and without an encoder that has learned from raw text, on 100, 300 and all sentences.",
    paper_claim="No paper; raw text should help most where the treebank is smallest.",
    runs=runs,
    report=report,
)
