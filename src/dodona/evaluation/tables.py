"""Scores as tables of HTML, as notebooks show them."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from dodona.drawing.tables import Cell, Row, html_table

if TYPE_CHECKING:
    from dodona.evaluation.attachment import Rate
    from dodona.evaluation.confusion import Mistake
    from dodona.evaluation.conll18 import Score

__all__ = ["mistakes_html", "rates_html", "scores_html"]

NO_DATA = "–"


def scores_html(scores: Mapping[str, "Score"]) -> str:
    """Return a table with the numbers of items, and precision, recall and F1 in percent."""
    rows = [
        [
            Cell(name, "strong"),
            *(Cell(f"{count:,}", "number") for count in (score.gold, score.system, score.correct)),
            *map(_percent, (score.precision, score.recall, score.f1)),
        ]
        for name, score in scores.items()
    ]
    return html_table(("", "gold", "system", "correct", "precision", "recall", "F1"), rows)


def rates_html(rates: Mapping[str, Mapping[str, "Rate"]]) -> str:
    """Return a table with a column for each way of counting, in percent."""
    names = next(iter(rates.values()))
    rows: list[Row] = [
        [
            Cell(name, "strong"),
            *(_percent(kind[name].accuracy if kind[name].total else None) for kind in rates.values()),
        ]
        for name in names
    ]
    return html_table(("", *rates), rows)


def mistakes_html(mistakes: Iterable["Mistake"]) -> str:
    """Return a table of what was taken for what."""
    rows: list[Row] = [
        [one.gold, one.system, Cell(f"{one.words:,}", "number"), _percent(one.share)] for one in mistakes
    ]
    return html_table(("gold", "system", "words", "% of gold"), rows)


def _percent(share: float | None) -> Cell:
    return Cell(NO_DATA if share is None else f"{100 * share:.2f}", "number")
