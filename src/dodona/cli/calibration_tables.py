"""The tables of `dodona evaluate --calibration`, with bars, and its diagram as a file."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dodona.cli.tables import NO_DATA, Table, Value, percent
from dodona.data import Sentence
from dodona.data.files import output
from dodona.evaluation.attachment import Comparison
from dodona.evaluation.calibration import SHARES, Reliability, confidences, errors_found, reliability

__all__ = ["calibration_tables", "write_diagram"]

BAR = 20  # characters
POINTS = [k / 100 for k in range(101)]  # of the curve in a diagram


def calibration_tables(comparison: Comparison, sentences: Sequence[Sentence]) -> list[Table]:
    """Return confidence against accuracy, and the errors among the least sure words."""
    sure = confidences(sentences)
    return [_reliability_table(reliability(comparison, sure)), _found_table(comparison, sure)]


def write_diagram(systems: Sequence[tuple[str, Comparison, Sequence[Sentence]]], path: str) -> None:
    """Write the same as an SVG file: a row of two diagrams for each system."""
    from dodona.evaluation.diagrams import calibration_diagram

    rows = []
    for name, comparison, sentences in systems:
        sure = confidences(sentences)
        rows.append((name, reliability(comparison, sure), errors_found(comparison, sure, POINTS)))
    with output(path) as out:
        out.write(calibration_diagram(rows).encode())


def _reliability_table(found: Reliability) -> Table:
    rows: dict[str, tuple[Value, ...]] = {}
    bars = {}
    for one in found.bins:
        name = f"{one.low:.2f}-{one.high:.2f}" if one.low < 1 else "1.00"
        difference = 100 * (one.confidence - one.accuracy)
        rows[name] = one.arcs, 100 * one.confidence, 100 * one.accuracy, difference
        bars[name] = bar(one.accuracy, one.confidence)
    error, brier = (
        NO_DATA if value is None else f"{factor * value:.{digits}f}{unit}"
        for value, factor, digits, unit in ((found.error, 100, 2, " %"), (found.brier, 1, 4, ""))
    )
    title = f"Calibration (expected calibration error {error}, Brier score {brier})"
    columns = ("arcs", "confidence", "accuracy", "difference")
    return Table("calibration", title, columns, rows, pictures=("accuracy, ◆ confidence", bars))


def _found_table(comparison: Comparison, sure: NDArray[np.float64]) -> Table:
    rows: dict[str, tuple[Value, ...]] = {}
    bars = {}
    for one in errors_found(comparison, sure, SHARES):
        name = f"{100 * one.share:g} %"
        found = [percent(rate.correct, rate.total) for rate in (one.in_words, one.in_sentences)]
        rows[name] = one.words, one.in_words.correct, *found
        bars[name] = "" if found[0] is None else bar(found[0] / 100, one.share)
    title = "Errors found by reading the least sure part"
    columns = ("words read", "errors", "errors found", "in whole sentences")
    return Table("errors_found", title, columns, rows, pictures=("errors found, ◆ by chance", bars))


def bar(value: float, mark: float) -> str:
    """Draw a share as a bar, with a mark where another share would end."""
    filled = round(BAR * value)
    shown = ["█"] * filled + ["·"] * (BAR - filled)
    shown[min(BAR - 1, int(BAR * mark))] = "◆"
    return "".join(shown)
