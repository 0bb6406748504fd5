"""`dodona parse --scheduler`: a corpus on a cluster, or on several processes of this machine."""

import os
from collections.abc import Sequence
from glob import glob, has_magic
from pathlib import Path

import click
from click.core import ParameterSource

from dodona.cli.inputs import text_names
from dodona.cli.main import IMPORTED
from dodona.distributed.cluster import Cluster, choose_monitor
from dodona.distributed.corpus import Corpus, Summary, parse_corpus
from dodona.distributed.models import read_model
from dodona.errors import FormatError, OptionError
from dodona.parser.parser import Request
from dodona.pipeline.processes import available_cores

__all__ = ["matching_files", "parse_on_cluster"]

LOCAL = "local"
MEGABYTES = 8.0  # of a shard
CANNOT = {
    "each": "--each writes an output for each file, and --scheduler one for each shard; expected one of them",
    "sort": "--sort needs all sentences in one place; expected no --scheduler",
}


def parse_on_cluster(
    model: Path, sources: Sequence[str], output: str, request: Request, kind: str, retag: bool
) -> None:
    """Parse files into a folder of shards, with the other options of the command."""
    options = click.get_current_context().params
    _check(options, output)
    files = [os.path.abspath(file) for file in matching_files(sources)]
    sent = read_model(model)
    sent.pipeline().parser.check(request)
    names: list[str | None] = [None] if len(files) == 1 else [*text_names(files)]
    size = max(1, round((options["shard_size"] or MEGABYTES) * 1e6))
    corpus = Corpus(files, names, request, kind, retag, size)
    folder = os.path.abspath(output)
    summary = parse_corpus(corpus, sent, folder, _cluster(options), choose_monitor("shards"), _say)
    _tell(summary, output)


def matching_files(sources: Sequence[str]) -> list[str]:
    """The files that names and patterns stand for, those of a pattern sorted by name."""
    found: list[str] = []
    for source in sources:
        if os.path.isfile(source):
            found.append(source)
        elif has_magic(source):
            some = [file for file in sorted(glob(source, recursive=True)) if os.path.isfile(file)]
            if not some:
                raise FormatError(f"{source}: no file has a name like this")
            found += some
        elif source == "-" or (not os.path.exists(source) and any(map(str.isspace, source))):
            raise OptionError("--scheduler parses files; expected their names, not a text or standard input")
        else:
            wrong = "is not a file" if os.path.exists(source) else "there is no such file"
            raise FormatError(f"{source}: {wrong}; expected a file, or a pattern like 'corpus/*.txt.gz'")
    return found


def _check(options: dict[str, object], output: str) -> None:
    if options["scheduler"] is None:
        raise click.UsageError("--shard-size needs --scheduler: nothing else makes shards.")
    for name, reason in CANNOT.items():
        if options[name]:
            raise OptionError(reason)
    if options["form"] != "conllu":
        raise OptionError(f"--format {options['form']}: --scheduler writes CoNLL-U")
    if output == "-" or (os.path.exists(output) and not os.path.isdir(output)):
        shown = "standard output" if output == "-" else output
        raise OptionError(f"--scheduler writes shards into a folder; expected -o with a folder, not {shown}")


def _cluster(options: dict[str, object]) -> Cluster:
    context = click.get_current_context()
    is_given = context.get_parameter_source("jobs") is not ParameterSource.DEFAULT
    modules = context.meta.get(IMPORTED, ())
    if options["scheduler"] == LOCAL:
        return Cluster(int(str(options["jobs"])) if is_given else available_cores(), None, modules)
    if is_given:
        raise OptionError("--jobs: a cluster has as many processes as it has; expected --jobs only with local ones")
    return Cluster(0, str(options["scheduler"]), modules)


def _say(message: str) -> None:
    click.echo(f"dodona: {message}", err=True)


def _tell(summary: Summary, output: str) -> None:
    if summary.pieces:
        _say(f"sentences that were parsed in pieces, because of length or time: {summary.pieces}")
    counts = f"{summary.shards} shards, {summary.sentences:,} sentences, {summary.words:,} words"
    _say(f"{counts}: {os.path.join(output, '*.conllu')}, in this order")
