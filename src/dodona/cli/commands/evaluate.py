"""`dodona evaluate`: scores of a parse, error analysis, and significance of the difference between two parses."""

from collections.abc import Iterator, Sequence

import click
import numpy as np
from numpy.typing import NDArray

from dodona import FormatError, MismatchError
from dodona.cli.options import flag, integer, option
from dodona.cli.outputs import choose_format, format_option, output_option, say, write_results
from dodona.cli.progress import ReadingProgress
from dodona.data import Sentence
from dodona.data.files import output as open_output
from dodona.data.marks import is_annotated
from dodona.drawing.trees import OTHER_HEAD, OTHER_LABEL, draw_both
from dodona.evaluation import (
    Comparison,
    Rate,
    Score,
    Scores,
    attachment,
    by_distance,
    by_length,
    by_relation,
    compare,
    differences,
    evaluate,
)
from dodona.evaluation.attachment import (
    Confusion,
    Flaws,
    find_reordering,
    head_confusion,
    label_confusion,
    tag_confusion,
    worst_sentences,
)
from dodona.evaluation.calibration import SHARES, Reliability, confidences, count_found_errors, reliability
from dodona.evaluation.diagrams import calibration_diagram, check_can_draw
from dodona.evaluation.significance import SHUFFLES
from dodona.tables import FOR_PEOPLE, FORMATS, NO_DATA, Result, Table, Value, make_printable, open_console

BREAKDOWNS = ("relation", "length", "distance")
ARC_COLUMNS = ("", "gold", "system", "correct", "precision", "recall", "F1")
BAR = 20  # characters
POINTS = [k / 100 for k in range(101)]  # of the curve in a diagram
MAX_CONFUSIONS = 20  # that people see
WIDTH = 120  # of trees in a file

Row = tuple[Value, ...]


