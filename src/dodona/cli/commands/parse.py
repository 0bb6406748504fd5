"""`dodona parse`: from text, words or CoNLL-U to trees."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import click

from dodona.cli.inputs import text_names
from dodona.cli.outputs import EXTENSIONS, checked_targets, with_a_count_of_pieces, write_each
from dodona.cli.progress import Progress
from dodona.data import write
from dodona.data.conllu import read_stream
from dodona.data.files import chunks, is_terminal, size_of
from dodona.data.formats import sniffed_format
from dodona.data.plain_text import read_plain_stream, read_text
from dodona.data.stream import Boundary, Item, Pause
from dodona.errors import DodonaError, FormatError, OptionError
from dodona.parser.options import WIDEST
from dodona.parser.parser import Request
from dodona.pipeline.modelfile import is_model
from dodona.pipeline.models import model_names, model_path
from dodona.pipeline.pipeline import Pipeline
from dodona.pipeline.threads import collect_rarely

INPUTS = ("auto", "text", "conllu", "conllx", "horizontal", "vertical")
DEFAULT = "en"


@click.command(short_help="Parse text, words or CoNLL-U.")
@click.argument("arguments", nargs=-1, metavar="[MODEL] [FILES|-|TEXT]")
@click.option("-o", "--output", default="-", metavar="FILE", help="Where to write. [default: standard output]")
@click.option("--each", is_flag=True, help="Write one output for each of FILES, into the folder that -o names.")
@click.option(
    "--input",
    "kind",
    default="auto",
    show_default=True,
    type=click.Choice(INPUTS),
    help="text: raw text, empty lines between paragraphs; horizontal: a sentence a line, words separated by spaces; "
    "vertical: a word a line, empty lines between sentences; auto: by the name of the file, or CoNLL-U if it "
    "looks like it, or else text.",
)
@click.option(
    "--format",
    "form",
    default="conllu",
    show_default=True,
    type=click.Choice(list(EXTENSIONS)),
    help="jsonl: a JSON object a line; tree: drawn as text, in colour on a terminal; svg: drawn as a picture; html: a "
    "page of pictures; tikz: for LaTeX with tikz-dependency.",
)
@click.option("--retag", is_flag=True, help="Replace existing tags and lemmas.")
@click.option(
    "--beam",
    type=click.IntRange(1, WIDEST),
    metavar="WIDTH",
    help="Beam width; 1 is greedy. [default: as the model was trained]",
)
@click.option(
    "--nbest",
    default=1,
    show_default=True,
    type=click.IntRange(1),
    metavar="K",
    help="Write the K best trees of each sentence, with scores in comments; needs a beam.",
)
@click.option(
    "--confidence",
    is_flag=True,
    help="Write into MISC how probable it is that each word's head and label are right, and the mean into a comment.",
)
@click.option(
    "--sort", is_flag=True, help="With --confidence: the most doubtful sentences first, after all are parsed."
)
@click.option("--constrained", is_flag=True, help="Keep the HEAD and DEPREL of the input; predict those that are `_`.")
@click.option(
    "--max-length",
    type=click.IntRange(1),
    metavar="WORDS",
    help="Parse longer sentences in pieces, and say so in a comment. [default: no limit]",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Parse a sentence that takes longer in pieces, and say so in a comment. [default: no limit]",
)
@click.option(
    "-j", "--jobs", default=1, show_default=True, type=click.IntRange(1), metavar="N", help="Number of threads."
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Parse FILES on a Dask cluster (tcp://10.0.0.1:8786), or with `local` on processes of this machine (--jobs, "
    "or one for each core). The folder that -o names gets an output for each shard of FILES, and a manifest. The same "
    "command goes on where it was stopped.",
)
@click.option(
    "--shard-size",
    type=click.FloatRange(0, min_open=True),
    metavar="MB",
    help="With --scheduler: megabytes of text in a shard. [default: 8]",
)
def parse(
    arguments: tuple[str, ...], output: str, each: bool, kind: str, form: str, retag: bool, beam: int | None,
    nbest: int, confidence: bool, sort: bool, constrained: bool, max_length: int | None, timeout: float | None,
    jobs: int, scheduler: str | None, shard_size: float | None,
) -> None:  # fmt: skip
    """Parse FILES (`-` or none: standard input), or a TEXT with spaces in it, with MODEL and write CoNLL-U or drawings.

    MODEL is a file made by `dodona train`, or the name of a model (`dodona models` lists them); without one, `en` is
    taken. Missing columns are filled in: text is tokenized, words are tagged and lemmatized, and
    all sentences are parsed. Existing tags and lemmas are kept.

    \b
    dodona parse "Oak trees grow slowly." --format tree
    dodona parse en novel.txt > parsed.conllu
    dodona parse en letter.txt --format html -o letter.html
    dodona parse en-fast corpus.txt.gz -o parsed.conllu.gz --jobs 2
    dodona parse en-fast one.txt other.txt.gz -o parsed/ --each
    dodona parse my.model text.conllu --confidence --sort
    dodona parse my.model text.conllu --beam 20 --nbest 5
    dodona parse my.model half-annotated.conllu --constrained
    dodona parse en-fast 'corpus/*.txt.gz' -o out/ --scheduler local
    dodona parse en-fast 'corpus/*.txt.gz' -o out/ --scheduler tcp://10.0.0.1:8786
    """
    if sort and not confidence:
        raise click.UsageError("--sort needs --confidence: sentences are sorted by it.")
    model, sources = _model_and_sources(arguments)
    request = Request(beam, nbest, confidence, constrained, max_length, timeout)
    if scheduler is not None or shard_size is not None:
        from dodona.cli.cluster import parse_on_cluster

        parse_on_cluster(model, sources, output, request, kind, retag)
        return
    files = [None if _is_text(source) else source for source in sources]
    targets = checked_targets(files, output, each, form, model)
    pipeline = Pipeline.load(model)
    pipeline.parser.check(request)
    options = pipeline.parser.options
    if (request.beam or 1) > 1 and options.beam == 1 and options.scorer == "linear":
        click.echo(f"dodona: {model.name} was trained without a beam; expect worse trees with one", err=True)
    with collect_rarely(), Progress(sources, results=output == "-") as progress:
        items = _stream(sources, kind, pipeline, each, progress)
        parsed = pipeline.stream(items, request, retag, jobs=jobs)
        if max_length is not None or timeout is not None:
            parsed = with_a_count_of_pieces(parsed)
        write_each(progress.counted(parsed), targets, _writer(form, sort))


def _writer(form: str, sort: bool) -> Callable[[Iterable[Item], str], None]:
    """Return what writes the parses of one output."""
    writer: Callable[[Iterable[Item], str], None] = write
    if form != "conllu":
        from dodona.cli.formats import WRITERS  # which needs longer to import than a sentence to parse

        writer = WRITERS[form]
    if not sort:
        return writer
    from dodona.pipeline.doubtful import sort_by_doubt

    return lambda items, target: writer(sort_by_doubt(items), target)


def _model_and_sources(arguments: tuple[str, ...]) -> tuple[Path, tuple[str, ...]]:
    """A first argument that is the name of a model, or looks like one from inside, is the model."""
    _check_encoding(arguments)
    first = arguments[0] if arguments else "-"
    if is_model(first) or not (first == "-" or _is_text(first) or _is_file(first)):
        return _model(first), arguments[1:] or ("-",)
    return _default_model(), arguments or ("-",)


def _check_encoding(arguments: tuple[str, ...]) -> None:
    """A text must be UTF-8; the name of a file may be anything. Python turns other bytes into lone surrogates."""
    for argument in filter(_is_text, arguments):
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            byte = ord(argument[error.start]) & 0xFF
            raise OptionError(f"{argument[:40]!r}: byte {byte:#04x} is not UTF-8; expected text in UTF-8") from None


def _model(name: str) -> Path:
    if Path(name).is_dir() and name not in model_names():
        raise FormatError(f"{name}: is a directory; expected a model, a file to parse, or a text with spaces in it")
    try:
        return model_path(name)
    except FormatError as error:
        hint = "" if "." in name or "/" in name else " (a text of one word goes through standard input)"
        raise FormatError(f"{error}{hint}") from None


def _default_model() -> Path:
    try:
        return model_path(DEFAULT)
    except FormatError:
        expected = "expected a file made by `dodona train` as the first argument"
        raise FormatError(f"no MODEL is named, and the model {DEFAULT!r} is not installed; {expected}") from None


def _is_file(argument: str) -> bool:
    """A pipe or a device is read like a file."""
    return os.path.exists(argument) and not os.path.isdir(argument)


def _is_text(argument: str) -> bool:
    return (not argument or any(letter.isspace() for letter in argument)) and not _is_file(argument)


def _names(sources: tuple[str, ...]) -> list[str | None]:
    """Where several texts are parsed into one file, every one needs a name of its own: its file's, or else a number."""
    if len(sources) == 1:
        return [None]
    return [*text_names([None if _is_text(source) else source for source in sources])]


