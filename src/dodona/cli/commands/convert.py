"""`dodona convert`: from one format of sentences to another."""

from collections.abc import Iterable, Iterator
from functools import partial

import click

from dodona.cli.formats import WRITERS
from dodona.cli.options import choice, flag, option
from dodona.cli.outputs import check_keeps, choose_format, output_option, say
from dodona.data import Sentence, marks
from dodona.data.files import chunks
from dodona.data.formats import INPUTS, OUTPUTS, convert, read_stream
from dodona.data.stream import Item
from dodona.errors import FormatError

NAMED = ("conllu", "conllx", "text", "json", "jsonl", "csv", "tsv")  # those that the name of an output can say
FORMATS = (*OUTPUTS, *(form for form in NAMED if form not in OUTPUTS))


@click.command("convert", short_help="Convert between CoNLL-U, CoNLL-X, words and text.")
@click.argument("source", metavar="INPUT")
@output_option()
@choice(
    "--from",
    "horizontal: a sentence a line, words separated by spaces; vertical: a word a line, empty lines between "
    "sentences; auto: by the name of the file, or CoNLL-U if it looks like it.",
    name="form",
    values=[form for form in INPUTS if form != "text"],
)
@option(
    "--to",
    "text: raw text; csv, tsv: a row for each word. [default: by the name of the output: .conllu, .conllx, .txt, "
    ".json, .jsonl, .csv, .tsv]",
    type=click.Choice(FORMATS),
)
@flag("--remove-marks", "Take out the marks of `dodona annotate` in MISC, and the comment `# annotation`.")
def convert_command(source: str, target: str, form: str, to: str | None, remove_marks: bool) -> None:
    """Convert the sentences of INPUT (`-` for standard input, .gz and .xz too) to another format.

    What the other format has no room for is named on standard error.

    \b
    dodona convert treebank.conllu -o treebank.conllx
    dodona convert treebank.conllu --to text > raw.txt
    dodona convert treebank.conllu -o words.csv
    dodona convert words.txt --from horizontal -o words.conllu
    dodona convert annotated.conllu --remove-marks -o treebank.conllu
    """
    to = to or choose_format(target, None, NAMED, "")
    if not to:
        raise click.UsageError(f"--to is missing; expected one of {', '.join(FORMATS)}, as {target!r} does not say it")
    check_keeps(target, {"input": [source]})
    items = read_stream(form, chunks(source), source, tokenize=partial(_refuse_text, source))
    lost = convert(_unmark(items) if remove_marks else items, target, to, WRITERS.get(to))
    if lost:
        counts = ", ".join(f"{name} ({count:,})" for name, count in sorted(lost.items()))
        say(f"{source}: {to} has no room for all; lost, with the number of sentences: {counts}")


def _unmark(items: Iterable[Item]) -> Iterator[Item]:
    for item in items:
        if isinstance(item, Sentence) and item.format == "conllu":
            marks.remove_marks(item)
        yield item


def _refuse_text(source: str, text: Iterator[str]) -> Iterator[Item]:
    raise FormatError(f"{source}: not CoNLL-U; expected --from horizontal or vertical for words (text: dodona parse)")
