"""`dodona pretrain`: from raw text to an encoder, which `dodona train --pretrained` begins with."""

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from dodona.cli.options import GroupedCommand, amount, choice, flag, integer, option
from dodona.cli.outputs import check_keeps
from dodona.cli.progress import ReadingProgress, show_training
from dodona.data.conllu import read_all
from dodona.data.formats import INPUTS
from dodona.errors import OptionError
from dodona.neural.options import NetworkOptions
from dodona.neural.pretrained import PretrainedEncoder
from dodona.pipeline.modelfile import check_target
from dodona.pipeline.pipeline import collect_rarely
from dodona.pipeline.pretraining import (
    PretrainingPlan,
    Tokenize,
    choose_tokenizer,
    collect_text,
    pretrain_on,
    read_held_out,
    read_texts,
)

USUAL = NetworkOptions()
GROUPS = {
    "Options": ("output", "held_out", "passes", "minutes", "resume", "seed", "name", "licence"),
    "The text": ("kind", "model", "treebank"),
    "The encoder": ("layers", "width", "embedding", "subwords", "vocabulary", "batch", "dropout"),
}


@click.command(
    name="pretrain", short_help="Let a network learn words from raw text first.", cls=GroupedCommand, groups=GROUPS
)
@click.argument("texts", nargs=-1, required=True)
@option("-o, --output FILE", "Where to write the encoder.", required=True)
@option(
    "--held-out FILE",
    "A treebank whose sentences are left out, if the text has them: those that a model will be scored on. May be given "
    "several times.",
    multiple=True,
)
@integer("--passes", "Passes over the text. [default: by its size, 1 to 20]")
@amount("--minutes N", "Learn for so long instead.")
@flag("--resume", "Continue an interrupted pretraining from FILE.checkpoint.")
@option("--seed N", "Random seed; with --passes, the same one gives the same encoder.", default=PretrainingPlan.seed)
@option("--name", "Name of the text, for the record in the encoder. [default: the names of the files]")
@option("--licence", "Licence of the text, for the record in the encoder.")
@choice(
    "--input",
    "Format of the text: text is raw; horizontal: a sentence a line, words separated by spaces; vertical: a word a "
    "line. auto: CoNLL-U or raw text.",
    name="kind",
    values=INPUTS,
)
@option("--model MODEL", "Tokenize raw text with the tokenizer of this model.")
@option(
    "--treebank FILE",
    "Tokenize raw text as this treebank does, by a tokenizer that is trained on it. Without a model or a treebank: by "
    "rules that know no language.",
)
@integer("--layers", "Number of layers of bidirectional LSTM.", default=USUAL.layers)
@integer("--width", "Width of each layer in each direction.", default=USUAL.width)
@integer("--embedding", "Numbers that stand for a word, or a part of it.", default=USUAL.embedding)
@integer("--subwords", "Rows of the table that parts of words are hashed into.", default=USUAL.subwords)
@integer("--vocabulary WORDS", "The most frequent words, which have embeddings.", default=PretrainingPlan.vocabulary)
@integer("--batch", "Number of words in a batch. [default: CPU: 2048; GPU: 8192]")
@option("--dropout P", "Dropout.", default=USUAL.dropout)
def pretrain_command(
    texts: tuple[str, ...], output: str, held_out: tuple[str, ...], passes: int | None, minutes: float | None,
    resume: bool, seed: int, name: str | None, licence: str | None, kind: str, model: str | None, treebank: str | None,
    vocabulary: int, **sizes: Any
) -> None:  # fmt: skip
    """Let the encoder of a network learn words from TEXTS (`-`: standard input; .gz and .xz too), by guessing words
    that are hidden from it. `dodona train --scorer neural --pretrained` begins with it.

    \b
    dodona pretrain novels.txt.gz -o my.encoder --treebank train.conllu --held-out dev.conllu --held-out test.conllu
    dodona pretrain words.txt.xz --input horizontal -o my.encoder --minutes 60
    dodona train train.conllu --dev dev.conllu --scorer neural --pretrained my.encoder -o my.model

    Sentences that stand in the text more than once are used once. Ctrl-C keeps what was learned.
    """
    checkpoint = f"{output}.checkpoint"
    plan = PretrainingPlan(passes, minutes, vocabulary, seed, name or name_files(texts), licence, checkpoint, resume)
    network = NetworkOptions(**sizes)
    check_target(output)
    check_keeps(output, {"text": texts, "treebank": [treebank], "model": [model]}, "the encoder")
    if resume and not os.path.exists(checkpoint):
        raise OptionError(
            f"{checkpoint}: there is no such file; expected the checkpoint of a pretraining to be resumed"
        )
    pretrain_on_files(texts, output, network, plan, choose_tokenizer(model, treebank), kind, held_out)


def pretrain_for_training(
    texts: Sequence[str], output: str, treebank: str, held_out: Sequence[str], sizes: dict[str, int], seed: int,
    resume: bool,
) -> PretrainedEncoder:  # fmt: skip
    """Do the first half of `dodona train --text`: tokens are those of the treebank, if it has raw text."""
    has_text = all(sentence.text is not None for sentence in read_all(treebank))
    plan = PretrainingPlan(seed=seed, name=name_files(texts), checkpoint=f"{output}.checkpoint", resume=resume)
    network = NetworkOptions(**sizes)
    tokenize = choose_tokenizer(treebank=treebank if has_text else None)
    try:
        return pretrain_on_files(texts, output, network, plan, tokenize, "auto", held_out)
    except KeyboardInterrupt:
        if not os.path.exists(f"{output}.checkpoint"):  # what has hardly begun would be taken for what is finished
            with suppress(FileNotFoundError):
                os.remove(output)
        raise


def name_files(files: Sequence[str]) -> str:
    """Return the names of files as the record of an encoder has them."""
    names = ("standard input" if file == "-" else os.path.basename(file) for file in files)
    return ", ".join(names).encode("utf-8", "replace").decode()


def pretrain_on_files(
    texts: Sequence[str], output: str, network: NetworkOptions, plan: PretrainingPlan, tokenize: Tokenize, kind: str,
    held_out: Sequence[str],
) -> PretrainedEncoder:  # fmt: skip
    """Read the text, learn from it and write the encoder, with a bar on a terminal, lines and messages."""
    begin = time.monotonic()
    left_out = read_held_out(held_out)
    with collect_rarely(), ReadingProgress(texts, results=False) as progress:
        sentences = progress.count(read_texts(texts, tokenize, kind, progress.read))
        text = collect_text(sentences, Path(output).resolve().parent, left_out)
    with text, collect_rarely(), show_training(plan.checkpoint) as show:
        encoder = pretrain_on(text, output, network, plan, show)
    if plan.checkpoint is not None and os.path.exists(plan.checkpoint):
        os.remove(plan.checkpoint)
    click.echo(
        f"{output}: {len(encoder.words):,} words; pretrained in {time.monotonic() - begin:.0f} seconds", err=True
    )
    return encoder
