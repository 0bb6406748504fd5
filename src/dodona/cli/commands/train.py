"""`dodona train`: from a treebank to a model."""

import os
import time
from typing import Any

import click
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

from dodona.cli.options import GroupedCommand, choice, flag, integer, option, option_names, system_options
from dodona.cli.outputs import is_same_file, say
from dodona.cli.progress import open_bar
from dodona.data import Sentence, spacing
from dodona.data.conllu import read_all
from dodona.errors import OptionError
from dodona.neural.options import NetworkOptions
from dodona.parser.options import NONPROJECTIVE, SCORERS, UPDATES, WIDEST, ParserOptions
from dodona.pipeline.modelfile import check_target
from dodona.pipeline.pipeline import COMPONENTS, Pipeline
from dodona.pipeline.processes import available_cores
from dodona.pipeline.training import TAGS, TrainingPlan, TrainingProgress, train_pipeline
from dodona.systems.registry import SYSTEMS

NETWORK_OPTIONS = ("vectors", "vectors_size", "width", "layers", "units", "positions", "dropout", "batch", "resume")
NETWORK = NetworkOptions()  # the defaults
GROUPS = {
    "Options": ("output", "dev", "scorer", "seed", "name", "licence"),
    "The pipeline": ("components", "tags", "folds", "jobs", "detokenize"),
    "The parser, with both scorers": (
        *("system", "oracle", "iterations", "patience", "explore", "explore_after", "random_choice"),
        *("nonprojective", *option_names(), "allow_multiple_roots", "max_length"),
    ),
    "The parser, only with --scorer linear": ("beam", "early_update", "update", "templates", "size"),
    "The parser, only with --scorer neural": NETWORK_OPTIONS,
}


@click.command(name="train", short_help="Train a model on a treebank.", cls=GroupedCommand, groups=GROUPS)
@click.argument("treebank")
@option("-o, --output MODEL", "Where to write the model.", required=True)
@option("--dev FILE", "Development treebank: scored after each iteration, and the best one is kept.")
@choice(
    "--scorer",
    "What scores the parser's actions. linear: feature templates; trained in minutes, the fastest parser. "
    "neural: a network; about 2 to 6 points of LAS more, a parser several times slower, long training without a GPU; "
    "needs JAX to train, but not to parse.",
    values=SCORERS,
)
@integer(
    "--patience", "With --dev: stop after this many iterations without improvement. [default: linear: 5; neural: never]"
)
@option(
    "--components LIST",
    f"What to train, separated by commas: {', '.join(COMPONENTS)}. [default: all that the treebank has data for]",
)
@choice("--tags", "The tags that the parser is trained on: predicted by jackknifing, or gold.", values=TAGS)
@integer("--folds", "Number of folds for jackknifing.", default=10, least=2)
@integer("-j, --jobs", "Processes that train the taggers of the folds. [default: one for each core]")
@flag("--detokenize", "Generate raw text for a treebank that has no `# text`.")
@option(
    "-s, --system",
    "The transition system. [default: linear: arc-eager; neural: arc-hybrid]",
    type=click.Choice(list(SYSTEMS)),
)
@option(
    "--oracle NAME",
    "Which actions are correct: static, nondeterministic, dynamic; swap-standard: eager, lazy, minimal, nd-sw, "
    "nd-all. [default: dynamic or nd-all; with a beam, nondeterministic or nd-all]",
)
@option("--iterations N", "Iterations over the data. [default: linear: mostly 15; neural: 30 to 40]", type=int)
@integer(
    "--beam WIDTH",
    "Learn whole derivations with a beam of this width, 20 for example: slower, and more accurate.",
    default=1,
    most=WIDEST,
)
@flag("--early-update", "With a beam: early update, not max-violation.")
@option("--explore P", "Dynamic oracle: probability that a mistake is followed (p).", default=0.9)
@integer("--explore-after", "Dynamic oracle: iterations without exploration (k).", default=1, least=0)
@flag("--random-choice", "After a mistake take a random correct action, not the best one.")
@choice("--update", "The update rule.", values=UPDATES)
@option(
    "--templates FILE",
    "Feature templates: a file, or the name of a shipped one. [default: the system's, with all columns]",
)
@choice(
    "--nonprojective",
    "What projective systems do with non-projective trees: lift them with one of four encodings, drop or keep them.",
    values=NONPROJECTIVE,
    default="head",
)
@option("--vectors FILE", "Pretrained word vectors: word2vec, GloVe or fastText as text.")
@option("--vectors-size MB", "How much of the vectors the model keeps, the words of the treebank first.", default=10.0)
@option(
    "--positions FILE",
    "Which words and labels of a configuration the network sees: a file, or the name of a shipped one. "
    "[default: the system's]",
)
@integer("--layers", f"Number of layers of bidirectional LSTM. [default: {NETWORK.layers}]")
@integer(
    "--width",
    f"Width of each layer in each direction; the parser's time grows with it. [default: {NETWORK.width}]",
)
@integer("--units", f"Number of units of the hidden layer, which scores the actions. [default: {NETWORK.units}]")
@integer("--batch", "Number of words in a batch of training. [default: 500 to 2000, by the size of the treebank]")
@option("--dropout P", f"Dropout in training. [default: {NETWORK.dropout}]", type=float)
@flag("--resume", "Continue an interrupted training from MODEL.checkpoint.")
@system_options
@integer("--max-length WORDS", "Train the parser on no longer sentences. [default: no limit]")
@flag("--allow-multiple-roots", "Parses may have more than one root word.")
@option("--size MB", "Maximum size of the parser's weights.", default=12.0)
@option("--seed N", "Random seed; the same one gives the same model.", default=1)
@option("--name", "Name of the training data, for the record in the model. [default: the file's]")
@option("--licence", "Licence of the training data, for the record in the model.")
def train_command(
    treebank: str, output: str, dev: str | None, patience: int | None, components: str | None, tags: str, folds: int,
    jobs: int | None, detokenize: bool, name: str | None, licence: str | None,
    vectors: str | None, vectors_size: float, resume: bool, max_length: int | None, **options: Any
) -> None:  # fmt: skip
    """Train tokenizer, tagger, lemmatizer and parser on TREEBANK (CoNLL-U with gold trees, .gz and .xz too).

    \b
    dodona train train.conllu --dev dev.conllu -o my.model
    dodona train train.conllu --dev dev.conllu --scorer neural --vectors vectors.txt.gz -o my.model
    dodona train train.conllu --beam 20 -o my.model
    dodona train train.conllu --components parser --tags gold -s swap-standard -o my.model
    """
    chosen = parser_options(options)
    named = component_names(components)
    checkpoint = f"{output}.checkpoint" if chosen.scorer == "neural" else None
    plan = TrainingPlan(
        named, tags, folds, jobs or available_cores(), patience, vectors=vectors, vectors_size=vectors_size,
        checkpoint=checkpoint, resume=resume, max_length=max_length,
    )  # fmt: skip
    check_target(output)
    if resume and checkpoint is not None and not os.path.exists(checkpoint):
        raise OptionError(f"{checkpoint}: there is no such file; expected the checkpoint of a training to be resumed")
    for what, file in (("treebank", treebank), ("treebank", dev), ("vectors", vectors)):
        if file and is_same_file(output, file):
            raise OptionError(f"{output}: the model would take the place of the {what}; expected another name")
    if dev and is_same_file(treebank, dev):
        say(f"{dev} is both treebank and --dev; expect scores that are far too high")
    sentences, dev_sentences = read_all(treebank), read_all(dev) if dev else []
    if detokenize:
        spacing.detokenize(sentences)
    elif named is None and any(sentence.text is None for sentence in sentences):
        say(f"{treebank} has no raw text (`# text`), so no tokenizer (see --detokenize)")
    _tell_partial(treebank, sentences)
    begin = time.monotonic()
    pipeline = _train(sentences, chosen, plan, dev_sentences)
    data = _replace_surrogates(name or treebank.rpartition("/")[2])
    pipeline.about |= {"data": data, "sentences": len(sentences), "licence": _replace_surrogates(licence)}
    pipeline.save(output)
    if checkpoint is not None and os.path.exists(checkpoint):
        os.remove(checkpoint)
    parts = ", ".join(pipeline.components())
    click.echo(f"{output}: {parts}; trained in {time.monotonic() - begin:.0f} seconds", err=True)


