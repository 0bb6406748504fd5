"""Tables on terminals that are narrow: they get denser and longer, and no word or number is ever cut."""

from rich.console import Console
from rich.measure import Measurement
from rich.table import Column, Table

__all__ = ["fits", "print_whole"]


def print_whole(console: Console, table: Table) -> None:
    """Print a table. Where it is too wide for the terminal, lines are broken between words, those of the last columns
    first; where even that is too wide, by the terminal.

    By itself, rich would also cut words and numbers.
    """
    if _width(console, table, "maximum") > console.width:
        if not fits(console, table):
            table.padding = 0
        if not fits(console, table):
            table.show_edge = False
        spare = max(0, console.width - _width(console, table, "minimum"))
        for column in table.columns:
            least, most = _measured(console, column)
            column.width = min(most, least + spare)
            spare -= column.width - least
    width = console.width
    console.width = max(width, _width(console, table, "minimum"))
    console.print(table)
    console.width = width


def fits(console: Console, table: Table) -> bool:
    """Say whether each word of a table has room on a line."""
    return _width(console, table, "minimum") <= console.width


def _width(console: Console, table: Table, bound: str) -> int:
    columns = sum(getattr(_measured(console, column), bound) for column in table.columns)
    _, right, _, left = table.padding
    edge = 0 if table.pad_edge else left + right
    lines = len(table.columns) - 1 + 2 * table.show_edge if table.box else 0
    return int(columns + (left + right) * len(table.columns) - edge + lines)


def _measured(console: Console, column: Column) -> Measurement:
    """The widths of a column: its longest word, and its longest line."""
    wide = console.options.update(max_width=10_000)
    cells = [Measurement.get(console, wide, cell) for cell in (column.header, *column.cells)]
    least = [cell.maximum if column.no_wrap else cell.minimum for cell in cells]
    return Measurement(max(least), max(cell.maximum for cell in cells))
