"""`dodona evaluate`: scores of a parse, error analysis, and significance of the difference between two parses."""

import click

from dodona import FormatError, MismatchError
from dodona.cli.calibration_tables import calibration_tables, write_diagram
from dodona.cli.confusion import confusion_tables, worst_drawn
from dodona.cli.progress import Progress
from dodona.cli.tables import PRINTERS, Result, Table, Value, percent, terminal
from dodona.data import Sentence
from dodona.data.conllu import read_conllu
from dodona.data.files import chunks
from dodona.data.stream import only_sentences
from dodona.evaluation import (
    Comparison,
    Rate,
    Scores,
    attachment,
    by_distance,
    by_length,
    by_relation,
    compare,
    differences,
    evaluate,
)
from dodona.evaluation.significance import SHUFFLES

BREAKDOWNS = ("relation", "length", "distance")
ARC_COLUMNS = ("gold", "system", "correct", "precision", "recall", "F1")


@click.command("evaluate", short_help="Score a parse against gold trees, or compare two.")
@click.argument("gold")
@click.argument("system")
@click.argument("system2", required=False)
@click.option("--by", multiple=True, type=click.Choice(BREAKDOWNS), help="Also show where the errors are; repeatable.")
@click.option(
    "--calibration", is_flag=True, help="Compare the confidence in MISC (`dodona parse --confidence`) with accuracy."
)
@click.option("--diagram", metavar="FILE.svg", help="Do that, and draw it as a diagram, too.")
@click.option("--confusion", is_flag=True, help="Show what is taken for what, and the worst sentences with both trees.")
@click.option(
    "--worst",
    default=5,
    show_default=True,
    type=click.IntRange(0),
    metavar="N",
    help="With --confusion: how many sentences.",
)
@click.option(
    "--shuffles",
    default=SHUFFLES,
    show_default=True,
    type=click.IntRange(min=1),
    metavar="N",
    help="How often approximate randomization swaps the outputs of SYSTEM and SYSTEM2.",
)
@click.option(
    "--seed", default=1, show_default=True, type=click.IntRange(min=0), metavar="N", help="Random seed of these swaps."
)
@click.option(
    "--format",
    "output",
    default="table",
    show_default=True,
    type=click.Choice(list(PRINTERS)),
    help="Output format.",
)
def evaluate_command(
    gold: str, system: str, system2: str | None, by: tuple[str, ...], calibration: bool, diagram: str | None,
    confusion: bool, worst: int, shuffles: int, seed: int, output: str,
) -> None:  # fmt: skip
    """Score the trees and tags in SYSTEM against GOLD (CoNLL-U, `-` for standard input); compare it with SYSTEM2.

    The scores are those of the CoNLL 2018 shared task, for any tokenization of the same text. Where the words are the
    same, attachment scores with full labels and without punctuation follow. With SYSTEM2, a second output for the same
    words, the difference between the two is tested for significance.

    \b
    dodona evaluate gold.conllu parsed.conllu
    dodona evaluate gold.conllu parsed.conllu --by relation --by length
    dodona evaluate gold.conllu parsed.conllu --calibration --diagram calibration.svg
    dodona evaluate gold.conllu parsed.conllu --confusion --worst 10
    dodona evaluate gold.conllu one.conllu other.conllu --format json
    """
    files = [gold, system] if system2 is None else [gold, system, system2]
    if files.count("-") > 1:
        raise click.UsageError("Only one file can be '-', standard input.")
    progress = Progress(files, results=False)
    gold_sentences = _sentences(gold, progress)
    calibration = calibration or diagram is not None
    missing = _without_gold(gold_sentences)
    results, comparisons, drawn = [], [], []
    for file in files[1:]:
        sentences = _sentences(file, progress)
        tables, drawings = [_scores_table(evaluate(gold_sentences, sentences), missing)], list[str]()
        try:
            comparison = compare(gold_sentences, sentences)
        except MismatchError as error:
            if by or calibration or confusion or system2 is not None:
                raise
            click.echo(f"dodona: other words than in gold, so no attachment scores: {error}", err=True)
        else:
            comparisons.append(comparison)
            tables.append(_attachment_table(comparison))
            tables += [_breakdown_table(kind, comparison) for kind in BREAKDOWNS if kind in by]
            if calibration:
                tables += calibration_tables(comparison, sentences)
                drawn.append((file, comparison, sentences))
            if confusion:
                both = gold_sentences, sentences
                tables += confusion_tables(comparison, *both, worst, matrices=output != "table")
                drawings += worst_drawn(comparison, *both, worst, terminal().width)
        results.append(Result([file], tables, drawings))
    if system2 is not None:
        first, second = comparisons
        results.append(Result([system, system2], [_significance_table(first, second, shuffles, seed)]))
    if diagram is not None:
        write_diagram(drawn, diagram)
    PRINTERS[output](results)


