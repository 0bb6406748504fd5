"""Training a pipeline on a treebank: all components in their order, the parser on predicted tags.

`train` is `dodona.train`. Whatever can be refused is refused before the first component is trained: options when they
are made, files and trees by `train_pipeline`.
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from dodona.component import Callback, TrainingProgress, ignore
from dodona.data import Sentence
from dodona.data.conllu import combine_faults, read_all
from dodona.data.files import chunks
from dodona.data.spacing import check_text
from dodona.errors import FormatError, OptionError
from dodona.lemmatizer.lemmatizer import LemmatizerOptions, train_lemmatizer
from dodona.neural.options import NetworkOptions
from dodona.neural.vectors import Vectors, read_vectors
from dodona.parser.confidence import calibrate, hold_back
from dodona.parser.neural import NeuralModel
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser
from dodona.parser.training import (
    NO_TREE,
    NetworkSource,
    ParserTraining,
    begin_training,
    build_for_labels,
    check_parser_options,
    check_tree,
)
from dodona.pipeline.checkpoint import BestParser, Checkpoint
from dodona.pipeline.jackknife import jackknife
from dodona.pipeline.modelfile import check_target
from dodona.pipeline.pipeline import COMPONENTS, Pipeline
from dodona.tagger.tagger import COLUMNS, TaggerOptions, train_tagger
from dodona.tokenizer.tokenizer import TokenizerOptions, train_tokenizer

__all__ = ["TAGS", "TrainingPlan", "TrainingProgress", "train", "train_pipeline"]

TAGS = ("predicted", "gold")
LEARNED_COLUMNS = {"tagger": ("upos", "xpos", "feats"), "lemmatizer": ("lemmas", "upos", "feats")}
PATIENCE = 5
PAUSE = 15.0  # seconds between checkpoints at least: each is large


def train(
    treebank: str | Path | Iterable[Sentence],
    dev: str | Path | Iterable[Sentence] = (),
    *,
    components: Sequence[str] | None = None,
    tags: str = "predicted",
    folds: int = 10,
    jobs: int = 1,
    patience: int | None = None,
    vectors: str | Path | None = None,
    vectors_size: float = 10.0,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    max_length: int | None = None,
    system: str | None = None,
    system_options: Mapping[str, Any] | None = None,
    templates: str | None = None,
    positions: str | None = None,
    oracle: str | None = None,
    iterations: int | None = None,
    explore_after: int = 1,
    explore: float = 0.9,
    random_choice: bool = False,
    update: str = "perceptron",
    aggressiveness: float = 0.1,
    beam: int = 1,
    early_update: bool = False,
    nonprojective: str = "head",
    single_root: bool = True,
    size: float = 12.0,
    seed: int = 1,
    scorer: str = "linear",
    network: NetworkOptions | None = None,
    callback: Callback | None = None,
) -> Pipeline:
    """Train a pipeline on gold trees, from a file or from sentences.

    The options up to `max_length` are those of `TrainingPlan`: the components, the tags on which the parser is trained,
    the files of a network's training, and the length of sentences. The others are those of `ParserOptions`, which
    docs/training.md and docs/neural.md explain. None means the default for the treebank, the scorer or the system.
    `callback` is called with a `TrainingProgress` after each iteration of each component; if it returns True, that was
    the last one of this component.
    """
    given = locals()
    options = ParserOptions(**{field.name: given[field.name] for field in fields(ParserOptions)})
    plan = TrainingPlan(**{field.name: given[field.name] for field in fields(TrainingPlan)})
    if callback is not None and not callable(callback):
        raise OptionError(f"callback {callback!r}: expected a function that takes a TrainingProgress")

    def tell(progress: TrainingProgress) -> bool:
        return callback is not None and progress.is_iteration and bool(callback(progress))

    return train_pipeline(_sentences(treebank), options, plan, _sentences(dev), tell)


def _sentences(source: str | Path | Iterable[Sentence]) -> list[Sentence]:
    return read_all(source) if isinstance(source, str | Path) else list(source)


@dataclass(frozen=True)
class TrainingPlan:
    """Which components are trained, and on which tags the parser is trained."""

    components: Sequence[str] | None = None  # None: all that the treebank has data for
    tags: str = "predicted"  # by taggers trained on other sentences; or "gold"
    folds: int = 10  # number of these taggers
    jobs: int = 1  # processes that train them; several need a main module that can be imported again
    patience: int | None = None  # iterations of the parser without gain on the development data before it stops; None:
    # 5 for a linear parser; a network learns ever more slowly, as planned from the start, and does not stop
    vectors: str | Path | None = None  # a file of pretrained word vectors, for a network
    vectors_size: float = 10.0  # megabytes of them that are kept
    checkpoint: str | Path | None = None  # a file that the training of a network can be continued from
    resume: bool = False  # continue from it
    max_length: int | None = None  # words; the parser does not learn from longer sentences

    def __post_init__(self) -> None:
        if self.tags not in TAGS:
            raise OptionError(f"tags {self.tags!r}: expected one of {', '.join(TAGS)}")
        for name in self.components or ():
            if name not in COMPONENTS:
                raise OptionError(f"component {name!r}: expected some of {', '.join(COMPONENTS)}")
        if self.components is not None and "parser" not in self.components:
            raise OptionError("components without 'parser': a pipeline ends with one")
        for name in ("folds", "jobs", "patience", "max_length"):
            least = 2 if name == "folds" else 1
            if getattr(self, name) is not None and getattr(self, name) < least:
                raise OptionError(f"{name} {getattr(self, name)}: expected at least {least}")
        if not (math.isfinite(self.vectors_size) and self.vectors_size > 0):
            raise OptionError(f"vectors_size {self.vectors_size!r}: expected megabytes, more than 0")

    def check(self, scorer: str) -> None:
        """Raise an error for options that parsers with this scorer do not have, or files that cannot be used."""
        if scorer != "neural" and (self.vectors is not None or self.resume):
            raise OptionError("vectors, or a training to be resumed; expected them with the scorer 'neural'")
        if self.vectors is not None:
            next(chunks(self.vectors), None)  # an error if it cannot be read
        if self.checkpoint is not None:
            check_target(self.checkpoint)


def train_pipeline(
    sentences: Iterable[Sentence],
    options: ParserOptions,
    plan: TrainingPlan | None = None,
    dev: Iterable[Sentence] = (),
    callback: Callback = ignore,
) -> Pipeline:
    """Train on gold sentences. With `dev`, the parser's best iteration is kept, and the scores go into the model."""
    plan = plan or TrainingPlan()
    check_parser_options(options)
    sentences, dev = list(sentences), list(dev)
    if not sentences:
        raise FormatError("there is no sentence to train on")
    wanted = _choose_components(sentences, plan)
    plan.check(options.scorer)
    _check_training_input(sentences, dev, options, wanted)
    parts: dict[str, Any] = {}
    makers: dict[str, tuple[Callable[..., Any], Any]] = {
        "tokenizer": (train_tokenizer, TokenizerOptions(seed=options.seed)),
        "tagger": (train_tagger, TaggerOptions(seed=options.seed)),
        "lemmatizer": (train_lemmatizer, LemmatizerOptions(seed=options.seed)),
    }
    for name in wanted:
        train_component, own = makers[name]
        parts[name] = train_component(sentences, own, callback)
    seen, seen_dev = sentences, dev
    if "tagger" in parts and plan.tags == "predicted" and len(sentences) > 1:
        callback(TrainingProgress("jackknife", message=f"tagging the training data, {plan.folds} folds"))
        train_fold = partial(train_tagger, options=makers["tagger"][1])
        seen = jackknife(sentences, plan.folds, train_fold, plan.jobs)
        seen_dev = parts["tagger"].apply([sentence.copy() for sentence in dev])
    parser, about = _ParserTrainer(options, plan, dev, seen_dev, callback).train(sentences, seen)
    pipeline = Pipeline(parser, **parts)
    pipeline.about = about
    if dev:
        pipeline.about["dev"] = _score_tags(pipeline, dev) | about["dev"]
    return pipeline


