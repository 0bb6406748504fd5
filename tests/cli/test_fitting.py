"""Tables on narrow terminals: no word or number is cut, and no line is longer than it must be."""

import io

import pytest
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from dodona.cli.commands.stats import COLUMNS, _table, _turned
from dodona.cli.fitting import fits, print_whole

WORDS = ("left", "3-6", "greatest", "of", "all", "12345", "72.81", "100.00")


def small(**options: object) -> Table:
    table = Table(**options)  # type: ignore[arg-type]
    table.add_column("", no_wrap=False)
    for header in ("greatest of all", "greatest", "all"):
        table.add_column(header, justify="right")
    table.add_row("left 3-6", "12345", "72.81", "100.00")
    return table


def printed(table: Table, width: int) -> list[str]:
    out = io.StringIO()
    console = Console(file=out, width=width)
    print_whole(console, table)
    assert console.width == width  # for the tables that follow
    return out.getvalue().splitlines()


@pytest.mark.parametrize("width", range(1, 60))
@pytest.mark.parametrize("options", [{}, {"box": SIMPLE_HEAD, "pad_edge": False}])
def test_nothing_is_cut(width: int, options: dict[str, object]) -> None:
    lines = printed(small(**options), width)
    text = "\n".join(lines)
    assert "…" not in text
    assert all(word in text for word in WORDS)
    longest = max(len(line.rstrip()) for line in lines)
    assert longest <= max(width, 4 + 8 + 8 + 6 + 3)  # the longest word of each column, and lines between them


def test_a_table_with_room_is_as_rich_prints_it() -> None:
    out = io.StringIO()
    Console(file=out, width=60).print(small())
    assert printed(small(), 60) == out.getvalue().splitlines()


def test_first_columns_have_their_lines_unbroken() -> None:
    lines = printed(small(), 46)
    assert any("left 3-6" in line for line in lines)
    assert any("greatest of" in line for line in lines)


def test_statistics_are_turned_where_rows_are_too_wide() -> None:
    rows: list[dict[str, str | int | float | None]] = [
        dict(zip(COLUMNS, (f"{name}.conllu", *range(12000, 12012)), strict=True)) for name in ("one", "two")
    ]
    narrow, wide = Console(width=80), Console(width=160)
    assert fits(wide, _table(rows))
    assert not fits(narrow, _table(rows))
    lines = printed(_turned(rows), 80)
    assert next(line.split() for line in lines if "12,00" in line) == ["sentences", "12,000", "12,000"]
    assert len([line for line in lines if "12,0" in line]) == 12
