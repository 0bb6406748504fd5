"""`dodona parse`: from CoNLL-U (or plain words) to trees."""

import sys
from collections.abc import Iterator

import click

from dodona.data import Sentence, read, write
from dodona.errors import FormatError, OptionError
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
    if kind in ("conllu", "conllx"):
        yield from read(file, format=kind)
        return
    words: list[str] = []
    number = 0
    for number, line in enumerate(_lines(file), start=1):
        if kind == "horizontal":
            words = line.split()
        elif line:
            words.append(line)
            continue
        if words:
            yield _sentence(words, f"{file}:{number}")
        words = []
    if words:
        yield _sentence(words, f"{file}:{number}")


def _sentence(words: list[str], place: str) -> Sentence:
    try:
        return Sentence.from_words(words)
    except OptionError as error:
        raise FormatError(f"{place}: {error}") from None


def _lines(file: str) -> Iterator[str]:
    try:
        with open(sys.stdin.fileno() if file == "-" else file, "rb", closefd=file != "-") as stream:
            for number, line in enumerate(stream, start=1):
                try:
                    yield line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
                except UnicodeDecodeError as error:
                    raise FormatError(f"{file}:{number}: not UTF-8") from error
    except OSError as error:
        raise FormatError(f"{file}: cannot be read: {error.strerror}") from error
