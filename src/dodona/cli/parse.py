"""`dodona parse`: from CoNLL-U (or plain words) to trees."""

from collections.abc import Iterator

import click

from dodona.data import Sentence, read, write
from dodona.data.plain import read_plain
from dodona.pipeline.parallel import parse_in_parallel
from dodona.pipeline.parser import Parser, Request

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
@click.option(
    "--beam",
    type=click.IntRange(1),
    metavar="WIDTH",
    help="Hypotheses that are followed at the same time; 1 is greedy. [default: as the model was trained]",
)
@click.option(
    "--nbest",
    default=1,
    show_default=True,
    type=click.IntRange(1),
    metavar="K",
    help="Write the K best trees of each sentence, as far as the beam has so many, with their scores in comments.",
)
@click.option(
    "--confidence", is_flag=True, help="Write into MISC which share of the beam agrees on each word's head and label."
)
@click.option(
    "--constrained", is_flag=True, help="Keep the HEAD and DEPREL that words of the input have; `_` is to be found."
)
@click.option("-j", "--jobs", default=1, show_default=True, type=click.IntRange(1), help="Processes that parse.")
def parse(
    model: str, files: tuple[str, ...], output: str, kind: str, beam: int | None, nbest: int, confidence: bool,
    constrained: bool, jobs: int,
) -> None:  # fmt: skip
    """Parse FILES (`-` or none: standard input) with MODEL and write CoNLL-U.

    All columns but HEAD and DEPREL come out as they went in.

    \b
    dodona parse my.model text.conllu > parsed.conllu
    dodona parse my.model big.conllu.gz -o parsed.conllu.gz --jobs 2
    dodona parse my.model text.conllu --beam 20 --nbest 5 --confidence
    dodona parse my.model half-annotated.conllu --constrained
    """
    parser = Parser.load(model)
    request = Request(beam, nbest, confidence, constrained)
    parser.check(request)
    sentences = (sentence for file in files or ("-",) for sentence in _sentences(file, kind))
    if jobs > 1:
        write(parse_in_parallel(parser, model, sentences, jobs, request), output)
    else:
        write(parser.parse(sentences, request), output)


def _sentences(file: str, kind: str) -> Iterator[Sentence]:
    return read(file, format=kind) if kind in ("conllu", "conllx") else read_plain(file, vertical=kind == "vertical")