def _choose_components(sentences: Sequence[Sentence], plan: TrainingPlan) -> list[str]:
    """Return the components to be trained: those asked for, or those that the treebank has data for."""
    has = {
        "tokenizer": all(sentence.text is not None for sentence in sentences),
        "tagger": not all(sentence.lacks("upos") and sentence.lacks("xpos") for sentence in sentences),
        "lemmatizer": not all(sentence.lacks("lemmas") for sentence in sentences),
    }
    if plan.components is None:
        return [name for name, possible in has.items() if possible]
    for name, needed in (("tagger", "UPOS or XPOS"), ("lemmatizer", "LEMMA")):
        if name in plan.components and not has[name]:
            raise FormatError(f"a {name} cannot be trained: {needed} is not filled in")
    return [name for name in has if name in plan.components]


def _score_tags(pipeline: Pipeline, dev: Sequence[Sentence]) -> dict[str, float]:
    """Return the accuracy of tags and lemmas on gold words."""
    predicted = [sentence.copy() for sentence in dev]
    pipeline.tag(predicted, retag=True)
    if pipeline.tagger and pipeline.parser.model.retags:
        predicted = pipeline.parser.predict_tags(predicted)
    names = ["UPOS", "XPOS", "FEATS"] if pipeline.tagger else []
    names += ["Lemmas"] if pipeline.lemmatizer else []
    names = [name for name in names if not all(sentence.lacks(name.lower()) for sentence in dev)]  # no data, no score
    total = sum(map(len, dev))
    return {name: round(100 * _count_right(dev, predicted, [name.lower()]) / total, 2) for name in names}