def _sentences(file: str, progress: Progress) -> list[Sentence]:
    with progress:
        sentences = list(progress.counted(only_sentences(read_conllu(chunks(file, count=progress.read), file))))
    if not sentences:
        raise FormatError(f"{file}: no sentences; expected CoNLL-U with at least one")
    return sentences


def _arc_rows(scores: Scores) -> dict[str, tuple[Value, ...]]:
    return {
        name: (
            s.gold,
            s.system,
            s.correct,
            percent(s.correct, s.system),
            percent(s.correct, s.gold),
            percent(2 * s.correct, s.gold + s.system),
        )
        for name, s in scores.items()
    }


def _without_gold(sentences: list[Sentence]) -> list[str]:
    """The scores of columns that gold does not have: that the system left them empty, too, is no success."""
    empty = {name for name in ("upos", "xpos", "feats", "lemmas") if all(one.lacks(name) for one in sentences)}
    of = {"UPOS": {"upos"}, "XPOS": {"xpos"}, "UFeats": {"feats"}, "AllTags": {"upos", "xpos", "feats"}}
    return [name for name, columns in (of | {"Lemmas": {"lemmas"}}).items() if columns <= empty]


def _rate(rate: Rate) -> float | None:
    return percent(rate.correct, rate.total)


def _scores_table(scores: Scores, missing: list[str]) -> Table:
    rows: dict[str, tuple[Value, ...]] = {}
    for name, row in _arc_rows(scores).items():
        score = scores[name]
        rows[name] = (*row, percent(score.correct, score.aligned or 0))
        if name in missing:
            rows[name] = (None,) * len(rows[name])
    return Table("scores", "CoNLL 2018 scores", (*ARC_COLUMNS, "aligned accuracy"), rows)


def _attachment_table(comparison: Comparison) -> Table:
    counted = attachment(comparison), attachment(comparison, punctuation=False)
    rows: dict[str, tuple[Value, ...]] = {
        "words": tuple(rates["UAS"].total for rates in counted),
        "sentences": tuple(rates["UAS exact match"].total for rates in counted),
    }
    for name in counted[0]:
        rows[name] = tuple(_rate(rates[name]) for rates in counted)
    return Table("attachment", "Attachment, full labels", ("all words", "without punctuation"), rows)


def _breakdown_table(kind: str, comparison: Comparison) -> Table:
    if kind == "relation":
        return Table(kind, "Arcs by relation", ARC_COLUMNS, _arc_rows(by_relation(comparison)))
    if kind == "distance":
        return Table(kind, "Arcs by distance", ARC_COLUMNS, _arc_rows(by_distance(comparison)))
    rows: dict[str, tuple[Value, ...]] = {
        name: (
            group.exact_match.total,
            group.las.total,
            _rate(group.uas),
            _rate(group.las),
            _rate(group.exact_match),
        )
        for name, group in by_length(comparison).items()
    }
    return Table(kind, "Sentences by length", ("sentences", "words", "UAS", "LAS", "LAS exact match"), rows)


def _significance_table(first: Comparison, second: Comparison, shuffles: int, seed: int) -> Table:
    rows: dict[str, tuple[Value, ...]] = {}
    for name, found in differences(first, second, shuffles=shuffles, seed=seed).items():
        a, b = found.first, found.second
        rows[name] = (
            _rate(a),
            _rate(b),
            percent(b.correct - a.correct, a.total),
            found.wilcoxon.differing,
            found.randomization_p,
            found.wilcoxon.p,
        )
    columns = ("first", "second", "difference", "sentences differing", "p randomization", "p Wilcoxon")
    return Table("significance", f"Significance, {shuffles} shuffles", columns, rows, decimals=4)