@click.command("evaluate", short_help="Score a parse against gold trees, or compare two.")
@click.argument("gold")
@click.argument("system")
@click.argument("system2", required=False)
@option("--by", "Also show where the errors are; repeatable.", multiple=True, type=click.Choice(BREAKDOWNS))
@flag("--calibration", "Compare the confidence in MISC (`dodona parse --confidence`) with accuracy.")
@option("--diagram FILE.svg", "Do that, and draw it as a diagram, too.")
@flag("--confusion", "Show what is taken for what, and the worst sentences with both trees.")
@integer("--worst", "With --confusion: how many sentences.", default=5, least=0)
@integer("--shuffles", "How often approximate randomization swaps the outputs of SYSTEM and SYSTEM2.", default=SHUFFLES)
@integer("--seed", "Random seed of these swaps.", default=1, least=0)
@output_option()
@format_option(FORMATS, "table")
def evaluate_command(
    gold: str, system: str, system2: str | None, by: tuple[str, ...], calibration: bool, diagram: str | None,
    confusion: bool, worst: int, shuffles: int, seed: int, target: str, form: str | None,
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
    dodona evaluate gold.conllu parsed.conllu -o scores.md
    dodona evaluate gold.conllu one.conllu other.conllu --format json
    """
    form = choose_format(target, form, FORMATS, "table")
    files = [gold, system] if system2 is None else [gold, system, system2]
    if files.count("-") > 1:
        raise click.UsageError("Only one file can be '-', standard input.")
    if diagram is not None:
        check_can_draw()
        choose_format(diagram, None, ["svg"], "svg", "--diagram")
    progress = ReadingProgress(files, results=False)
    gold_sentences = _tell_partial(gold, _sentences(gold, progress))
    calibration = calibration or diagram is not None
    missing = _without_gold(gold_sentences)
    results, comparisons, calibrated = [], [], []
    for file in files[1:]:
        sentences = _sentences(file, progress, gold_sentences)
        tables, drawings = [_scores_table(evaluate(gold_sentences, sentences), missing)], list[str]()
        try:
            comparison = compare(gold_sentences, sentences)
        except MismatchError as error:
            if by or calibration or confusion or system2 is not None:
                raise
            say(f"other words than in gold, so no attachment scores: {error}")
        else:
            comparisons.append(comparison)
            tables.append(_attachment_table(comparison))
            tables += [_breakdown_table(kind, comparison) for kind in BREAKDOWNS if kind in by]
            if calibration:
                sure = confidences(sentences)[comparison.counted]
                calibrated.append((file, comparison, sure))
                tables += [_reliability_table(reliability(comparison, sure)), _found_errors_table(comparison, sure)]
            if confusion:
                both = gold_sentences, sentences
                flawed = worst_sentences(comparison, worst)
                tables += _confusion_tables(comparison, *both, form in FOR_PEOPLE)
                tables.append(_worst_table(flawed, *both, trees=form not in FOR_PEOPLE))
                drawings += _draw_worst(flawed, *both, open_console().width if target == "-" else WIDTH)
        results.append(Result([file], tables, drawings))
    if system2 is not None:
        first, second = comparisons
        results.append(Result([system, system2], [_significance_table(first, second, shuffles, seed)]))
    if diagram is not None:
        _write_diagram(calibrated, diagram)
    write_results(results, form, target, "Evaluation")


def _sentences(file: str, progress: ReadingProgress, gold: Sequence[Sentence] = ()) -> list[Sentence]:
    """The sentences of a file; those of gold in another order are an error, which scores would not explain."""
    with progress:
        sentences = list(progress.read_sentences(file))
    if not sentences:
        raise FormatError(f"{file}: no sentences; expected CoNLL-U with at least one")
    reordering = find_reordering(gold, sentences)
    if reordering is not None:
        raise MismatchError(reordering)
    return sentences


def _tell_partial(gold: str, sentences: list[Sentence]) -> list[Sentence]:
    """Return the sentences of gold; say how much of them is only a guess, so that it is not scored."""
    guesses = sum(is_annotated(sentence, "arc").count(False) for sentence in sentences)
    if guesses:
        total = sum(map(len, sentences))
        say(f"{gold}: the arcs of {guesses:,} of {total:,} words are guesses (# annotation = open), and left out")
    return sentences


def _arc_row(name: str, s: Score) -> Row:
    rates = Rate(s.correct, s.system), Rate(s.correct, s.gold), Rate(2 * s.correct, s.gold + s.system)
    return (name, s.gold, s.system, s.correct, *(rate.percent for rate in rates))


def _without_gold(sentences: list[Sentence]) -> list[str]:
    """The scores of columns that gold does not have: that the system left them empty, too, is no success."""
    empty = {name for name in ("upos", "xpos", "feats", "lemmas") if all(one.lacks(name) for one in sentences)}
    of = {"UPOS": {"upos"}, "XPOS": {"xpos"}, "UFeats": {"feats"}, "AllTags": {"upos", "xpos", "feats"}}
    return [name for name, columns in (of | {"Lemmas": {"lemmas"}}).items() if columns <= empty]


def _scores_table(scores: Scores, missing: list[str]) -> Table:
    columns = (*ARC_COLUMNS, "aligned accuracy")
    rows: list[Row] = []
    for name, score in scores.items():
        row = (*_arc_row(name, score), Rate(score.correct, score.aligned or 0).percent)
        rows.append((name, *[None] * (len(row) - 1)) if name in missing else row)
    return Table(columns, rows, "CoNLL 2018 scores", "scores")


def _attachment_table(comparison: Comparison) -> Table:
    counted = attachment(comparison), attachment(comparison, punctuation=False)
    rows: list[Row] = [
        ("words", *(rates["UAS"].total for rates in counted)),
        ("sentences", *(rates["UAS exact match"].total for rates in counted)),
        *((name, *(rates[name].percent for rates in counted)) for name in counted[0]),
    ]
    return Table(("", "all words", "without punctuation"), rows, "Attachment, full labels", "attachment")


def _breakdown_table(kind: str, comparison: Comparison) -> Table:
    if kind != "length":
        scores = by_relation(comparison) if kind == "relation" else by_distance(comparison)
        return Table(ARC_COLUMNS, [_arc_row(*item) for item in scores.items()], f"Arcs by {kind}", kind)
    rows: list[Row] = [
        (name, bin.exact_match.total, bin.las.total, bin.uas.percent, bin.las.percent, bin.exact_match.percent)
        for name, bin in by_length(comparison).items()
    ]
    columns = ("", "sentences", "words", "UAS", "LAS", "LAS exact match")
    return Table(columns, rows, "Sentences by length", kind)


def _significance_table(first: Comparison, second: Comparison, shuffles: int, seed: int) -> Table:
    rows: list[Row] = []
    for name, difference in differences(first, second, shuffles=shuffles, seed=seed).items():
        a, b, ranks = difference.first, difference.second, difference.wilcoxon
        change = Rate(b.correct - a.correct, a.total).percent
        rows.append((name, a.percent, b.percent, change, ranks.differing, difference.randomization_p, ranks.p))
    columns = ("", "first", "second", "difference", "sentences differing", "p randomization", "p Wilcoxon")
    return Table(columns, rows, f"Significance, {shuffles} shuffles", "significance", decimals=4)


def _reliability_table(measured: Reliability) -> Table:
    rows: list[Row] = []
    for one in measured.bins:
        name = f"{one.low:.2f}-{one.high:.2f}" if one.low < 1 else "1.00"
        numbers = 100 * one.confidence, 100 * one.accuracy, 100 * (one.confidence - one.accuracy)
        rows.append((name, one.arcs, *numbers, _draw_bar(one.accuracy, one.confidence)))
    error, brier = (
        NO_DATA if value is None else f"{factor * value:.{digits}f}{unit}"
        for value, factor, digits, unit in ((measured.error, 100, 2, " %"), (measured.brier, 1, 4, ""))
    )
    title = f"Calibration (expected calibration error {error}, Brier score {brier})"
    columns = ("", "arcs", "confidence", "accuracy", "difference", "accuracy, ◆ confidence")
    return Table(columns, rows, title, "calibration", align="lrrrrb")


def _found_errors_table(comparison: Comparison, sure: NDArray[np.float64]) -> Table:
    rows: list[Row] = []
    for one in count_found_errors(comparison, sure, SHARES):
        shares = one.in_words.percent, one.in_sentences.percent
        bar = "" if shares[0] is None else _draw_bar(shares[0] / 100, one.share)
        rows.append((f"{100 * one.share:g} %", one.words, one.in_words.correct, *shares, bar))
    columns = ("", "words read", "errors", "errors found", "in whole sentences", "errors found, ◆ by chance")
    return Table(columns, rows, "Errors found by reading the least sure part", "errors_found", align="lrrrrb")


def _write_diagram(calibrated: Sequence[tuple[str, Comparison, NDArray[np.float64]]], target: str) -> None:
    systems = [(name, reliability(c, sure), count_found_errors(c, sure, POINTS)) for name, c, sure in calibrated]
    with open_output(target) as out:
        out.write(calibration_diagram(systems))


def _draw_bar(value: float, mark: float) -> str:
    """Draw a share as a bar, with a mark where another share would end."""
    filled = round(BAR * value)
    bar = ["█"] * filled + ["·"] * (BAR - filled)
    bar[min(BAR - 1, int(BAR * mark))] = "◆"
    return "".join(bar)


def _confusion_tables(
    comparison: Comparison, gold: Sequence[Sentence], system: Sequence[Sentence], for_people: bool
) -> list[Table]:
    """Return confusions, and heads by direction and distance.

    People see the most frequent ones; programs get all, and the matrices of relations and tags, which are too wide to
    be looked at.
    """
    labels, tags = label_confusion(comparison), tag_confusion(gold, system)
    most = MAX_CONFUSIONS if for_people else None
    tables = [
        _mistakes_table("confused relations", "Relations confused, gold → system", labels, most),
        _mistakes_table("confused UPOS", "UPOS confused, gold → system", tags, most),
        _heads_table(head_confusion(comparison)),
    ]
    if not for_people:
        tables.append(_matrix("relations by relations", "Relations, gold by system", labels))
        tables.append(_matrix("UPOS by UPOS", "UPOS, gold by system", tags))
    return tables


def _mistakes_table(name: str, title: str, confusion: Confusion, most: int | None) -> Table:
    has_heads = confusion.right_heads is not None
    rows: list[Row] = [
        (f"{one.gold} → {one.system}", one.words, 100 * one.share, *((one.right_head,) if has_heads else ()))
        for one in confusion.mistakes()[:most]
    ]
    return Table(("", "words", "% of gold", *(("head correct",) if has_heads else ())), rows, title, name)


def _matrix(name: str, title: str, confusion: Confusion) -> Table:
    rows: list[Row] = [(gold, *confusion.row(gold)) for gold in confusion.names]
    return Table(("", *confusion.names), rows, title, name)


def _heads_table(confusion: Confusion) -> Table:
    right = confusion.right_heads or {}
    rows: list[Row] = []
    for name in confusion.names:
        counts = confusion.row(name)
        rows.append((name, *counts, sum(counts), Rate(right.get((name, name), 0), sum(counts)).percent))
    return Table(("", *confusion.names, "words", "UAS"), rows, "Where heads are, gold by system", "heads")


def _worst_table(worst: Sequence[Flaws], gold: Sequence[Sentence], system: Sequence[Sentence], trees: bool) -> Table:
    """Return the worst sentences, with `trees` as text too."""
    rows: list[Row] = []
    for one in worst:
        numbers = (one.words, one.wrong_heads, one.wrong_labels, 100 * (1 - one.wrong_arcs / one.words))
        sides = gold[one.sentence], system[one.sentence]
        name = None if sides[0].sent_id is None else make_printable(sides[0].sent_id)
        more = (name, make_printable(" ".join(sides[0].words)), *map(_write_tree, sides)) if trees else ()
        rows.append((str(one.sentence + 1), *numbers, *more))
    columns = ["", "words", "other head", "other relation", "LAS", "sent_id", "text", "gold", "system"]
    return Table(columns if trees else columns[:5], rows, "Worst sentences", "worst sentences")


def _write_tree(sentence: Sentence) -> str:
    """Heads and relations, word by word."""
    return make_printable(" ".join(map("{}:{}".format, sentence.heads, sentence.labels)))


def _draw_worst(
    worst: Sequence[Flaws], gold: Sequence[Sentence], system: Sequence[Sentence], width: int
) -> Iterator[str]:
    for one in worst:
        sentence = gold[one.sentence]
        name = f" ({sentence.sent_id})" if sentence.sent_id else ""
        location = f"{sentence.file}:{sentence.line}: sentence {one.sentence + 1}{name}"
        marks = f"{OTHER_HEAD} {one.wrong_heads} other heads, {OTHER_LABEL} {one.wrong_labels} other relations only"
        yield make_printable(f"{location}; of {one.words} words, {marks}")
        yield from (line for line, _ in draw_both(sentence, system[one.sentence], width))
        yield ""