def _check_training_input(
    sentences: Sequence[Sentence], dev: Sequence[Sentence], options: ParserOptions, wanted: Sequence[str]
) -> None:
    """Raise an error that lists the first faults of both treebanks, each with its file and line."""
    faults = [*_faults(sentences, partial(check_tree, options=options)), *_faults(dev, Sentence.check_gold)]
    if "tokenizer" in wanted:
        faults += _faults(sentences, check_text)
    for component, columns in LEARNED_COLUMNS.items():
        if component in wanted:
            faults += _faults(sentences, partial(_check_filled, columns))
    if faults:
        raise combine_faults(faults, "the training data", (sentence.file for sentence in (*sentences, *dev)))
    _check_labels(sentences, options)


def _faults(sentences: Sequence[Sentence], check: Callable[[Sentence], object]) -> Iterator[str]:
    for sentence in sentences:
        try:
            check(sentence)
        except FormatError as error:
            yield str(error)


def _check_filled(columns: Sequence[str], sentence: Sentence) -> None:
    for name in columns:
        values: list[str] = getattr(sentence, name)
        if "" in values:
            d = values.index("") + 1
            shown = "LEMMA" if name == "lemmas" else name.upper()
            raise FormatError(f"{sentence.file}:{sentence.word_line(d)}: {shown} ''; expected a value, `_` for nothing")


def _check_labels(sentences: Sequence[Sentence], options: ParserOptions) -> None:
    """Check that there is something to learn, and not more than actions can be numbered."""
    if all(h is None for s in sentences for h in s.heads):
        raise FormatError(NO_TREE)
    labels = set()
    for sentence in sentences:
        known = {label for h, label in zip(sentence.heads, sentence.labels, strict=True) if h is not None}
        labels |= known - {"_"} if None in sentence.heads else known
    build_for_labels(sorted(labels), options)


