"""`dodona stats`: statistics of a treebank for transition-based parsing."""

import json
import os
from collections.abc import Sequence

import click
from rich.box import SIMPLE_HEAD
from rich.table import Table

from dodona.cli.fitting import fits, print_whole
from dodona.cli.progress import Progress
from dodona.cli.tables import NO_DATA, terminal
from dodona.data.conllu import read_conllu
from dodona.data.files import chunks
from dodona.data.stream import only_sentences
from dodona.research.statistics import Statistics

Row = dict[str, str | int | float | None]

COLUMNS = (
    "file",
    "sentences",
    "words",
    "projective\n%",
    "non-proj.\narcs %",
    "EAGER\nswaps",
    "LAZY\nsaves %",
    "MINIMAL\nsaves %",
    "MINIMAL\ngave up",
    "unique\n%",
    "labels",
    "mean\nlength",
    "longest",
)


@click.command(short_help="Show statistics of a treebank: non-projectivity and swaps.")
@click.argument("files", nargs=-1, required=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "tsv"]),
    default="table",
    show_default=True,
    help="Output format.",
)
def stats(files: tuple[str, ...], form: str) -> None:
    """Count sentences, non-projective arcs, and the swaps of swap-standard's oracles in FILES (CoNLL-U, `-` for
    standard input), one row each: Table 1 of Björkelund and Nivre (2015).

    \b
    swaps      under EAGER, and how many of them LAZY and MINIMAL save;
               where the search of MINIMAL takes too long, the swaps of LAZY are counted
    unique     sentences with one derivation only under ND-ALL
    """
    rows = _rows(files)
    if form == "json":
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    elif form == "tsv":
        click.echo("\t".join(rows[0]))
        for row in rows:
            click.echo("\t".join("" if value is None else str(value) for value in row.values()))
    else:
        console, table = terminal(200), _table(rows)
        print_whole(console, table if fits(console, table) else _turned(rows))


def _rows(files: Sequence[str]) -> list[Row]:
    rows = []
    with Progress(files, results=False) as progress:
        for file in files:
            found = Statistics(file)
            for sentence in progress.counted(only_sentences(read_conllu(chunks(file, count=progress.read), file))):
                found.add(sentence)
            rows.append(found.row())
    return rows


def _table(rows: list[Row]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in COLUMNS:
        left = column == "file"
        table.add_column(column, justify="left" if left else "right", no_wrap=left)
    names = _short([str(row["file"]) for row in rows])
    for name, row in zip(names, rows, strict=True):
        _, *numbers = row.values()
        table.add_row(name, *map(_shown, numbers))
    return table


def _turned(rows: list[Row]) -> Table:
    """The table with a column for each file, for terminals that are too narrow for a row for each."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    title, *names = (column.replace("\n", " ") for column in COLUMNS)
    table.add_column(title, no_wrap=True)
    for file in _short([str(row["file"]) for row in rows]):
        table.add_column(file, justify="right", no_wrap=True)
    _, *numbers = zip(*(row.values() for row in rows), strict=True)
    for name, values in zip(names, numbers, strict=True):
        table.add_row(name, *map(_shown, values))
    return table


def _short(files: list[str]) -> list[str]:
    """The files' names without the folder they have in common."""
    if len(files) == 1 or len({os.path.isabs(file) for file in files}) == 2:
        return files
    shared = os.path.commonpath([os.path.dirname(file) for file in files])
    return [os.path.relpath(file, shared or ".") for file in files]


def _shown(value: str | int | float | None) -> str:
    if value is None:
        return NO_DATA
    return f"{value:.2f}" if isinstance(value, float) else f"{value:,}"
