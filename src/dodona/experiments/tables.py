"""Tables of numbers: on the screen, as CSV, Markdown and LaTeX."""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table as RichTable
from rich.text import Text

__all__ = ["DASH", "Cell", "Row", "Table", "csv_text", "latex", "markdown", "screen", "with_best"]

Value = float | int | str | None
LATEX = {"&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "$": r"\$", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}"}
MARKS = {"*": "$^{*}$", "†": r"$^{\dagger}$", "‡": r"$^{\ddagger}$"}
DASH = "–"


@dataclass(frozen=True)
class Cell:
    """A number with its mark (significance), and whether it is the best of its column."""

    value: Value
    mark: str = ""
    best: bool = False
    signed: bool = False  # a difference: with a plus

    def shown(self, decimals: int) -> str:
        if self.value is None:
            return DASH
        if isinstance(self.value, float):
            return f"{self.value:{'+' if self.signed else ''}.{decimals}f}"
        return f"{self.value:,}" if isinstance(self.value, int) else self.value


@dataclass(frozen=True)
class Row:
    label: str
    cells: tuple[Cell, ...]
    rule: bool = False  # a line before it


@dataclass(frozen=True)
class Table:
    """What is shown, in whatever form. `notes` say what the marks mean and how the numbers came about."""

    name: str
    title: str
    columns: tuple[str, ...]  # that of the labels first
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    decimals: int = 2

    def noted(self, *notes: str) -> "Table":
        return replace(self, notes=(*self.notes, *notes))


def with_best(table: Table, groups: Sequence[Sequence[int]] | None = None) -> Table:
    """Mark the highest number of each column, or of each column within groups of rows."""
    rows = list(table.rows)
    for group in groups or [range(len(rows))]:
        for column in range(len(table.columns) - 1):
            values = {i: rows[i].cells[column].value for i in group}
            numbers = [value for value in values.values() if isinstance(value, float)]
            for i in group:
                if len(numbers) > 1 and values[i] == max(numbers):
                    cells = list(rows[i].cells)
                    cells[column] = replace(cells[column], best=True)
                    rows[i] = replace(rows[i], cells=tuple(cells))
    return replace(table, rows=tuple(rows))


def screen(table: Table) -> Group:
    """For the terminal: the best in bold."""
    drawn = RichTable(box=SIMPLE_HEAD, pad_edge=False)
    for i, column in enumerate(table.columns):
        drawn.add_column(column, justify="right" if i else "left", no_wrap=True)
    for before, row in zip([None, *table.rows], table.rows, strict=False):
        if row.rule and before is not None:
            drawn.add_section()
        cells = (Text(cell.shown(table.decimals) + cell.mark, style="bold" if cell.best else "") for cell in row.cells)
        drawn.add_row(Text(row.label), *cells)
    return Group(Text(table.title, style="bold"), drawn, *(Text(note, style="dim") for note in table.notes), "")


def csv_text(table: Table) -> str:
    """Plain numbers with six decimals, for other programs; marks are in columns of their own where there are any."""
    marked = {i for row in table.rows for i, cell in enumerate(row.cells) if cell.mark}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    head = [table.columns[0]]
    for i, column in enumerate(table.columns[1:]):
        head += [column, f"{column} mark"] if i in marked else [column]
    writer.writerow(head)
    for row in table.rows:
        line: list[Value] = [row.label]
        for i, cell in enumerate(row.cells):
            value = f"{cell.value:.6f}" if isinstance(cell.value, float) else cell.value
            line += [value, cell.mark] if i in marked else [value]
        writer.writerow(line)
    return text.getvalue()


def markdown(table: Table) -> str:
    def bold(text: str, cell: Cell) -> str:
        return (f"**{text}**" if cell.best else text) + cell.mark.replace("*", r"\*")

    lines = [f"**{table.title}**", "", *_piped(table, bold)]
    return "\n".join([*lines, "", *(f"{note}  " for note in table.notes)]).rstrip() + "\n"


def _piped(table: Table, styled: Callable[[str, Cell], str]) -> list[str]:
    lines = ["| " + " | ".join(table.columns) + " |", "|---" + "|---:" * (len(table.columns) - 1) + "|"]
    for row in table.rows:
        cells = [styled(cell.shown(table.decimals), cell) for cell in row.cells]
        lines.append("| " + " | ".join([row.label, *cells]).replace("\n", " ") + " |")
    return lines


def latex(table: Table) -> str:
    """A `tabular` with the rules of booktabs, and the notes as comments."""
    lines = [f"% {line}" for line in (table.title, *table.notes)]
    lines += [rf"\begin{{tabular}}{{l{'r' * (len(table.columns) - 1)}}}", r"\toprule"]
    lines.append(" & ".join(map(_escaped, table.columns)) + r" \\")
    lines.append(r"\midrule")
    for i, row in enumerate(table.rows):
        if row.rule and i:
            lines.append(r"\midrule")
        lines.append(" & ".join([_escaped(row.label), *(_latex(cell, table.decimals) for cell in row.cells)]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _latex(cell: Cell, decimals: int) -> str:
    text = _escaped(cell.shown(decimals)).replace(DASH, "--")
    return (rf"\textbf{{{text}}}" if cell.best else text) + MARKS.get(cell.mark, cell.mark)


def _escaped(text: str) -> str:
    return "".join(LATEX.get(c, c) for c in text)
