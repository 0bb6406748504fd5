"""From a treebank to a pipeline: all components in their order, the parser on predicted tags."""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from dodona.component import Iteration
from dodona.data import Sentence
from dodona.data.files import chunks
from dodona.data.spacing import check_text
from dodona.errors import FormatError, OptionError
from dodona.lemmatizer.lemmatizer import LemmatizerOptions, train_lemmatizer
from dodona.neural.vectors import Vectors, read_vectors
from dodona.parser import training as parser_training
from dodona.parser.confidence import calibrate, held_back
from dodona.parser.neural import NeuralModel
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser
from dodona.parser.training import MOST_ACTIONS, NetworkSource, check_tree
from dodona.pipeline.checkpoint import Checkpoint
from dodona.pipeline.jackknife import jackknifed, with_tag_columns
from dodona.pipeline.modelfile import check_target
from dodona.pipeline.pipeline import COMPONENTS, Pipeline
from dodona.tagger.tagger import COLUMNS, TaggerOptions, train_tagger
from dodona.tokenizer.tokenizer import TokenizerOptions, train_tokenizer

__all__ = [
    "TAGS",
    "Advance",
    "Callback",
    "ParserStudy",
    "Say",
    "TrainingPlan",
    "TrainingStep",
    "check_training_input",
    "nobody",
    "say_nothing",
    "train_pipeline",
]


@dataclass(frozen=True)
class TrainingStep:
    """An iteration of the training of a component that is done."""

    component: str  # "tokenizer", "tagger", "lemmatizer" or "parser"
    iteration: int  # from 1
    iterations: int  # that are planned
    accuracy: float | None  # the share of decisions that were right during the iteration; None if there was none
    uas: float | None = None  # of the parser on the development data, in percent; None without such data
    las: float | None = None


Callback = Callable[[TrainingStep], bool | None]
"""Called after each iteration. If it returns True, that was the last one of this component."""


def nobody(step: TrainingStep) -> None:
    """A `Callback` for those who do not want to be called."""


TAGS = ("predicted", "gold")


@dataclass(frozen=True)
class TrainingPlan:
    """Which components are trained, and on which tags the parser is trained."""

    components: Sequence[str] | None = None  # None: all that the treebank has data for
    tags: str = "predicted"  # by taggers trained on other sentences; or "gold"
    folds: int = 10  # number of these taggers
    jobs: int = 1  # processes that train them; several need a main module that can be imported again
    patience: int | None = None  # iterations of the parser without gain on the development data before it stops

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


SHOWN = 10
LEARNED_COLUMNS = {"tagger": ("upos", "xpos", "feats"), "lemmatizer": ("lemmas", "upos", "feats")}


def check_training_input(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence],
    options: ParserOptions,
    wanted: Sequence[str],
    plan: TrainingPlan,
) -> None:
    """Raise an error that lists the first faults of both treebanks, each with its file and line."""
    _check_files(plan)
    faults = [
        *_faults(sentences, lambda sentence: check_tree(sentence, options)),
        *_faults(dev, Sentence.check_gold),
    ]
    if "tokenizer" in wanted:
        faults += _faults(sentences, check_text)
    for component, columns in LEARNED_COLUMNS.items():
        if component in wanted:
            faults += _faults(sentences, partial(_check_filled, columns))
    if len(faults) == 1:
        raise FormatError(faults[0])
    if faults:
        listed = "".join(f"\n  {fault}" for fault in islice(faults, SHOWN))
        more = f"\n  and {len(faults) - SHOWN:,} more" if len(faults) > SHOWN else ""
        raise FormatError(f"{len(faults):,} faults in the training data:{listed}{more}")
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
        raise FormatError("there is no tree to train on; expected sentences with HEAD filled in")
    labels = set()
    for sentence in sentences:
        known = {label for h, label in zip(sentence.heads, sentence.labels, strict=True) if h is not None}
        labels |= known - {"_"} if None in sentence.heads else known
    if not labels:
        raise FormatError("there is no label to learn; expected DEPREL to be filled in where HEAD is")
    if options.built(sorted(labels)).core.actions > MOST_ACTIONS:
        raise FormatError(f"{len(labels)} different labels; with so many, {options.system} has too many actions")


def _check_files(plan: TrainingPlan) -> None:
    if not (math.isfinite(plan.vectors_size) and plan.vectors_size > 0):
        raise OptionError(f"vectors_size {plan.vectors_size!r}: expected megabytes, more than 0")
    if plan.vectors is not None:
        next(chunks(plan.vectors), None)  # an error if it cannot be read
    if plan.checkpoint is not None:
        check_target(plan.checkpoint)


PAUSE = 15.0  # seconds between checkpoints at least: each is large

Say = Callable[[str, int, int, str], None]
"""Called after each step with the component, the number of the step, the number of steps, and a message."""

Advance = Callable[[float, int], None]
"""Called often during the training of a network with the number of iterations that are done, and of all."""


