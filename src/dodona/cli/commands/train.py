"""`dodona train`: from a treebank to a model."""

import os
import time
from typing import Any

import click
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

from dodona.cli.options import (
    NETWORK_OPTIONS,
    NEURAL_OPTIONS,
    TRANSFORMER_OPTIONS,
    GroupedCommand,
    choice,
    integer,
    network_options,
    option,
    option_names,
    system_options,
    take_network_options,
    take_system_options,
)
from dodona.cli.outputs import is_same_file, say
from dodona.cli.progress import open_bar
from dodona.data import Sentence, spacing
from dodona.data.conllu import read_all
from dodona.errors import OptionError
from dodona.parser.options import NONPROJECTIVE, SCORERS, UPDATES, WIDEST, ParserOptions
from dodona.pipeline.modelfile import check_target
from dodona.pipeline.pipeline import COMPONENTS, Pipeline
from dodona.pipeline.processes import available_cores
from dodona.pipeline.training import TAGS, TrainingPlan, TrainingProgress, train_pipeline
from dodona.systems.registry import SYSTEMS

GROUPS = {
    "Options": ("output", "dev", "scorer", "seed", "name", "licence"),
    "The pipeline": ("components", "tags", "folds", "jobs", "detokenize"),
    "The parser, with every scorer": (
        *("system", "oracle", "iterations", "patience", "explore", "explore_after", "random_choice"),
        *("nonprojective", *option_names(), "allow_multiple_roots", "max_length"),
    ),
    "The parser, only with --scorer linear": ("beam", "early_update", "update", "templates", "size"),
    "The parser, with --scorer neural or transformer": NETWORK_OPTIONS,
    "The parser, only with --scorer neural": NEURAL_OPTIONS,
    "The parser, only with --scorer transformer": TRANSFORMER_OPTIONS,
}


