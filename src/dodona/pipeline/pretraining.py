"""Pretraining an encoder on raw text, and its file: `pretrain` is `dodona.pretrain`.

A text is tokenized by a model, by a tokenizer that is trained on a treebank, so that its tokens are those of the task,
or by rules. The file of an encoder is like a model's: data, with a digest, checked when it is loaded.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dodona.component import Callback, TrainingProgress, ignore
from dodona.data import Sentence
from dodona.data.conllu import read_all
from dodona.data.files import chunks
from dodona.data.formats import read_stream
from dodona.data.held_out import HeldOut
from dodona.data.stream import Item, only_sentences
from dodona.errors import FormatError, OptionError
from dodona.neural.options import NetworkOptions, check_network_can_learn
from dodona.neural.pretrained import PretrainedEncoder
from dodona.neural.raw_text import LONGEST, RawText, choose_words
from dodona.pipeline import modelfile
from dodona.pipeline.models import load
from dodona.tokenizer.rules import split_by_rules
from dodona.tokenizer.tokenizer import TokenizerOptions, train_tokenizer

if TYPE_CHECKING:
    from dodona.neural.pretraining import WordGuesser

__all__ = [
    "PretrainingPlan", "choose_tokenizer", "collect_text", "describe_encoder", "is_encoder", "load_encoder",
    "pretrain", "pretrain_on", "read_held_out", "read_texts", "save_encoder",
]  # fmt: skip

Tokenize = Callable[[Iterator[str]], Iterator[Item]]

ENCODER = "encoder"
LEAST = 2  # times that a word of the vocabulary occurs
TO_LEARN = 30_000_000, 100_000_000  # words in all passes, on a CPU and on an accelerator
MOST_PASSES = 20
PAUSE = 120.0  # seconds between checkpoints, of which the first comes with the first measurement


@dataclass(frozen=True)
class PretrainingPlan:
    """How long an encoder learns, how many words it knows, and what is recorded about its text."""

    passes: int | None = None  # over the text; None: as long as `minutes` says, or by the amount of text
    minutes: float | None = None
    vocabulary: int = 20_000
    seed: int = 1
    name: str | None = None
    licence: str | None = None
    checkpoint: str | Path | None = None
    resume: bool = False

    def __post_init__(self) -> None:
        if self.passes is not None and self.minutes is not None:
            raise OptionError("passes and minutes; expected one of them")
        for name, least in (("passes", 1), ("vocabulary", 1)):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < least):
                raise OptionError(f"{name} {value!r}: expected a number, at least {least}")
        if self.minutes is not None and not 0 < self.minutes < float("inf"):
            raise OptionError(f"minutes {self.minutes!r}: expected a number above 0")


def pretrain(
    texts: str | Path | Sequence[str | Path] | Iterable[Sentence],
    output: str | Path | None = None,
    *,
    model: str | Path | None = None,
    treebank: str | Path | None = None,
    held_out: Sequence[str | Path] = (),
    format: str = "auto",
    passes: int | None = None,
    minutes: float | None = None,
    vocabulary: int = PretrainingPlan.vocabulary,
    network: NetworkOptions | None = None,
    seed: int = 1,
    name: str | None = None,
    licence: str | None = None,
    callback: Callback | None = None,
) -> PretrainedEncoder:
    """Let the encoder of a network learn from raw text, in files or as sentences, and write it to a file, if one is
    named; `dodona.train(…, scorer="neural", pretrained=…)` takes both.

    Files are tokenized by a `model`, by a tokenizer trained on a `treebank`, or by rules. The sentences of the
    `held_out` treebanks are left out. docs/pretraining.md explains the rest.
    """
    plan = PretrainingPlan(passes, minutes, vocabulary, seed, name, licence)
    if isinstance(texts, str | Path):
        texts = [texts]
    if not isinstance(texts, Sequence) or all(isinstance(text, Sentence) for text in texts):
        sentences: Iterable[Sentence] = texts  # type: ignore[assignment]
        files: list[str] = []
    else:
        files = [str(text) for text in texts]
        sentences = read_texts(files, choose_tokenizer(model, treebank), format)
    if output is not None:
        modelfile.check_target(output)
    plan = replace(plan, name=name or (", ".join(Path(file).name for file in files) or None))
    network = network or NetworkOptions()
    folder = Path(output).resolve().parent if output is not None else Path(".")
    with collect_text(sentences, folder, read_held_out(held_out)) as text:
        return pretrain_on(text, output, network, plan, callback or ignore)


def read_held_out(files: Iterable[str | Path]) -> HeldOut | None:
    """Return the sentences of some treebanks, None without any."""
    sentences = [sentence for file in files for sentence in read_all(file)]
    return HeldOut(sentences) if sentences else None


def choose_tokenizer(model: str | Path | None = None, treebank: str | Path | None = None) -> Tokenize:
    """Return what turns raw text into sentences: the tokenizer of a model, one trained on a treebank, or rules."""
    if model is not None and treebank is not None:
        raise OptionError("a model and a treebank; expected one of them to tokenize with")
    if model is not None:
        pipeline = load(model)
        if pipeline.tokenizer is None:
            raise OptionError(f"{model}: this model has no tokenizer; expected one that has")
        return pipeline.tokenize
    if treebank is not None:
        sentences = read_all(treebank)
        if not sentences or any(sentence.text is None for sentence in sentences):
            raise FormatError(f"{treebank}: no raw text (`# text`) to learn tokens from; expected it in every sentence")
        return train_tokenizer(sentences, TokenizerOptions()).stream
    return split_by_rules


def read_texts(
    files: Iterable[str], tokenize: Tokenize, format: str = "auto", count: Callable[[int], None] | None = None
) -> Iterator[Sentence]:
    """Yield the sentences of files in any of the formats; `count` is told of the bytes that are read."""
    for file in files:
        yield from only_sentences(read_stream(format, chunks(file, count=count), file, tokenize=tokenize))


def collect_text(sentences: Iterable[Sentence], folder: str | Path = ".", held_out: HeldOut | None = None) -> RawText:
    """Return sentences as a text to learn from, in temporary files in this folder."""
    text = RawText(str(folder), held_out)
    for sentence in sentences:
        text.add(sentence)
    return text


def pretrain_on(
    text: RawText,
    output: str | Path | None,
    network: NetworkOptions,
    plan: PretrainingPlan,
    callback: Callback = ignore,
) -> PretrainedEncoder:
    """Learn from a text, and write the encoder, if a file is named; after Ctrl-C, what was learned so far."""
    dropped = ", ".join(f"{number:,} {kind}" for kind, number in text.dropped.items())
    counted = f"{text.counts.words:,} words, {text.counts.types:,} types"
    _tell(callback, f"{counted}; left out: {dropped}; cut at {LONGEST} words: {text.cut:,}")
    check_network_can_learn()
    plan = _plan_passes(text, plan, callback)
    digest = _digest(text, network, plan)
    guesser = _begin(text, network, plan, digest, callback)
    try:
        _learn(guesser, plan, digest, callback)
    except KeyboardInterrupt:
        if guesser.updates and output is not None:
            save_encoder(output, guesser.encoder(_describe_text(text, guesser, plan)))
            _tell(callback, f"{output} has what was learned so far")
        raise
    encoder = guesser.encoder(_describe_text(text, guesser, plan))
    if output is not None:
        save_encoder(output, encoder)
    return encoder


def _tell(callback: Callback, message: str) -> None:
    callback(TrainingProgress("pretraining", message=message))


def _plan_passes(text: RawText, plan: PretrainingPlan, callback: Callback) -> PretrainingPlan:
    """Return the plan with a number of passes that follows from the amount of text, unless something else is given."""
    if plan.passes is not None or plan.minutes is not None:
        return plan
    from dodona.neural.pretraining import has_accelerator  # which needs JAX

    wanted = TO_LEARN[has_accelerator()]
    passes = max(1, min(MOST_PASSES, round(wanted / max(1, text.counts.words))))
    where = "a GPU" if has_accelerator() else "a CPU"
    enough = f"about {wanted // 1_000_000} million words are enough to learn from on {where}"
    most = f"{MOST_PASSES} passes are the most"
    _tell(callback, f"{passes} pass{'es' if passes > 1 else ''} over the text, as {enough}, and {most}")
    return replace(plan, passes=passes)


def _begin(
    text: RawText, network: NetworkOptions, plan: PretrainingPlan, digest: str, callback: Callback
) -> "WordGuesser":
    """Return the learner, at the place where it was interrupted if it is to be resumed."""
    from dodona.neural.pretraining import WordGuesser

    words = choose_words(text.counts, plan.vocabulary, LEAST)
    if len(text) <= len(text.list_held_back()) or not words:
        raise FormatError(
            f"{plan.name or 'text'}: nothing to learn from; expected several different sentences of three words or "
            "more, and words that occur twice"
        )
    guesser = WordGuesser(network, text, words, passes=plan.passes, minutes=plan.minutes, seed=plan.seed)
    if plan.resume and plan.checkpoint is not None:
        metadata, state = modelfile.load(plan.checkpoint)
        if metadata.get("pretraining") != digest:
            raise FormatError(
                f"{plan.checkpoint}: the checkpoint of another pretraining; expected the same text and options"
            )
        try:
            guesser.restore(state)
        except ValueError as error:
            raise FormatError(f"{plan.checkpoint}: {error}") from error
        _tell(callback, f"continuing after {guesser.seen:,} words")
    return guesser


def _learn(guesser: "WordGuesser", plan: PretrainingPlan, digest: str, callback: Callback) -> None:
    """Learn to the end, with a checkpoint from time to time and a line whenever the held-out loss was measured."""
    begin, before = time.monotonic(), guesser.seen
    saved = float("-inf")
    first = None
    for progress in guesser.run():
        if progress.share < 1:
            callback(TrainingProgress("pretraining", 1, 1, share=progress.share))
        now = time.monotonic()
        first = progress.share if first is None else first
        if progress.held_out is not None:
            line = f"{progress}; {(progress.words - before) / max(1e-9, now - begin):,.0f} words/s"
            if first < progress.share < 1:
                line += f", {(now - begin) * (1 - progress.share) / (progress.share - first) / 60:.0f} min left"
            _tell(callback, line)
        if plan.checkpoint is not None and now - saved > PAUSE and (progress.held_out is not None or saved > begin):
            modelfile.save(plan.checkpoint, {"pretraining": digest}, guesser.state())
            saved = time.monotonic()


def _digest(text: RawText, network: NetworkOptions, plan: PretrainingPlan) -> str:
    """Return what tells whether a checkpoint belongs to this text and these options."""
    own = [asdict(network), plan.passes, plan.minutes, plan.vocabulary, plan.seed, text.digest]
    return hashlib.sha256(json.dumps(own).encode()).hexdigest()


def _describe_text(text: RawText, guesser: "WordGuesser", plan: PretrainingPlan) -> dict[str, Any]:
    about = {
        "text": plan.name,
        "licence": plan.licence,
        "words": text.counts.words,
        "types": text.counts.types,
        "sentences": text.sentences,
        "learned from": f"{guesser.seen:,} words, {guesser.updates:,} updates, seed {plan.seed}",
        "held-out loss": round(guesser.held_out_loss(), 4),
    }
    return {key: value for key, value in about.items() if value is not None}


def save_encoder(path: str | Path, encoder: PretrainedEncoder) -> None:
    """Write an encoder to a file, whole or not at all."""
    description, arrays = encoder.parts()
    named = {f"{ENCODER}.{name}": values for name, values in arrays.items()}
    modelfile.save(path, {"about": encoder.about, ENCODER: description}, named)


def load_encoder(path: str | Path) -> PretrainedEncoder:
    """Read an encoder from a file; any inconsistency raises a FormatError."""
    metadata, arrays = modelfile.load(path)
    about = metadata.get("about")
    if set(metadata) != {"about", ENCODER} or not isinstance(about, dict):
        raise FormatError(f"{path}: expected an encoder made by `dodona pretrain`, found {sorted(metadata)}")
    own = {name.removeprefix(f"{ENCODER}."): values for name, values in arrays.items()}
    return PretrainedEncoder.from_parts(metadata[ENCODER], own, about, str(path))


def is_encoder(path: str | Path) -> bool:
    """Return whether a file that looks like a model is an encoder."""
    return modelfile.is_model(path) and ENCODER in modelfile.read_about(path)


def describe_encoder(encoder: PretrainedEncoder) -> Mapping[str, str]:
    """Return the description line by line: names and values."""
    sizes = encoder.sizes
    rows = {
        "encoder": f"{sizes['layers']} layers of {sizes['width']} in each direction, {sizes['inputs']} inputs",
        "vocabulary": f"{len(encoder.words):,} words, {sizes['subwords']:,} subwords, {sizes['embedding']} dimensions",
    }
    return rows | {key: f"{value:,}" if type(value) is int else str(value) for key, value in encoder.about.items()}
