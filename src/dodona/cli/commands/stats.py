"""`dodona stats`: statistics of a treebank for transition-based parsing."""

import os

import click

from dodona.cli.options import choice
from dodona.cli.progress import ReadingProgress
from dodona.research.statistics import describe_treebank
from dodona.tables import FORMATS, Table, open_console

COLUMNS = (
    "file", "sentences", "words", "projective\n%", "non-proj.\narcs %", "EAGER\nswaps", "LAZY\nsaves %",
    "MINIMAL\nsaves %", "MINIMAL\ngave up", "unique\n%", "labels", "mean\nlength", "longest",
)  # fmt: skip


@click.command(short_help="Show statistics of a treebank: non-projectivity and swaps.")
@click.argument("files", nargs=-1, required=True)
@choice("--format", "Output format.", name="form", values=FORMATS)
def stats(files: tuple[str, ...], form: str) -> None:
    """Count sentences, non-projective arcs, and the swaps of swap-standard's oracles in FILES (CoNLL-U, `-` for
    standard input), one row each: Table 1 of Björkelund and Nivre (2015).

    \b
    swaps      under EAGER, and how many of them LAZY and MINIMAL save;
               where the search of MINIMAL takes too long, the swaps of LAZY are counted
    unique     sentences with one derivation only under ND-ALL
    """
    with ReadingProgress(files, results=False) as progress:
        rows = [describe_treebank(file, progress.read_sentences(file)) for file in files]
    table = Table(list(rows[0]), [list(row.values()) for row in rows])
    if form != "table":
        click.echo(table.json(indent=2) if form == "json" else table.tsv(), nl=False)
        return
    names = _shorten([str(row["file"]) for row in rows])
    titled = Table(COLUMNS, [(name, *row[1:]) for name, row in zip(names, table.rows, strict=True)])
    console = open_console(200)
    (titled if titled.fits(console) else titled.transpose()).print(console)


def _shorten(files: list[str]) -> list[str]:
    """The files' names without the folder they have in common."""
    if len(files) == 1 or len({os.path.isabs(file) for file in files}) == 2:
        return files
    shared = os.path.commonpath([os.path.dirname(file) for file in files])
    return [os.path.relpath(file, shared or ".") for file in files]