def _stream(sources: tuple[str, ...], kind: str, pipeline: Pipeline, each: bool, progress: Progress) -> Iterator[Item]:
    """Yield the sentences of all sources, with a boundary after each of them; and a pause wherever something has to be
    waited for, or an error comes."""
    names = [None] * len(sources) if each else _names(sources)
    for source, name in zip(sources, names, strict=True):
        try:
            if size_of(source) is None:
                yield Pause()
            yield from _sentences(source, kind, pipeline, name, progress)
        except DodonaError:
            yield Pause()
            raise
        if each:
            yield Boundary()


def _sentences(source: str, kind: str, pipeline: Pipeline, name: str | None, progress: Progress) -> Iterator[Item]:
    if _is_text(source):
        return pipeline.text_stream([source], name=name)
    if source == "-" and os.isatty(0):
        click.echo("dodona: reading from the terminal; Ctrl-D on an empty line ends the text", err=True)
    pieces = chunks(source, pauses=True, count=progress.read)
    if kind in ("horizontal", "vertical"):
        return read_plain_stream(pieces, source, vertical=kind == "vertical")
    if kind == "auto":
        kind, pieces = sniffed_format(pieces, source)
    if kind != "text":
        return read_stream(pieces, source, format=kind)
    return pipeline.text_stream(read_text(pieces, source), by_line=is_terminal(source), name=name)
