"""`dodona train`: from a treebank to a model."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import click

from dodona.cli.options import GroupedCommand, choice, flag, integer, option, option_names, system_options
from dodona.cli.outputs import check_keeps, is_same_file, say
from dodona.cli.progress import show_training
from dodona.data import Sentence, spacing
from dodona.data.conllu import read_all
from dodona.data.marks import mask_guesses, select_annotated
from dodona.errors import OptionError
from dodona.neural.options import NetworkOptions
from dodona.neural.pretrained import PretrainedEncoder
from dodona.parser.options import NONPROJECTIVE, SCORERS, UPDATES, WIDEST, ParserOptions
from dodona.pipeline.modelfile import check_target
from dodona.pipeline.pipeline import COMPONENTS, collect_rarely
from dodona.pipeline.pretraining import load_encoder
from dodona.pipeline.processes import available_cores
from dodona.pipeline.training import ANNOTATED, TAGS, TrainingPlan, train_pipeline
from dodona.systems.registry import SYSTEMS
from dodona.transformer.options import DEVICES, TransformerOptions

NETWORK, TEACHER = NetworkOptions(), TransformerOptions()  # the defaults
OF_ENCODER = ("layers", "width", "embedding", "subwords")  # sizes that pretraining decides
GROUPS = {
    "Options": ("output", "dev", "scorer", "seed", "name", "licence"),
    "The pipeline": ("components", "tags", "folds", "jobs", "detokenize"),
    "Sentences that another parser has parsed, for tagger and parser": ("silver", "silver_words", "held_out"),
    "The parser, with every scorer": (
        *("system", "oracle", "iterations", "patience", "explore", "explore_after", "random_choice"),
        *("nonprojective", *option_names(), "allow_multiple_roots", "max_length"),
    ),
    "The parser, only with --scorer linear": ("beam", "early_update", "update", "templates", "size"),
    "The parser, with --scorer neural or transformer": (
        *("width", "units", "embedding", "subwords", "positions", "dropout", "batch", "resume"),
    ),
    "The parser, only with --scorer neural": (
        *("text", "pretrained", "pretrained_rate", "vectors", "vectors_size", "layers"),
    ),
    "The parser, only with --scorer transformer": ("encoder", "device"),
}


@click.command(name="train", short_help="Train a model on a treebank.", cls=GroupedCommand, groups=GROUPS)
@click.argument("treebank")
@option("-o, --output MODEL", "Where to write the model.", required=True)
@option("--dev FILE", "Development treebank: scored after each iteration, and the best one is kept.")
@choice(
    "--scorer",
    "What scores the parser's actions. linear: feature templates; trained in minutes, the fastest parser. "
    "neural: a network; about 2 to 6 points of LAS more, a parser several times slower, long training without a GPU; "
    "needs JAX to train, but not to parse. transformer: a pretrained encoder (--encoder), the most accurate and by far "
    "the slowest; a teacher for small models, to be trained on a GPU; needs PyTorch.",
    values=SCORERS,
)
@integer(
    "--patience", "With --dev: stop after this many iterations without improvement. [default: linear: 5; others: never]"
)
@option(
    "--components LIST",
    f"What to train, separated by commas: {', '.join(COMPONENTS)}. [default: all that the treebank has data for]",
)
@choice("--tags", "The tags that the parser is trained on: predicted by jackknifing, or gold.", values=TAGS)
@integer("--folds", "Number of folds for jackknifing.", default=TrainingPlan.folds, least=2)
@integer("-j, --jobs", "Processes that train the taggers of the folds. [default: one for each core]")
@option(
    "--silver FILE",
    "CoNLL-U that another parser has made: tagger and parser learn from it, too, and from gold alone at the end. "
    "It is streamed from disk. May be given several times.",
    multiple=True,
)
@integer(
    "--silver-words",
    "Words of --silver to learn from in all. [default: four passes over them, or four for each gold word if that is "
    "less]",
)
@option(
    "--held-out FILE",
    "CoNLL-U with sentences that are left out of --silver and --text, a test treebank for example; those of --dev are "
    "left out anyway. May be given several times.",
    multiple=True,
)
@flag("--detokenize", "Generate raw text for a treebank that has no `# text`.")
@option(
    "-s, --system",
    "The transition system. [default: linear: arc-eager; others: arc-hybrid]",
    type=click.Choice(list(SYSTEMS)),
)
@option(
    "--oracle NAME",
    "Which actions are correct: static, nondeterministic, dynamic; swap-standard: eager, lazy, minimal, nd-sw, "
    "nd-all. [default: dynamic or nd-all; with a beam, nondeterministic or nd-all]",
)
@option(
    "--iterations N",
    "Iterations over the data. [default: linear: mostly 15; neural: 30 to 40; transformer: 16 to 40]",
    type=int,
)
@integer(
    "--beam WIDTH",
    "Learn whole derivations with a beam of this width, 20 for example: slower, and more accurate.",
    default=ParserOptions.beam,
    most=WIDEST,
)
@flag("--early-update", "With a beam: early update, not max-violation.")
@option("--explore P", "Dynamic oracle: probability that a mistake is followed (p).", default=ParserOptions.explore)
@integer(
    "--explore-after",
    "Dynamic oracle: iterations without exploration (k).",
    default=ParserOptions.explore_after,
    least=0,
)
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
    default=ParserOptions.nonprojective,
)
@option(
    "--text FILE",
    "Raw text that the network learns words from first, as `dodona pretrain` does; its encoder is kept in "
    "MODEL.encoder. May be given several times.",
    multiple=True,
)
@option("--pretrained FILE", "An encoder to begin with, made by `dodona pretrain`.")
@option(
    "--pretrained-rate SHARE",
    "The share of the learning rate that the encoder goes on learning at.",
    default=TrainingPlan.pretrained_rate,
)
@option(
    "--encoder FOLDER",
    "The pretrained encoder: a folder in Hugging Face's layout (config.json, model.safetensors, tokenizer.json), or a "
    "name that transformers looks up.",
)
@choice("--device", "Where to train. auto: on a GPU if there is one.", values=DEVICES)
@option("--vectors FILE", "Pretrained word vectors: word2vec, GloVe or fastText as text.")
@option(
    "--vectors-size MB",
    "How much of the vectors the model keeps, the words of the treebank first.",
    default=TrainingPlan.vectors_size,
)
@option(
    "--positions FILE",
    "Which words and labels of a configuration the network sees: a file, or the name of a shipped one. "
    "[default: the system's]",
)
@integer("--layers", f"Number of layers of bidirectional LSTM. [default: {NETWORK.layers}]")
@integer(
    "--width",
    "Width of each layer in each direction; the parser's time grows with it. "
    f"[default: neural: {NETWORK.width}; transformer: {TEACHER.width}]",
)
@integer("--units", f"Number of units of the hidden layer, which scores the actions. [default: {NETWORK.units}]")
@integer(
    "--embedding",
    "Numbers that stand for a word, or a part of it; they make the model larger, but not slower. "
    f"[default: neural: {NETWORK.embedding}; transformer: {TEACHER.embedding}]",
)
@integer(
    "--subwords",
    "Rows of the table that parts of words are hashed into. "
    f"[default: neural: {NETWORK.subwords:,}; transformer: {TEACHER.subwords:,}]",
)
@integer("--batch", "Number of words in a batch of training. [default: 500 to 2000, by the size of the treebank]")
@option(
    "--dropout P",
    f"Dropout in training. [default: neural: {NETWORK.dropout}; transformer: {TEACHER.dropout}]",
    type=float,
)
@flag("--resume", "Continue an interrupted training from MODEL.checkpoint.")
@system_options
@integer("--max-length WORDS", "Train the parser on no longer sentences. [default: no limit]")
@flag("--allow-multiple-roots", "Parses may have more than one root word.")
@option("--size MB", "Maximum size of the parser's weights.", default=ParserOptions.size)
@option("--seed N", "Random seed; the same one gives the same model.", default=ParserOptions.seed)
@option("--name", "Name of the training data, for the record in the model. [default: the file's]")
@option("--licence", "Licence of the training data, for the record in the model.")
def train_command(
    treebank: str, output: str, dev: str | None, components: str | None, jobs: int | None, detokenize: bool,
    name: str | None, licence: str | None, text: tuple[str, ...], pretrained: str | None, resume: bool,
    silver: tuple[str, ...], held_out: tuple[str, ...], **options: Any
) -> None:  # fmt: skip
    """Train tokenizer, tagger, lemmatizer and parser on TREEBANK (CoNLL-U with gold trees, .gz and .xz too).

    \b
    dodona train train.conllu --dev dev.conllu -o my.model
    dodona train train.conllu --dev dev.conllu --scorer neural --vectors vectors.txt.gz -o my.model
    dodona train train.conllu --dev dev.conllu --scorer neural --text novels.txt.gz -o my.model
    dodona train train.conllu --dev dev.conllu --scorer transformer --encoder FOLDER -o teacher.model
    dodona train train.conllu --dev dev.conllu --silver parsed.conllu.gz --held-out test.conllu -o my.model
    dodona train train.conllu --beam 20 -o my.model
    dodona train train.conllu --components parser --tags gold -s swap-standard -o my.model
    """
    check_target(output)
    checkpoint = f"{output}.checkpoint" if options["scorer"] != "linear" else None
    resumes = resume and (checkpoint is None or has_checkpoint(output, text))
    begun_from = None
    if text or pretrained is not None:
        begun_from = _find_encoder(
            text, pretrained, output, treebank, [*held_out, *([dev] if dev else [])], resume, options
        )
    elif held_out and not silver:
        raise OptionError("--held-out without --silver or --text; expected one of them")
    chosen = parser_options(options, begun_from)
    named = component_names(components)
    plan = TrainingPlan(
        components=named, jobs=jobs or available_cores(), pretrained=begun_from, checkpoint=checkpoint, resume=resumes,
        silver=silver, held_out=held_out if silver else (), **options_of(TrainingPlan, options),
    )  # fmt: skip
    sources = {"treebank": (treebank, dev), "vectors": (plan.vectors,), "encoder": (pretrained,)}
    check_keeps(output, sources | {"silver sentences": silver}, "the model")
    if dev and is_same_file(treebank, dev):
        say(f"{dev} is both treebank and --dev; expect scores that are far too high")
    sentences, dev_sentences = list(map(mask_guesses, read_all(treebank))), read_all(dev) if dev else []
    if left_out := len(dev_sentences) - len(select_annotated(dev_sentences, *ANNOTATED)):
        say(f"{dev}: {left_out:,} of {len(dev_sentences):,} sentences are annotated in part, and left out")
    if detokenize:
        spacing.detokenize(sentences)
    elif named is None and any(sentence.text is None for sentence in sentences):
        say(f"{treebank} has no raw text (`# text`), so no tokenizer (see --detokenize)")
    _tell_partial(treebank, sentences)
    begin = time.monotonic()
    with collect_rarely(), show_training(checkpoint) as show:
        pipeline = train_pipeline(sentences, chosen, plan, dev_sentences, show)
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
    if any(missing):
        empty = sum(count == len(sentence) for count, sentence in zip(missing, sentences, strict=True))
        partial = len(missing) - missing.count(0) - empty
        words = sum(map(len, sentences))
        of = f"{len(sentences):,} sentences"
        say(
            f"{treebank}: {partial:,} of {of} have part of a tree and {empty:,} have none; "
            f"{sum(missing):,} of {words:,} words have no head, and are not learned from"
        )


def component_names(listed: str | None) -> list[str] | None:
    """Return the names in the value of --components; None without the option."""
    return None if listed is None else [name.strip() for name in listed.split(",")]


def _find_encoder(
    text: tuple[str, ...], pretrained: str | None, output: str, treebank: str, held_out: list[str], resume: bool,
    options: dict[str, Any],
) -> PretrainedEncoder:  # fmt: skip
    """Return the encoder of a file, or one that learns from text now; when all is resumed, the one that has."""
    if options["scorer"] != "neural" or (text and pretrained is not None):
        raise OptionError("--text and --pretrained: expected one of them, with --scorer neural")
    if pretrained is not None:
        return load_encoder(pretrained)
    from dodona.cli.commands.pretrain import pretrain_for_training

    target, unfinished = _encoder_files(output)
    is_begun = resume and os.path.exists(unfinished)
    if resume and not is_begun and os.path.exists(target):
        return load_encoder(target)
    sizes = {name: options[name] for name in OF_ENCODER if options[name] is not None}
    return pretrain_for_training(text, target, treebank, held_out, sizes, options["seed"], is_begun)


def has_checkpoint(output: str, text: Sequence[str] = ()) -> bool:
    """Whether a training is resumed from a checkpoint of the model, and not before it, where only the words of a text
    were learned; an error if there is nothing at all to go on from."""
    checkpoint = f"{output}.checkpoint"
    if os.path.exists(checkpoint):
        return True
    if text and any(map(os.path.exists, _encoder_files(output))):
        return False
    raise OptionError(f"{checkpoint}: there is no such file; expected the checkpoint of a training to be resumed")


def _encoder_files(output: str) -> tuple[str, str]:
    """Return the names of the encoder that belongs to a model, and of its checkpoint."""
    return f"{output}.encoder", f"{output}.encoder.checkpoint"


def options_of(kind: type[ParserOptions] | type[TrainingPlan], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those options of the command line that have the name of an option of this kind."""
    return {field.name: options[field.name] for field in fields(kind) if field.name in options}


def parser_options(options: Mapping[str, Any], encoder: PretrainedEncoder | None = None) -> ParserOptions:
    """Return the options of the parser, from those of the command line. Sizes of a network that are not given are those
    of the encoder that it begins with."""
    of_network, of_system = (
        {name: options[name] for name in names if options.get(name) is not None}
        for names in ((*OF_ENCODER, "units", "batch", "dropout"), option_names())
    )
    if encoder is not None:
        of_network = encoder.sizes | of_network
    kind: tuple[str, Any] = ("network", NetworkOptions)
    if options["scorer"] == "transformer":
        if "layers" in of_network:
            raise OptionError("layers; expected them only with the scorer 'neural'")
        kind = ("transformer", TransformerOptions)
    network = {kind[0]: kind[1](**of_network)} if of_network else {}
    single_root = not options["allow_multiple_roots"]
    own = options_of(ParserOptions, options)
    return ParserOptions(system_options=of_system, single_root=single_root, **network, **own)


def _replace_surrogates(text: str | None) -> str | None:
    """Return text from the command line as a file can hold it."""
    return None if text is None else text.encode("utf-8", "replace").decode()
