"""Tables as HTML and for LaTeX. They have no colours of their own, so that they fit any page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dodona.drawing.svg import escaped
from dodona.drawing.tikz import latex_text

__all__ = ["Cell", "Row", "html_table", "latex_table"]

STYLE = """\
.dodona-table { border-collapse: collapse; margin: .5em 0; }
.dodona-table caption { text-align: start; font-weight: bold; padding: .3em 0; white-space: nowrap; }
.dodona-table th, .dodona-table td { padding: .2em .7em; text-align: start; vertical-align: top;
  border-bottom: 1px solid rgba(128, 128, 128, .4); }
.dodona-table .number { text-align: right; font-variant-numeric: tabular-nums; }
.dodona-table td.faint { opacity: .75; }
.dodona-table td.strong { font-weight: bold; }"""


@dataclass(frozen=True)
class Cell:
    """A cell: its text, and `number`, `faint` or `strong`, or several of these."""

    text: str
    kind: str = ""


Row = Sequence[Cell | str]


def html_table(columns: Sequence[str], rows: Iterable[Row], caption: str = "") -> str:
    """Return a table as a part of a page."""
    rows = list(rows)
    kinds = ["number" if k in _number_columns(rows) else "" for k in range(len(columns))]
    lines = [f"<style>\n{STYLE}\n</style>", '<table class="dodona-table">']
    if caption:
        lines.append(f"<caption>{escaped(caption)}</caption>")
    if any(columns):
        heads = "".join(
            f'<th scope="col"{_named(kind)}>{escaped(column)}</th>' for column, kind in zip(columns, kinds, strict=True)
        )
        lines.append(f"<thead><tr>{heads}</tr></thead>")
    lines.append("<tbody>")
    lines += [f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in rows]
    return "\n".join([*lines, "</tbody>", "</table>", ""])


def _html_cell(cell: Cell | str) -> str:
    text, kind = (cell.text, cell.kind) if isinstance(cell, Cell) else (cell, "")
    return f'<td dir="auto"{_named(kind)}>{"<br>".join(map(escaped, text.splitlines()))}</td>'


def _named(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _number_columns(rows: Sequence[Row]) -> set[int]:
    """The columns in which every cell is a number."""
    columns = enumerate(zip(*rows, strict=True))
    return {k for k, cells in columns if all(isinstance(cell, Cell) and "number" in cell.kind for cell in cells)}


def latex_table(columns: Sequence[str], rows: Iterable[Row], caption: str = "") -> str:
    r"""Return a table for LaTeX: a `tabular`, which needs no packages, with its caption as a comment."""
    found = [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in rows]
    numbers = _number_columns(found)
    lines = [f"% {caption}"] if caption else []
    lines.append(rf"\begin{{tabular}}{{{''.join('r' if k in numbers else 'l' for k in range(len(columns)))}}}")
    lines += [r"\hline", " & ".join(map(latex_text, columns)) + r" \\", r"\hline"]
    lines += [" & ".join(map(_latex_cell, row)) + r" \\" for row in found]
    return "\n".join([*lines, r"\hline", r"\end{tabular}", ""])


def _latex_cell(cell: Cell) -> str:
    text = latex_text(" ".join(cell.text.splitlines()))
    return rf"\textbf{{{text}}}" if "strong" in cell.kind and text else text
