"""`dodona parse`: from CoNLL-U (or plain words) to trees."""

from collections.abc import Iterator

import click

from dodona.data import Sentence, read, write
from dodona.data.plain import read_plain
from dodona.pipeline.parallel import parse_in_parallel
from dodona.pipeline.parser import Parser

INPUTS = ("conllu", "conllx", "horizontal", "vertical")


@click.command()
@click.argument("model")
@click.argument("files", nargs=-1)
@click.option("-o", "--output", default="-", metavar="FILE", help="Where to write. [default: standard output]")
@click.option(
    "--input",
    "kind",
    default="conllu",
    show_default=True,
    type=click.Choice(INPUTS),
    help="horizontal: a sentence a line, words separated by spaces; vertical: a word a line, empty lines between "
    "sentences.",
)
@click.option("-j", "--jobs", default=1, show_default=True, type=click.IntRange(1), help="Processes that parse.")
def parse(model: str, files: tuple[str, ...], output: str, kind: str, jobs: int) -> None:  # fmt: skip
    """Parse FILES (`-` or none: standard input) with MODEL and write CoNLL-U.

    All columns but HEAD and DEPREL come out as they went in.

    \b
    dodona parse my.model text.conllu > parsed.conllu
    dodona parse my.model big.conllu.gz -o parsed.conllu.gz --jobs 2
    """
    parser = Parser.load(model)
    sentences = (sentence for file in files or ("-",) for sentence in _sentences(file, kind))
    write(parse_in_parallel(parser, model, sentences, jobs) if jobs > 1 else parser.parse(sentences), output)


def _sentences(file: str, kind: str) -> Iterator[Sentence]:
    return read(file, format=kind) if kind in ("conllu", "conllx") else read_plain(file, vertical=kind == "vertical")
