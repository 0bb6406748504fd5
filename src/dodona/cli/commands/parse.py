"""`dodona parse`: from text, words or CoNLL-U to trees."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from dodona.annotation.informative import MEASURES, sort_by_measure
from dodona.cli.inputs import decode_argument, name_texts
from dodona.cli.options import IMPORTED, amount, choice, flag, integer, option
from dodona.cli.outputs import (
    SENTENCE_FORMATS,
    check_targets,
    choose_format,
    format_option,
    output_option,
    pick_writer,
    report_pieces,
    say,
    write_each,
)
from dodona.cli.progress import ReadingProgress
from dodona.data.files import is_tty, size_of
from dodona.data.formats import INPUTS, read_stream
from dodona.data.stream import Boundary, Item, Pause
from dodona.errors import DodonaError, FormatError, OptionError
from dodona.parser.options import WIDEST
from dodona.parser.parser import Request
from dodona.pipeline.modelfile import is_model
from dodona.pipeline.models import model_names, model_path
from dodona.pipeline.pipeline import Pipeline, collect_rarely

if TYPE_CHECKING:
    from dodona.distributed.cluster import Cluster

DEFAULT_MODEL = "en"
LOCAL = "local"  # a scheduler
SHARD_SIZE = 8.0  # megabytes


class ParseCommand(click.Command):
    """A command whose option --sort may stand without a measure, also before a file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        for i in range(end):
            if args[i] == "--sort" and not (i + 1 < end and args[i + 1] in MEASURES):
                args[i] = f"--sort={MEASURES[0]}"
        return super().parse_args(ctx, args)


@click.command(short_help="Parse text, words or CoNLL-U.", cls=ParseCommand)
@click.argument("arguments", nargs=-1, metavar="[MODEL] [FILES|-|TEXT]")
@output_option(name="output")
@flag("--each", "Write one output for each of FILES, into the folder that -o names.")
@choice(
    "--input",
    "text: raw text, empty lines between paragraphs; horizontal: a sentence a line, words separated by spaces; "
    "vertical: a word a line, empty lines between sentences; auto: by the name of the file, or CoNLL-U if it "
    "looks like it, or else text.",
    name="kind",
    values=INPUTS,
)
@format_option(
    SENTENCE_FORMATS,
    "conllu",
    "json, jsonl: a list of JSON objects, or one a line; csv, tsv: a row for each word; tree: drawn as text, in colour "
    "on a terminal; markdown: the same in blocks; svg: drawn as a picture; html: a page of pictures; tikz: for LaTeX "
    "with tikz-dependency.",
)
@flag("--retag", "Replace existing tags and lemmas.")
@integer("--beam WIDTH", "Beam width; 1 is greedy. [default: as the model was trained]", most=WIDEST)
@integer("--nbest K", "Write the K best trees of each sentence, with scores in comments; needs a beam.", default=1)
@flag(
    "--confidence",
    "Write into MISC how probable it is that each word's head and label are right, and the mean into a comment.",
)
@option(
    "--sort MEASURE",
    "With --confidence: the sentences that a person should look at first, after all are parsed. doubt, also without a "
    "MEASURE: those with the lowest mean confidence; errors: with the most arcs that are expected to be wrong; "
    "information: with doubtful words and constructions that are frequent; disagreement: that the models of "
    "--committee parse in other ways.",
    type=click.Choice(MEASURES),
)
@option("--committee MODEL", "Another model, for --sort disagreement; may be given several times.", multiple=True)
@flag("--constrained", "Keep the HEAD and DEPREL of the input; predict those that are `_`.")
@integer("--max-length WORDS", "Parse longer sentences in pieces, and say so in a comment. [default: no limit]")
@amount(
    "--timeout SECONDS", "Parse a sentence that takes longer in pieces, and say so in a comment. [default: no limit]"
)
@integer("-j, --jobs", "Number of threads.", default=1)
@option(
    "--scheduler ADDRESS",
    "Parse FILES on a Dask cluster (tcp://10.0.0.1:8786), or with `local` on processes of this machine (--jobs, "
    "or one for each core). The folder that -o names gets an output for each shard of FILES, and a manifest. The same "
    "command goes on where it was stopped.",
)
@option(
    "--scheduler-tls FOLDER", "The certificates for a scheduler at tls://…: ca.pem, cert.pem and key.pem in a folder."
)
@amount("--shard-size MB", f"With --scheduler: megabytes of text in a shard. [default: {SHARD_SIZE:g}]")
def parse(
    arguments: tuple[str, ...], output: str, each: bool, kind: str, form: str | None, retag: bool, beam: int | None,
    nbest: int, confidence: bool, sort: str | None, committee: tuple[str, ...], constrained: bool,
    max_length: int | None, timeout: float | None,
    jobs: int, scheduler: str | None, scheduler_tls: str | None, shard_size: float | None,
) -> None:  # fmt: skip
    """Parse FILES (`-` or none: standard input), or a TEXT with spaces in it, with MODEL and write CoNLL-U or drawings.

    MODEL is a file made by `dodona train`, or the name of a model (`dodona models` lists them); without one, `en` is
    taken. Missing columns are filled in: text is tokenized, words are tagged and lemmatized, and
    all sentences are parsed. Existing tags and lemmas are kept.

    \b
    dodona parse "Oak trees grow slowly." --format tree
    dodona parse en novel.txt > parsed.conllu
    dodona parse en letter.txt -o letter.html
    dodona parse en-fast corpus.txt.gz -o parsed.conllu.gz --jobs 2
    dodona parse en-fast one.txt other.txt.gz -o parsed/ --each
    dodona parse my.model text.conllu --confidence --sort
    dodona parse my.model text.conllu --confidence --sort information
    dodona parse my.model text.conllu --confidence --sort disagreement --committee other.model
    dodona parse my.model text.conllu --beam 20 --nbest 5
    dodona parse my.model half-annotated.conllu --constrained
    dodona parse en-fast 'corpus/*.txt.gz' -o out/ --scheduler local
    dodona parse en-fast 'corpus/*.txt.gz' -o out/ --scheduler tcp://10.0.0.1:8786
    """
    if sort and not confidence:
        raise click.UsageError("--sort needs --confidence: sentences are sorted by it.")
    if bool(committee) != (sort == "disagreement"):
        raise click.UsageError("--sort disagreement and --committee need each other: it is that of several models.")
    model, sources = _model_and_sources(arguments)
    request = Request(beam, nbest, confidence, constrained, max_length, timeout)
    if scheduler is not None or scheduler_tls is not None or shard_size is not None:
        _parse_on_cluster(model, sources, request, click.get_current_context())
        return
    form = choose_format(output, form, SENTENCE_FORMATS, "conllu")
    files = [None if _is_text(source) else source for source in sources]
    targets = check_targets(files, output, each, form, model)
    pipeline = Pipeline.load(model)
    pipeline.parser.check(request)
    others = [Pipeline.load(_find_model(name)) for name in committee]
    options = pipeline.parser.options
    if (request.beam or 1) > 1 and options.beam == 1 and options.scorer == "linear":
        say(f"{model.name} was trained without a beam; expect worse trees with one")
    with collect_rarely(), ReadingProgress(sources, results=output == "-") as progress:
        items = _read_sources(sources, kind, pipeline, each, progress)
        parsed = pipeline.stream(items, request, retag, jobs=jobs)
        if max_length is not None or timeout is not None:
            parsed = report_pieces(parsed)
        write_each(progress.count(parsed), targets, _pick_writer(form, sort, others))


