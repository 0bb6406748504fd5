"""Tables of numbers, as `dodona evaluate` prints them: for people, as JSON, and as tab-separated values."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import click
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from dodona.cli.fitting import print_whole

__all__ = ["NO_DATA", "PRINTERS", "Result", "Table", "Value", "percent", "terminal"]

NO_DATA = "–"
Value = int | float | str | None


@dataclass
class Table:
    """Named numbers, independent of the output format. Shares are in percent; None where there is no data."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: dict[str, tuple[Value, ...]]
    decimals: int = 2
    pictures: tuple[str, dict[str, str]] | None = None  # a column of bars for people: its name, and a bar for each row


@dataclass
class Result:
    """All tables about one file, or about two of them."""

    files: list[str]
    tables: list[Table]
    drawings: list[str] = field(default_factory=list)  # lines below the tables, where these are shown


def terminal(width: int = 120, stderr: bool = False) -> Console:
    """Return what tables are shown on; a file or a pipe has this width."""
    stream = sys.stderr if stderr else sys.stdout
    return Console(file=stream, width=None if stream.isatty() else width, highlight=False)


def show(results: list[Result]) -> None:
    console = terminal()
    for result in results:
        for table in result.tables:
            drawn = RichTable(title=Text(f"{table.title} · {' '.join(result.files)}"), title_justify="left")
            drawn.add_column("")
            for column in table.columns:
                drawn.add_column(column, justify="right")
            title, bars = table.pictures or ("", {})
            if table.pictures is not None:
                drawn.add_column(title, no_wrap=True)
            for name, values in table.rows.items():
                picture = [bars[name]] if table.pictures is not None else []
                drawn.add_row(Text(name), *(_cell(value, table.decimals) for value in values), *picture)
            if not table.rows:
                drawn.add_row(NO_DATA, *[NO_DATA] * len(table.columns))
            print_whole(console, drawn)
        for line in result.drawings:
            console.print(Text(line), no_wrap=True, crop=False, overflow="ignore")


def percent(part: float, whole: float) -> float | None:
    """Return a share in percent; None, which is shown as `–`, where there is nothing to have a share of."""
    return 100 * part / whole if whole else None


def _cell(value: Value, decimals: int) -> str:
    if value is None:
        return NO_DATA
    return f"{value:.{decimals}f}" if isinstance(value, float) else str(value)


def print_json(results: list[Result]) -> None:
    """One object for each system, and one for their difference: the files, then table, row and column by name."""
    shown = []
    for result in results:
        tables = {
            table.name: {name: dict(zip(table.columns, values, strict=True)) for name, values in table.rows.items()}
            for table in result.tables
        }
        shown.append({"files": result.files, **tables})
    click.echo(json.dumps(shown, ensure_ascii=False, indent=1))


def print_tsv(results: list[Result]) -> None:
    """Print one number per line, for `grep` and `cut`."""
    click.echo("files\ttable\trow\tcolumn\tvalue")
    for result in results:
        for table in result.tables:
            for name, values in table.rows.items():
                for column, value in zip(table.columns, values, strict=True):
                    cells = (" ".join(result.files), table.name, name, column, "" if value is None else str(value))
                    click.echo("\t".join(cells))


PRINTERS: dict[str, Callable[[list[Result]], None]] = {"table": show, "json": print_json, "tsv": print_tsv}
"""By the name of the output format."""