@dataclass
class _ParserTrainer:
    """Trains a parser, and keeps its best iteration."""

    options: ParserOptions
    plan: TrainingPlan
    dev: Sequence[Sentence]  # with gold tags
    seen: Sequence[Sentence]  # the same sentences with the tags that the parser sees
    callback: Callback
    best: BestParser | None = None
    checkpoint: Checkpoint | None = None
    save_after: float = 0.0  # in the time of `monotonic`

    def train(self, sentences: Sequence[Sentence], seen: Sequence[Sentence]) -> tuple[Parser, dict[str, Any]]:
        """Return the parser, its best iteration if there is development data, and its entry in the description.

        Without development data, some sentences are held back to calibrate its confidence.
        """
        sentences, seen = self._leave_out_long(sentences, seen)
        held = set() if self.dev else hold_back(sentences)
        if held:
            self._tell("parser", f"{len(held)} sentences held back to calibrate its confidence")
            apart = [seen[i] for i in sorted(held)]
            sentences, seen = ([s for i, s in enumerate(some) if i not in held] for some in (sentences, seen))
        source = self._source(sentences, seen) if self.options.scorer == "neural" else None
        training = begin_training(sentences, self.options, seen, source)
        for progress in training.iterations(self.callback):
            if self._is_last(progress, training):
                break
        if self.best is None:
            parser = training.parser()
            if held:
                calibrate(parser, apart)
            return parser, {}
        parser = self.best.parser
        calibrate(parser, self.seen)
        if isinstance(parser.model, NeuralModel) and self.seen is not self.dev:
            before, after = (_count_right(self.dev, tagged) for tagged in (self.seen, parser.predict_tags(self.seen)))
            parser.model.retags = after > before
        scores = {"UAS": round(self.best.uas, 2), "LAS": round(self.best.las, 2)}
        return parser, {"dev": scores, "iteration": self.best.iteration}

    def _tell(self, component: str, message: str) -> None:
        self.callback(TrainingProgress(component, message=message))

    def _leave_out_long(
        self, sentences: Sequence[Sentence], seen: Sequence[Sentence]
    ) -> tuple[Sequence[Sentence], Sequence[Sentence]]:
        """Return the sentences to learn from: an oracle may take very long for very long ones."""
        longest = self.plan.max_length
        if longest is None:
            return sentences, seen
        kept = [i for i, sentence in enumerate(sentences) if len(sentence) <= longest]
        if not kept:
            raise FormatError(f"all sentences are longer than {longest} words; expected some to train on")
        if len(kept) < len(sentences):
            self._tell("parser", f"{len(sentences) - len(kept)} sentences of more than {longest} words left out")
        return [sentences[i] for i in kept], [seen[i] for i in kept]

    def _source(self, sentences: Sequence[Sentence], seen: Sequence[Sentence]) -> NetworkSource:
        vectors = self._read_vectors(self.plan.vectors, sentences) if self.plan.vectors is not None else None
        if self.plan.checkpoint is not None:
            self.checkpoint = Checkpoint(self.plan.checkpoint, self.options, [sentences, seen, self.seen], vectors)
        if self.checkpoint is None or not self.plan.resume:
            return NetworkSource(vectors)
        state, self.best = self.checkpoint.load()
        self._tell("parser", f"continuing after iteration {int(state['progress'][0])}")
        return NetworkSource(vectors, state, str(self.plan.checkpoint))

    def _read_vectors(self, path: str | Path, sentences: Sequence[Sentence]) -> Vectors:
        words = {word for sentence in sentences for word in sentence.words}
        vectors = read_vectors(path, self.plan.vectors_size, words | {word.lower() for word in words})
        known = sum(word in words for word in vectors.words)
        kept = f"{len(vectors.words)} of {vectors.read} kept ({self.plan.vectors_size:g} MB)"
        self._tell("vectors", f"{vectors.dimensions} dimensions, {kept}, {known} of them words of the treebank")
        return vectors

    def _is_last(self, progress: TrainingProgress, training: ParserTraining) -> bool:
        """Score the parser after an iteration, keep it if it is the best so far, and return whether to stop."""
        last = False
        patience = PATIENCE if self.plan.patience is None and self.options.scorer == "linear" else self.plan.patience
        if self.dev:
            parser = training.parser()
            uas, las = parser.scores(self.seen)
            progress = replace(progress, uas=uas, las=las)
            if self.best is None or las > self.best.las:
                self.best = BestParser(parser, progress.iteration, uas, las)
            last = patience is not None and progress.iteration - self.best.iteration >= patience
        if self.checkpoint is not None and time.monotonic() >= self.save_after:
            state = training.state()
            if state is not None:
                self.checkpoint.save(state, self.best)
                self.save_after = time.monotonic() + PAUSE
        return bool(self.callback(progress)) or last


def _count_right(gold: Sequence[Sentence], predicted: Sequence[Sentence], columns: Sequence[str] = COLUMNS) -> int:
    pairs = [(getattr(a, name), getattr(b, name)) for a, b in zip(gold, predicted, strict=True) for name in columns]
    return sum(one == other for a, b in pairs for one, other in zip(a, b, strict=True))