def _pick_writer(form: str, sort: str | None, committee: Sequence[Pipeline]) -> Callable[[Iterable[Item], str], None]:
    writer = pick_writer(form)
    if sort is None:
        return writer
    return lambda items, target: writer(sort_by_measure(items, sort, committee), target)


def _model_and_sources(arguments: tuple[str, ...]) -> tuple[Path, tuple[str, ...]]:
    """A first argument that is the name of a model, or looks like one from inside, is the model."""
    arguments = tuple(decode_argument(argument) if _is_text(argument) else argument for argument in arguments)
    first = arguments[0] if arguments else "-"
    if is_model(first) or not (first == "-" or _is_text(first) or _is_file(first)):
        return _find_model(first), arguments[1:] or ("-",)
    return _find_default_model(), arguments or ("-",)


def _find_model(name: str) -> Path:
    if Path(name).is_dir() and name not in model_names():
        raise FormatError(f"{name}: is a directory; expected a model, a file to parse, or a text with spaces in it")
    try:
        return model_path(name)
    except FormatError as error:
        hint = "" if "." in name or "/" in name else " (a text of one word goes through standard input)"
        raise FormatError(f"{error}{hint}") from None


def _find_default_model() -> Path:
    try:
        return model_path(DEFAULT_MODEL)
    except FormatError:
        expected = "expected a file made by `dodona train` as the first argument"
        raise FormatError(f"no MODEL is named, and the model {DEFAULT_MODEL!r} is not installed; {expected}") from None


def _is_file(argument: str) -> bool:
    """A pipe or a device is read like a file."""
    return os.path.exists(argument) and not os.path.isdir(argument)


def _is_text(argument: str) -> bool:
    return (not argument or any(letter.isspace() for letter in argument)) and not _is_file(argument)


def name_documents(sources: Sequence[str]) -> list[str | None]:
    """Where several texts are parsed into one file, every one needs a name of its own: its file's, or else a number."""
    if len(sources) == 1:
        return [None]
    return [*name_texts([None if _is_text(source) else source for source in sources])]


