"""`dodona distill`: a teacher parses text, and a student learns from its parses beside a treebank."""

import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from dodona.cli.commands.parse import find_files, name_documents, pick_cluster
from dodona.cli.commands.train import GROUPS, has_checkpoint, parser_options, train_command
from dodona.cli.options import GroupedCommand, amount, choice, flag, option
from dodona.cli.outputs import check_keeps, say, write_results
from dodona.data import Sentence
from dodona.data.conllu import read_all
from dodona.data.formats import INPUTS
from dodona.errors import OptionError
from dodona.evaluation import attachment, compare
from dodona.parser.request import Request
from dodona.parser.training import check_parser_options
from dodona.pipeline.modelfile import check_target
from dodona.pipeline.models import model_path
from dodona.pipeline.pipeline import NO_TOKENIZER, Pipeline
from dodona.pipeline.training import TrainingPlan
from dodona.tables import FORMATS, Result, Table

SHARD_SIZE = 2.0  # megabytes: small ones, because those of different texts are mixed when they are learned from
LEAST_SECONDS = 1.0  # of the processor, to measure speed
OWN = ("output", "dev", "text", "kind", "cache", "baseline", "scheduler", "shard_size", "form")
SHARED = [option for option in train_command.params if option.name not in ("treebank", "output", "dev", "text")]
TITLES = {
    "Options": OWN,
    "The student": [name for name in GROUPS["Options"] if name not in OWN],
    **{title: names for title, names in GROUPS.items() if title != "Options"},
}


@click.command(
    "distill",
    short_help="Let a model learn from what another one makes of raw text.",
    cls=GroupedCommand,
    groups=TITLES,
    params=SHARED,
)
@click.argument("teacher")
@click.argument("treebank")
@option("-o, --output STUDENT", "Where to write the model.", required=True)
@option("--dev FILE", "Development treebank: teacher and student are scored on it.", required=True)
@option(
    "--text FILE",
    "Text for the teacher, .gz and .xz too, or a pattern like 'texts/*.txt'. May be given several times.",
    required=True,
    multiple=True,
)
@choice(
    "--input",
    "What the text is, as in `dodona parse`; horizontal: a sentence a line, words separated by spaces.",
    name="kind",
    values=INPUTS,
)
@option(
    "--cache FOLDER",
    "Where the teacher's parses are kept, for other students, and to go on after an interruption. [default: "
    "STUDENT.silver]",
)
@flag("--baseline", "Also train a student without silver, to compare: one more training.")
@option(
    "--scheduler ADDRESS",
    "Let the teacher parse on a Dask cluster (tcp://10.0.0.1:8786), or with `local` on processes of this machine.",
)
@amount("--shard-size MB", "Megabytes of text that the teacher parses at a time.", default=SHARD_SIZE)
@choice("--format", "Output format of the table at the end.", name="form", values=FORMATS)
def distill(
    teacher: str, treebank: str, output: str, dev: str, text: tuple[str, ...], kind: str,
    cache: str | None, baseline: bool, scheduler: str | None, shard_size: float, form: str, silver: tuple[str, ...],
    **options: Any
) -> None:  # fmt: skip
    """Let TEACHER, a model, parse raw text, and train STUDENT on TREEBANK and these parses.

    The student is smaller or faster than the teacher, and has its own options: those of `dodona train`. Sentences of
    --dev and --held-out are left out. The teacher's parses stay in the cache: the same command goes on after an
    interruption, and other students can learn from them. At the end, teacher and student are compared on --dev.

    \b
    dodona distill en train.conllu --dev dev.conllu --text posts.txt.xz -o student.model
    dodona distill big.model train.conllu --dev dev.conllu --text 'texts/*.txt' --scorer neural --layers 2 -o my.model
    """
    context = click.get_current_context()
    folder = os.path.abspath(cache or f"{output}.silver")
    path = model_path(teacher)
    _check_before(path, output, treebank, dev, kind, options)
    files = [os.path.abspath(file) for file in find_files(text)]
    shards = _parse_texts(path, files, kind, folder, shard_size, context)
    students = {"student": (output, (*silver, *shards))}
    rows = [_row(f"teacher {teacher}", path, read_all(dev))]
    with tempfile.TemporaryDirectory(prefix="dodona-") as temporary:
        if baseline:
            students = {"student without silver": (os.path.join(temporary, "baseline.model"), ()), **students}
        for name, (target, learned) in students.items():
            own = dict(options) if learned else options | {"silver_words": None, "held_out": (), "resume": False}
            say(f"{name}: training")
            context.invoke(train_command, treebank=treebank, output=target, dev=dev, silver=learned, **own)
            rows.append(_row(name, Path(target), read_all(dev)))
    columns = ("", "LAS", "UPOS", "words per CPU second", "MB")
    table = Table(columns, rows, "Teacher and student on development data, gold words and predicted tags", "students")
    write_results([Result([dev], [table])], form, "-", "Distillation")


def _check_before(teacher: Path, output: str, treebank: str, dev: str, kind: str, options: dict[str, Any]) -> None:
    """Whatever cannot work is an error now, and not after hours of parsing."""
    chosen = parser_options(options)
    check_parser_options(chosen)
    TrainingPlan(**{name: options[name] for name in ("vectors", "encoder", "device", "resume")}).check(chosen)
    if options["resume"]:
        has_checkpoint(output)
    check_target(output)
    check_keeps(output, {"teacher": [teacher]}, "the student")
    for file in (treebank, dev, *options["held_out"]):
        read_all(file)
    if kind in ("auto", "text") and Pipeline.load(teacher).tokenizer is None:
        raise OptionError(f"{teacher}: {NO_TOKENIZER} (--input)")


def _parse_texts(
    teacher: Path, files: Sequence[str], kind: str, folder: str, shard_size: float, context: click.Context
) -> list[str]:
    """Return the files of the teacher's parses, after those that were not in the folder yet are made."""
    from dodona.distributed.cluster import Cluster, choose_monitor
    from dodona.distributed.corpus import Corpus, list_shards, parse_corpus
    from dodona.distributed.models import read_model

    cluster = Cluster() if context.params["scheduler"] is None else pick_cluster(context)
    corpus = Corpus(files, name_documents(files), Request(), kind, size=max(1, round(shard_size * 1e6)))
    summary = parse_corpus(corpus, read_model(teacher), folder, cluster, choose_monitor("shards"), say)
    say(f"{teacher.name}: {summary.sentences:,} sentences, {summary.words:,} words of text, in {folder}")
    return list_shards(folder)


def _row(name: str, model: Path, gold: Sequence[Sentence]) -> tuple[str, float, float, float, float]:
    """Return a row of the table: what a model is worth on gold words, and what it costs."""
    pipeline = Pipeline.load(model)
    words = sum(map(len, gold))
    parsed: list[Sentence] = []
    rounds, spent = 0, 0.0
    while spent < LEAST_SECONDS:
        copies = [sentence.copy() for sentence in gold]
        begin = time.process_time()
        parsed = list(pipeline.parse(copies, retag=True))
        spent += time.process_time() - begin
        rounds += 1
    las = 100 * attachment(compare(gold, parsed))["LAS"].accuracy
    tags = sum(sum(map(str.__eq__, a.upos, b.upos)) for a, b in zip(gold, parsed, strict=True))
    return name, las, 100 * tags / words, round(rounds * words / spent), model.stat().st_size / 1e6