@click.command(name="train", short_help="Train a model on a treebank.", cls=GroupedCommand, groups=GROUPS)
@click.argument("treebank")
@click.option("-o", "--output", required=True, metavar="MODEL", help="Where to write the model.")
@click.option(
    "--dev", metavar="FILE", help="Development treebank: scored after each iteration, and the best one is kept."
)
@choice(
    "--scorer",
    values=SCORERS,
    help="What scores the parser's actions. linear: feature templates; trained in minutes, the fastest parser. "
    "neural: a network; about 2 to 6 points of LAS more, a parser several times slower, long training without a GPU; "
    "needs JAX to train, but not to parse. transformer: a pretrained encoder (--encoder), the most accurate and by far "
    "the slowest; a teacher for small models, to be trained on a GPU; needs PyTorch.",
)
@integer(
    "--patience",
    help="With --dev: stop after this many iterations without improvement. [default: linear: 5; others: never]",
)
@click.option(
    "--components",
    metavar="LIST",
    help=f"What to train, separated by commas: {', '.join(COMPONENTS)}. [default: all that the treebank has data for]",
)
@choice("--tags", values=TAGS, help="The tags that the parser is trained on: predicted by jackknifing, or gold.")
@integer("--folds", default=10, least=2, help="Number of folds for jackknifing.")
@integer("-j", "--jobs", help="Processes that train the taggers of the folds. [default: one for each core]")
@click.option("--detokenize", is_flag=True, help="Generate raw text for a treebank that has no `# text`.")
@click.option(
    "-s",
    "--system",
    type=click.Choice(list(SYSTEMS)),
    help="The transition system. [default: linear: arc-eager; others: arc-hybrid]",
)
@click.option(
    "--oracle",
    metavar="NAME",
    help="Which actions are correct: static, nondeterministic, dynamic; swap-standard: eager, lazy, minimal, nd-sw, "
    "nd-all. [default: dynamic or nd-all; with a beam, nondeterministic or nd-all]",
)
@click.option(
    "--iterations",
    type=int,
    metavar="N",
    help="Iterations over the data. [default: linear: mostly 15; neural: 30 to 40; transformer: 16 to 40]",
)
@integer(
    "--beam",
    default=1,
    most=WIDEST,
    metavar="WIDTH",
    help="Learn whole derivations with a beam of this width, 20 for example: slower, and more accurate.",
)
@click.option("--early-update", is_flag=True, help="With a beam: early update, not max-violation.")
@option("--explore", default=0.9, metavar="P", help="Dynamic oracle: probability that a mistake is followed (p).")
@integer("--explore-after", default=1, least=0, help="Dynamic oracle: iterations without exploration (k).")
@click.option("--random-choice", is_flag=True, help="After a mistake take a random correct action, not the best one.")
@choice("--update", values=UPDATES, help="The update rule.")
@click.option(
    "--templates",
    metavar="FILE",
    help="Feature templates: a file, or the name of a shipped one. [default: the system's, with all columns]",
)
@choice(
    "--nonprojective",
    values=NONPROJECTIVE,
    default="head",
    help="What projective systems do with non-projective trees: lift them with one of four encodings, drop or "
    "keep them.",
)
@network_options
@system_options
@integer("--max-length", metavar="WORDS", help="Train the parser on no longer sentences. [default: no limit]")
@click.option("--allow-multiple-roots", is_flag=True, help="Parses may have more than one root word.")
@option("--size", default=12.0, metavar="MB", help="Maximum size of the parser's weights.")
@option("--seed", default=1, metavar="N", help="Random seed; the same one gives the same model.")
@click.option("--name", help="Name of the training data, for the record in the model. [default: the file's]")
@click.option("--licence", help="Licence of the training data, for the record in the model.")
def train_command(
    treebank: str, output: str, dev: str | None, patience: int | None, components: str | None, tags: str, folds: int,
    jobs: int | None, detokenize: bool, name: str | None, licence: str | None,
    vectors: str | None, vectors_size: float, encoder: str | None, device: str, resume: bool, max_length: int | None,
    **options: Any
) -> None:  # fmt: skip
    """Train tokenizer, tagger, lemmatizer and parser on TREEBANK (CoNLL-U with gold trees, .gz and .xz too).

    \b
    dodona train train.conllu --dev dev.conllu -o my.model
    dodona train train.conllu --dev dev.conllu --scorer neural --vectors vectors.txt.gz -o my.model
    dodona train train.conllu --dev dev.conllu --scorer transformer --encoder FOLDER -o teacher.model
    dodona train train.conllu --beam 20 -o my.model
    dodona train train.conllu --components parser --tags gold -s swap-standard -o my.model
    """
    chosen = parser_options(options)
    named = component_names(components)
    checkpoint = f"{output}.checkpoint" if chosen.scorer != "linear" else None
    plan = TrainingPlan(
        named, tags, folds, jobs or available_cores(), patience, vectors=vectors, vectors_size=vectors_size,
        encoder=encoder, device=device, checkpoint=checkpoint, resume=resume, max_length=max_length,
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
    begin = time.monotonic()
    pipeline = _train(sentences, chosen, plan, dev_sentences)
    data = _replace_surrogates(name or treebank.rpartition("/")[2])
    pipeline.about |= {"data": data, "sentences": len(sentences), "licence": _replace_surrogates(licence)}
    pipeline.save(output)
    if checkpoint is not None and os.path.exists(checkpoint):
        os.remove(checkpoint)
    parts = ", ".join(pipeline.components())
    click.echo(f"{output}: {parts}; trained in {time.monotonic() - begin:.0f} seconds", err=True)


def component_names(listed: str | None) -> list[str] | None:
    """Return the names in the value of --components; None without the option."""
    return None if listed is None else [name.strip() for name in listed.split(",")]


def parser_options(options: dict[str, Any]) -> ParserOptions:
    """Return the options of the parser, from those of the command line."""
    network = take_network_options(options)
    return ParserOptions(
        system_options=take_system_options(options),
        single_root=not options.pop("allow_multiple_roots"),
        **network,
        **options,
    )


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