def _read_sources(
    sources: tuple[str, ...], kind: str, pipeline: Pipeline, each: bool, progress: ReadingProgress
) -> Iterator[Item]:
    """Yield the sentences of all sources, with a boundary after each of them; and a pause wherever something has to be
    waited for, or an error comes."""
    names = [None] * len(sources) if each else name_documents(sources)
    for source, name in zip(sources, names, strict=True):
        try:
            if size_of(source) is None:
                yield Pause()
            yield from _read_source(source, kind, pipeline, name, progress)
        except DodonaError:
            yield Pause()
            raise
        if each:
            yield Boundary()


def _read_source(
    source: str, kind: str, pipeline: Pipeline, name: str | None, progress: ReadingProgress
) -> Iterator[Item]:
    if _is_text(source):
        return pipeline.tokenize([source], name=name)
    tokenize = partial(pipeline.tokenize, by_line=is_tty(source), name=name)
    return read_stream(kind, progress.read_live(source), source, tokenize=tokenize)


def _parse_on_cluster(model: Path, sources: Sequence[str], request: Request, context: click.Context) -> None:
    """Parse files into a folder of shards, on a cluster or on several processes of this machine."""
    from dodona.distributed.cluster import choose_monitor  # with Dask, which takes long to import
    from dodona.distributed.corpus import Corpus, parse_corpus
    from dodona.distributed.models import read_model

    options, output = context.params, context.params["output"]
    _check_cluster_options(options)
    files = [os.path.abspath(file) for file in find_files(sources)]
    sent = read_model(model)
    sent.pipeline().parser.check(request)
    size = max(1, round((options["shard_size"] or SHARD_SIZE) * 1e6))
    corpus = Corpus(files, name_documents(files), request, options["kind"], options["retag"], size)
    folder = os.path.abspath(output)
    summary = parse_corpus(corpus, sent, folder, pick_cluster(context), choose_monitor("shards"), say)
    if summary.pieces:
        say(f"sentences that were parsed in pieces, because of length or time: {summary.pieces}")
    counts = f"{summary.shards} shards, {summary.sentences:,} sentences, {summary.words:,} words"
    say(f"{counts}: {os.path.join(output, '*.conllu')}, in this order")


def find_files(sources: Sequence[str]) -> list[str]:
    """Return the files that names and patterns stand for, those of a pattern sorted by name."""
    from glob import glob, has_magic

    files: list[str] = []
    for source in sources:
        if os.path.isfile(source):
            files.append(source)
        elif has_magic(source):
            matches = [file for file in sorted(glob(source, recursive=True)) if os.path.isfile(file)]
            if not matches:
                raise FormatError(f"{source}: no file has a name like this")
            files += matches
        elif source == "-" or (not os.path.exists(source) and any(map(str.isspace, source))):
            raise OptionError(
                f"{source}: expected the name of a file, which is read in parts, no text or standard input"
            )
        else:
            wrong = "is not a file" if os.path.exists(source) else "there is no such file"
            raise FormatError(f"{source}: {wrong}; expected a file, or a pattern like 'corpus/*.txt.gz'")
    return files


def _check_cluster_options(options: dict[str, Any]) -> None:
    output = options["output"]
    if options["scheduler"] is None:
        name = "--scheduler-tls" if options["shard_size"] is None else "--shard-size"
        raise click.UsageError(f"{name} needs --scheduler: nothing else makes shards.")
    if options["scheduler_tls"] is not None and not options["scheduler"].startswith("tls://"):
        raise OptionError(f"--scheduler-tls: certificates are for an address tls://…, not {options['scheduler']}")
    if options["each"]:
        raise OptionError(
            "--each writes an output for each file, and --scheduler one for each shard; expected one of them"
        )
    if options["sort"]:
        raise OptionError("--sort needs all sentences in one place; expected no --scheduler")
    if options["form"] not in (None, "conllu"):
        raise OptionError(f"--format {options['form']}: --scheduler writes CoNLL-U")
    if output == "-" or (os.path.exists(output) and not os.path.isdir(output)):
        shown = "standard output" if output == "-" else output
        raise OptionError(f"--scheduler writes shards into a folder; expected -o with a folder, not {shown}")


def pick_cluster(context: click.Context) -> "Cluster":
    """Return where the options --scheduler and --jobs of a command let the work be done."""
    from dodona.distributed.cluster import Cluster
    from dodona.pipeline.processes import available_cores

    scheduler, jobs = context.params["scheduler"], context.params["jobs"]
    is_given = context.get_parameter_source("jobs") is not ParameterSource.DEFAULT
    modules = context.meta.get(IMPORTED, ())
    if scheduler == LOCAL:
        return Cluster(int(jobs) if is_given else available_cores(), None, modules)
    if is_given:
        raise OptionError("--jobs: a cluster has as many processes as it has; expected --jobs only with local ones")
    return Cluster(0, scheduler, modules, tls=context.params.get("scheduler_tls"))