def _tell_partial(treebank: str, sentences: list[Sentence]) -> None:
    """Say how much of a treebank has no head, so that it is learned from in part, or not at all."""
    missing = [sentence.heads.count(None) for sentence in sentences]
    partial, empty = (sum(map(check, missing, sentences)) for check in (_is_partial, _is_empty))
    if partial or empty:
        words = sum(map(len, sentences))
        of = f"{len(sentences):,} sentences"
        say(
            f"{treebank}: {partial:,} of {of} have part of a tree and {empty:,} have none; "
            f"{sum(missing):,} of {words:,} words have no head, and are not learned from"
        )


def _is_partial(missing: int, sentence: Sentence) -> bool:
    return 0 < missing < len(sentence)


def _is_empty(missing: int, sentence: Sentence) -> bool:
    return missing == len(sentence)


def component_names(listed: str | None) -> list[str] | None:
    """Return the names in the value of --components; None without the option."""
    return None if listed is None else [name.strip() for name in listed.split(",")]


def parser_options(options: dict[str, Any]) -> ParserOptions:
    of_network, of_system = (
        {name: value for name in names if (value := options.pop(name, None)) is not None}
        for names in (("layers", "width", "units", "batch", "dropout"), option_names())
    )
    network = NetworkOptions(**of_network) if of_network else None
    single_root = not options.pop("allow_multiple_roots")
    return ParserOptions(system_options=of_system, single_root=single_root, network=network, **options)


def _replace_surrogates(text: str | None) -> str | None:
    """Return text from the command line as a file can hold it."""
    return None if text is None else text.encode("utf-8", "replace").decode()


def _train(sentences: list[Sentence], options: ParserOptions, plan: TrainingPlan, dev: list[Sentence]) -> Pipeline:
    """Train, with a bar on a terminal and a line after each iteration."""
    with open_bar(TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()) as bar:
        task = bar.add_task("training", total=None)

        def show(progress: TrainingProgress) -> None:
            if progress.share == 1:
                bar.console.print(str(progress))
            done = progress.iteration - 1 + progress.share
            bar.update(task, description=progress.component, completed=done, total=progress.iterations)

        try:
            return train_pipeline(sentences, options, plan, dev, show)
        except KeyboardInterrupt:
            if plan.checkpoint is not None and os.path.exists(plan.checkpoint):
                say(f"{plan.checkpoint} is kept; --resume goes on from it")
            raise