def say_nothing(component: str, number: int, total: int, message: str) -> None:
    """A `Say` for those who do not want to be told."""


class Plan(Protocol):
    """The part of a `TrainingPlan` that is about the parser."""

    @property
    def patience(self) -> int | None: ...
    @property
    def vectors(self) -> str | Path | None: ...
    @property
    def vectors_size(self) -> float: ...
    @property
    def checkpoint(self) -> str | Path | None: ...
    @property
    def resume(self) -> bool: ...
    @property
    def max_length(self) -> int | None: ...


class ParserStudy:
    """The training of a parser. `dev` has gold tags, `seen` the same sentences with the tags that the parser sees."""

    def __init__(
        self,
        options: ParserOptions,
        plan: Plan,
        dev: Sequence[Sentence],
        seen: Sequence[Sentence],
        say: Say,
        progress: Advance = lambda done, planned: None,
        callback: Callback = nobody,
    ) -> None:
        self.callback = callback
        self.options, self.plan, self.say, self.progress = options, plan, say, progress
        self.dev, self.seen = dev, seen
        self.best: dict[str, Any] = {"LAS": -1.0}
        self.checkpoint: Checkpoint | None = None
        self.save_after = 0.0  # in the time of `monotonic`

    def trained(self, sentences: Sequence[Sentence], seen: Sequence[Sentence]) -> tuple[Parser, dict[str, Any]]:
        """Return the parser, its best iteration if there is development data, and its entry in the description.

        Without development data, some sentences are held back to calibrate its confidence.
        """
        sentences, seen = self._short_enough(sentences, seen)
        held = set() if self.dev else held_back(sentences)
        if held:
            self.say("parser", 0, 1, f"{len(held)} sentences held back to calibrate its confidence")
            apart = [seen[i] for i in sorted(held)]
            sentences, seen = ([s for i, s in enumerate(some) if i not in held] for some in (sentences, seen))
        source = self._source(sentences, seen) if self.options.scorer == "neural" else None
        parser = parser_training.train_parser(sentences, self.options, self.report, seen=seen, source=source)
        if held:
            calibrate(parser, apart)
        if not self.dev:
            return parser, {}
        parser = self.best["parser"]
        calibrate(parser, self.seen)
        if isinstance(parser.model, NeuralModel) and self.seen is not self.dev:
            parser.model.retags = _right(self.dev, parser.tagged(self.seen)) > _right(self.dev, self.seen)
        scores = {name: round(self.best[name], 2) for name in ("UAS", "LAS")}
        return parser, {"dev": scores, "iteration": self.best["number"]}

    def _short_enough(
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
            self.say("parser", 0, 1, f"{len(sentences) - len(kept)} sentences of more than {longest} words left out")
        return [sentences[i] for i in kept], [seen[i] for i in kept]

    def _source(self, sentences: Sequence[Sentence], seen: Sequence[Sentence]) -> NetworkSource:
        """Read what the network begins with."""
        vectors = self._vectors(sentences) if self.plan.vectors is not None else None
        if self.plan.checkpoint is None:
            return NetworkSource(vectors, progress=self.progress)
        self.checkpoint = Checkpoint(self.plan.checkpoint, self.options, [sentences, seen, self.seen], vectors)
        if not self.plan.resume:
            return NetworkSource(vectors, progress=self.progress)
        state, self.best = self.checkpoint.load()
        self.say("parser", 0, 1, f"continuing after iteration {int(state['progress'][0])}")
        return NetworkSource(vectors, state, str(self.plan.checkpoint), self.progress)

    def _vectors(self, sentences: Sequence[Sentence]) -> Vectors:
        words = {word for sentence in sentences for word in sentence.words}
        path = str(self.plan.vectors)
        found = read_vectors(path, self.plan.vectors_size, words | {word.lower() for word in words})
        known = sum(word in words for word in found.words)
        kept = f"{len(found.words)} of {found.read} kept ({self.plan.vectors_size:g} MB)"
        self.say("vectors", 0, 1, f"{found.dimensions} dimensions, {kept}, {known} of them words of the treebank")
        return found

    def report(self, iteration: parser_training.ParserIteration) -> bool:
        """Say how far the parser is, keep it if it is the best so far, and return whether to stop."""
        unit = "steps" if self.options.beam == 1 else "sentences"
        message = f"{iteration.shown} of {iteration.steps} {unit} right"
        last = False
        uas: float | None = None
        las: float | None = None
        if self.dev:
            parser = iteration.parser()
            uas, las = parser.scores(self.seen)
            message += f", dev UAS {uas:.2f} LAS {las:.2f}"
            if las > self.best["LAS"]:
                self.best.update(UAS=uas, LAS=las, number=iteration.number, parser=parser)
            last = self.plan.patience is not None and iteration.number - self.best["number"] >= self.plan.patience
        if self.checkpoint is not None and iteration.state is not None and time.monotonic() >= self.save_after:
            self.checkpoint.save(iteration.state(), self.best)
            self.save_after = time.monotonic() + PAUSE
        self.say("parser", iteration.number, iteration.planned, message)
        accuracy = iteration.accuracy if iteration.steps else None
        step = TrainingStep("parser", iteration.number, iteration.planned, accuracy, uas, las)
        return bool(self.callback(step)) or last


def _right(gold: Sequence[Sentence], found: Sequence[Sentence]) -> int:
    """Return how many tags are right, in all three columns."""
    pairs = [(getattr(a, name), getattr(b, name)) for a, b in zip(gold, found, strict=True) for name in COLUMNS]
    return sum(one == other for a, b in pairs for one, other in zip(a, b, strict=True))


PATIENCE = 5


def train_pipeline(
    sentences: Iterable[Sentence],
    options: ParserOptions,
    plan: TrainingPlan | None = None,
    dev: Iterable[Sentence] = (),
    say: Say = say_nothing,
    progress: Advance = lambda done, planned: None,
    callback: Callback = nobody,
) -> Pipeline:
    """Train on gold sentences. With `dev`, the parser's best iteration is kept, and the scores go into the model."""
    if not callable(callback):
        raise OptionError(f"callback {callback!r}: expected a function that takes a TrainingStep")
    plan = plan or TrainingPlan()
    options = options.resolved()
    if plan.patience is None and options.scorer == "linear":
        plan = replace(plan, patience=PATIENCE)  # a network learns ever more slowly, as planned from the start
    parser_training.check_parser_options(options)  # an error before the other components are trained
    sentences, dev = list(sentences), list(dev)
    if not sentences:
        raise FormatError("there is no sentence to train on")
    wanted = _wanted(sentences, plan)
    if options.scorer != "neural" and (plan.vectors is not None or plan.resume):
        raise OptionError("vectors, or a training to be resumed; expected them with the scorer 'neural'")
    check_training_input(sentences, dev, options, wanted, plan)
    parts: dict[str, Any] = {}
    makers: dict[str, tuple[Callable[..., Any], Any]] = {
        "tokenizer": (train_tokenizer, TokenizerOptions(seed=options.seed)),
        "tagger": (train_tagger, TaggerOptions(seed=options.seed)),
        "lemmatizer": (train_lemmatizer, LemmatizerOptions(seed=options.seed)),
    }
    for name, (train, choice) in makers.items():
        if name in wanted:
            parts[name] = train(sentences, choice, partial(_tell, say, callback, name, choice.iterations))
    tagged, tagged_dev = sentences, dev
    if "tagger" in parts and plan.tags == "predicted" and len(sentences) > 1:
        say("jackknife", 0, 1, f"tagging the training data, {plan.folds} folds")
        train_fold = partial(train_tagger, options=makers["tagger"][1])
        tagged = with_tag_columns(sentences, jackknifed(sentences, plan.folds, train_fold, plan.jobs))
        tagged_dev = list(parts["tagger"].apply([sentence.copy() for sentence in dev]))
    study = ParserStudy(options, plan, dev, tagged_dev, say, progress, callback)
    parser, about = study.trained(sentences, tagged)
    pipeline = Pipeline(parser, **parts)
    pipeline.about = about
    if dev:
        pipeline.about["dev"] = _tag_scores(pipeline, dev) | about["dev"]
    return pipeline


def _wanted(sentences: Sequence[Sentence], plan: TrainingPlan) -> list[str]:
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


def _tell(say: Say, callback: Callback, name: str, total: int, iteration: Iteration) -> bool:
    """Report an iteration, and return whether it was the last."""
    say(name, iteration.number, total, f"{iteration.shown} right")
    accuracy = iteration.accuracy if iteration.steps else None
    return bool(callback(TrainingStep(name, iteration.number, total, accuracy)))


def _tag_scores(pipeline: Pipeline, dev: Sequence[Sentence]) -> dict[str, float]:
    """Return the accuracy of tags and lemmas on gold words."""
    predicted = [sentence.copy() for sentence in dev]
    pipeline.tag(predicted, retag=True)
    if pipeline.tagger and pipeline.parser.model.retags:
        predicted = pipeline.parser.tagged(predicted)
    names = ["UPOS", "XPOS", "FEATS"] if pipeline.tagger else []
    names += ["Lemmas"] if pipeline.lemmatizer else []
    names = [name for name in names if not all(sentence.lacks(name.lower()) for sentence in dev)]  # no data, no score
    total = sum(map(len, dev))
    scores = {}
    for name in names:
        pairs = zip(dev, predicted, strict=True)
        right = sum(
            a == b
            for gold, found in pairs
            for a, b in zip(getattr(gold, name.lower()), getattr(found, name.lower()), strict=True)
        )
        scores[name] = round(100 * right / total, 2)
    return scores
