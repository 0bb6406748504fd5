"""`dodona convert`: from one format of sentences to another."""

from collections.abc import Iterator

import click

from dodona.cli.outputs import is_same_file
from dodona.data import Sentence
from dodona.data.conllu import read_chunks
from dodona.data.files import bare_name, chunks
from dodona.data.formats import TARGETS, convert, format_by_name, sniffed_format
from dodona.data.plain_text import read_plain
from dodona.errors import FormatError, OptionError

SOURCES = ("auto", "conllu", "conllx", "horizontal", "vertical")


@click.command("convert", short_help="Convert between CoNLL-U, CoNLL-X, words and text.")
@click.argument("source", metavar="INPUT")
@click.option(
    "-o", "--output", "target", default="-", metavar="FILE", help="Where to write. [default: standard output]"
)
@click.option(
    "--from",
    "given",
    default="auto",
    show_default=True,
    type=click.Choice(SOURCES),
    help="horizontal: a sentence a line, words separated by spaces; vertical: a word a line, empty lines between "
    "sentences; auto: by the name of the file, or CoNLL-U if it looks like it.",
)
@click.option(
    "--to",
    type=click.Choice(TARGETS),
    help="text: raw text. [default: by the name of the output: .conllu, .conllx, .txt]",
)
def convert_command(source: str, target: str, given: str, to: str | None) -> None:
    """Convert the sentences of INPUT (`-` for standard input, .gz and .xz too) to another format.

    What the other format has no room for is named on standard error.

    \b
    dodona convert treebank.conllu -o treebank.conllx
    dodona convert treebank.conllu --to text > raw.txt
    dodona convert words.txt --from horizontal -o words.conllu
    """
    to = to or _by_name(target)
    if target != "-" and is_same_file(source, target):
        raise OptionError(f"{target}: the output would take the place of the input; expected another name")
    lost = convert(_sentences(source, given), target, to)
    if lost:
        told = ", ".join(f"{name} ({count:,})" for name, count in sorted(lost.items()))
        click.echo(f"dodona: {source}: {to} has no room for all; lost, with the number of sentences: {told}", err=True)


def _by_name(target: str) -> str:
    named = format_by_name(target)
    if named is None and not bare_name(target).endswith(".txt"):
        raise click.UsageError(f"--to is missing; expected one of {', '.join(TARGETS)}, as {target!r} does not say it")
    return named or "text"


def _sentences(source: str, given: str) -> Iterator[Sentence]:
    if given in ("horizontal", "vertical"):
        return read_plain(source, vertical=given == "vertical")
    pieces = chunks(source)
    if given == "auto":
        given, pieces = sniffed_format(pieces, source)
    if given == "text":
        raise FormatError(
            f"{source}: not CoNLL-U; expected --from horizontal or vertical for words (text: dodona parse)"
        )
    return read_chunks(pieces, source, format=given)
