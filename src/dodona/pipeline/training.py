"""Training a pipeline on a treebank: all components in their order, the parser on predicted tags.

`train` is `dodona.train`. Whatever can be refused is refused before the first component is trained: options when they
are made, files and trees by `train_pipeline`.
"""

import math
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from dodona.component import Callback, TrainingProgress, ignore
from dodona.data import Sentence
from dodona.data.conllu import combine_faults, read_all
from dodona.data.files import chunks
from dodona.data.held_out import HeldOut
from dodona.data.marks import mask_guesses, select_annotated
from dodona.data.silver import Silver, survey_silver
from dodona.data.spacing import check_text
from dodona.data.trees import LONGEST_LIFTED, is_projective
from dodona.errors import FormatError, OptionError
from dodona.lemmatizer.lemmatizer import LemmatizerOptions, train_lemmatizer
from dodona.neural.options import NetworkOptions
from dodona.neural.pretrained import PretrainedEncoder
from dodona.neural.vectors import Vectors, read_vectors
from dodona.parser.confidence import calibrate, hold_back
from dodona.parser.linear import LinearModel
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser
from dodona.parser.training import (
    NO_TREE,
    NetworkSource,
    ParserTraining,
    SilverSource,
    begin_training,
    build_for_labels,
    check_learnable,
    check_parser_options,
    lifts_arcs,
)
from dodona.pipeline.checkpoint import BestParser, Checkpoint
from dodona.pipeline.jackknife import jackknife
from dodona.pipeline.modelfile import check_target
from dodona.pipeline.pipeline import COMPONENTS, Pipeline
from dodona.pipeline.pretraining import load_encoder
from dodona.tagger.tagger import COLUMNS, Tagger, TaggerOptions, tags_of, train_tagger
from dodona.tokenizer.tokenizer import TokenizerOptions, train_tokenizer
from dodona.transformer.options import TransformerOptions

__all__ = ["ANNOTATED", "TAGS", "Judge", "TrainingPlan", "TrainingProgress", "train", "train_pipeline"]

TAGS = ("predicted", "gold")
LEARNED_COLUMNS = {"tagger": ("upos", "xpos", "feats"), "lemmatizer": ("lemmas", "upos", "feats")}
ANNOTATED = ("arc", "upos", "feats", "lemma")  # what must be annotated in development data
LEARNED_ASPECTS = {"tokenizer": ("token",), "tagger": ("upos", "feats"), "lemmatizer": ("lemma", "upos", "feats")}
PATIENCE = 5
BONUSES = 0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0  # of the tagger's tags when a network chooses tags
FOREIGN = 0.4  # an encoder that knows fewer of the words has learned from text in another language
PAUSE = 15.0  # seconds between checkpoints at least: each is large
SHARE = 10  # and so many times as long as the last one took


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
    pretrained: str | Path | PretrainedEncoder | None = None,
    pretrained_rate: float = 1.0,
    encoder: str | Path | None = None,
    device: str = "auto",
    checkpoint: str | Path | None = None,
    resume: bool = False,
    max_length: int | None = None,
    silver: Sequence[str | Path] = (),
    silver_words: int | None = None,
    held_out: Sequence[str | Path] = (),
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
    transformer: TransformerOptions | None = None,
    callback: Callback | None = None,
) -> Pipeline:
    """Train a pipeline on gold trees, from a file or from sentences.

    The options up to `held_out` are those of `TrainingPlan`: the components, the tags on which the parser is trained,
    the files of a network's training, the length of sentences; and files of sentences that another parser has parsed,
    how many of their words are learned from, and files of sentences that are left out of them. The others are those of
    `ParserOptions`, which docs/training.md, docs/neural.md and docs/transformer.md explain. None means the default for
    the treebank, the scorer or the system.
    `callback` is called with a `TrainingProgress` after each iteration of each component; if it returns True, that was
    the last one of this component.
    """
    if pretrained is not None:
        if not isinstance(pretrained, PretrainedEncoder):
            pretrained = load_encoder(pretrained)
        network = network or pretrained.fit(None)
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
    # 5 for a linear parser; a network learns ever more slowly, as planned from the start, and does not stop; nor does
    # a parser that learns from silver, because the best comes last, when gold is alone
    vectors: str | Path | None = None  # a file of pretrained word vectors, for a network
    vectors_size: float = 10.0  # megabytes of them that are kept
    pretrained: PretrainedEncoder | None = None  # that a network begins with
    pretrained_rate: float = 1.0  # the share of the rate that it goes on learning at
    encoder: str | Path | None = None  # of a transformer: a folder in Hugging Face's layout, or a name
    device: str = "auto"  # that a transformer learns on
    checkpoint: str | Path | None = None  # a file that the training of a network can be continued from
    resume: bool = False  # continue from it
    max_length: int | None = None  # words; the parser does not learn from longer sentences
    silver: Sequence[str | Path] = ()  # files of sentences that another parser has parsed; docs/distillation.md
    silver_words: int | None = None  # of them that a component learns from in all; None: by gold and silver words
    held_out: Sequence[str | Path] = ()  # files of sentences that are left out of silver, beside the development data

    def __post_init__(self) -> None:
        if self.tags not in TAGS:
            raise OptionError(f"tags {self.tags!r}: expected one of {', '.join(TAGS)}")
        for name in self.components or ():
            if name not in COMPONENTS:
                raise OptionError(f"component {name!r}: expected some of {', '.join(COMPONENTS)}")
        if self.components is not None and "parser" not in self.components:
            raise OptionError("components without 'parser': a pipeline ends with one")
        for name in ("silver", "held_out"):
            files = getattr(self, name)
            object.__setattr__(self, name, (files,) if isinstance(files, str | Path) else tuple(files))
        if (self.silver_words is not None or self.held_out) and not self.silver:
            raise OptionError("silver_words or held_out without silver; expected files of silver sentences")
        for name in ("folds", "jobs", "patience", "max_length", "silver_words"):
            least = 2 if name == "folds" else 1
            if getattr(self, name) is not None and getattr(self, name) < least:
                raise OptionError(f"{name} {getattr(self, name)}: expected at least {least}")
        if not (math.isfinite(self.vectors_size) and self.vectors_size > 0):
            raise OptionError(f"vectors_size {self.vectors_size!r}: expected megabytes, more than 0")
        if not 0 <= self.pretrained_rate <= 1:
            raise OptionError(f"pretrained_rate {self.pretrained_rate!r}: expected a share of the rate, from 0 to 1")

    def check(self, options: ParserOptions) -> None:
        """Raise an error for options that parsers with this scorer do not have, or files that cannot be used."""
        if options.scorer != "neural" and (self.vectors is not None or self.pretrained is not None):
            raise OptionError("vectors, or an encoder to begin with; expected them with the scorer 'neural'")
        if options.scorer == "linear" and self.resume:
            raise OptionError("a training to be resumed; expected one with the scorer 'neural' or 'transformer'")
        if options.scorer != "transformer" and self.encoder is not None:
            raise OptionError("an encoder; expected it with the scorer 'transformer'")
        if self.pretrained is not None and options.network is not None:
            self.pretrained.check(options.network, "the encoder")
        if options.scorer == "transformer":
            self._check_encoder()
        if self.vectors is not None:
            next(chunks(self.vectors), None)  # an error if it cannot be read
        if self.checkpoint is not None:
            check_target(self.checkpoint)

    def _check_encoder(self) -> None:
        from dodona.transformer.network import choose_device  # which needs PyTorch
        from dodona.transformer.pretrained import read_encoder

        choose_device(self.device)
        if self.encoder is None:
            raise OptionError("a transformer without an encoder; expected the folder of one (--encoder)")
        read_encoder(self.encoder)  # whatever is wrong with it is an error now, and not after tagger and lemmatizer


def train_pipeline(
    sentences: Iterable[Sentence],
    options: ParserOptions,
    plan: TrainingPlan | None = None,
    dev: Iterable[Sentence] = (),
    callback: Callback = ignore,
) -> Pipeline:
    """Train on gold sentences. With `dev`, the parser's best iteration is kept, and the scores go into the model.

    Of sentences that are annotated in part (`# annotation = open`), only what is marked is learned from: single arcs,
    but tags and lemmas only where all of a sentence are marked. In `dev` such sentences are left out.
    """
    plan = plan or TrainingPlan()
    check_parser_options(options)
    sentences = list(map(mask_guesses, sentences))
    dev = select_annotated(dev, *ANNOTATED)
    if not sentences:
        raise FormatError("there is no sentence to train on")
    wanted = _choose_components(sentences, plan)
    plan.check(options)
    _check_training_input(sentences, dev, options, wanted)
    silver = _survey(sentences, dev, options, plan, callback) if plan.silver else None
    parts: dict[str, Any] = {}
    makers: dict[str, tuple[Callable[..., Any], Any]] = {
        "tokenizer": (train_tokenizer, TokenizerOptions(seed=options.seed)),
        "tagger": (train_tagger, TaggerOptions(seed=options.seed)),
        "lemmatizer": (train_lemmatizer, LemmatizerOptions(seed=options.seed)),
    }
    for name in wanted:
        train_component, own = makers[name]
        more = {"silver": silver} if name == "tagger" else {}
        parts[name] = train_component(select_annotated(sentences, *LEARNED_ASPECTS[name]), own, callback, **more)
    seen, seen_dev = sentences, dev
    source = None if silver is None else SilverSource(silver)
    if "tagger" in parts and plan.tags == "predicted" and len(sentences) > 1:
        if options.scorer != "transformer":  # which reads no tags
            callback(TrainingProgress("jackknife", message=f"tagging the training data, {plan.folds} folds"))
            own = makers["tagger"][1]
            fold_silver = None if silver is None else silver.for_fold(own.iterations * sum(map(len, sentences)))
            train_fold = partial(_train_fold, options=own, silver=fold_silver)
            seen = jackknife(sentences, plan.folds, train_fold, plan.jobs)
        seen_dev = parts["tagger"].apply([sentence.copy() for sentence in dev])
        source = None if silver is None else SilverSource(silver, parts["tagger"].apply)
    parser, about = _ParserTrainer(options, plan, dev, seen_dev, callback, source).train(sentences, seen)
    pipeline = Pipeline(parser, **parts)
    pipeline.about = about
    if silver is not None:
        pipeline.about["silver"] = f"{silver.words:,} words in {silver.sentences:,} sentences"
    if plan.pretrained is not None:  # what a model has learned from belongs into its record
        pipeline.about["pretrained"] = {
            key: plan.pretrained.about[key] for key in ("text", "words", "licence") if key in plan.pretrained.about
        }
    if dev:
        pipeline.about["dev"] = _score_tags(pipeline, dev) | about["dev"]
    return pipeline


def _train_fold(sentences: Sequence[Sentence], options: TaggerOptions, silver: Silver | None) -> Tagger:
    """Train the tagger of a fold on what is annotated; where nothing is, on the guesses, as there is nothing else."""
    return train_tagger(select_annotated(sentences, *LEARNED_ASPECTS["tagger"]) or sentences, options, silver=silver)


def _survey(
    sentences: Sequence[Sentence], dev: Sequence[Sentence], options: ParserOptions, plan: TrainingPlan,
    callback: Callback,
) -> Silver:  # fmt: skip
    """Read the silver files once, check them, and say what can be learned from them."""
    which = str(plan.silver[0]) if len(plan.silver) == 1 else f"{len(plan.silver)} files"
    callback(TrainingProgress("silver", message=f"reading and checking {which}"))
    held_out = [*dev, *(sentence for file in plan.held_out for sentence in read_all(file))]
    judge = Judge(sentences, held_out, options, plan.max_length)
    silver = survey_silver(plan.silver, judge, judge.has_known_tags, plan.silver_words)
    callback(TrainingProgress("silver", message=str(silver)))
    return silver


class Judge:
    """Decides which silver sentences a parser for a treebank can learn from.

    Trees that no parser should have made are errors. What a good one may well do differently is left out: it has made
    no tree, or several roots, or has learned from a treebank with other labels.
    """

    def __init__(
        self,
        gold: Sequence[Sentence],
        held_out: Iterable[Sentence],
        options: ParserOptions,
        max_length: int | None = None,
    ) -> None:
        self._options, self._max_length, self._held_out = options, max_length, HeldOut(held_out)
        self._labels = {label for sentence in gold for label in _known_labels(sentence)}
        self._tags = {tag for sentence in gold for tag in tags_of(sentence)}
        self._longest = LONGEST_LIFTED if lifts_arcs(options) else math.inf

    def __call__(self, sentence: Sentence) -> str:
        """Return why a sentence is left out, or an empty string; a tree with a fault raises an error."""
        if all(head is None for head in sentence.heads):
            return "without a tree"
        check_learnable(sentence, self._options)
        if self._options.single_root and sentence.heads.count(0) > 1:
            return "with several roots"
        if not self._labels.issuperset(_known_labels(sentence)):
            return "with labels that the treebank does not have"
        if self._max_length is not None and len(sentence) > self._max_length:
            return f"of more than {self._max_length} words"
        if len(sentence) > self._longest and None not in sentence.heads and not is_projective(sentence.gold_heads()):
            return "with too many words to lift arcs that cross"
        return "held out" if self._held_out.has(sentence) else ""

    def has_known_tags(self, sentence: Sentence) -> bool:
        """Return whether the treebank has all tags of a sentence."""
        return self._tags.issuperset(tags_of(sentence))


def _choose_components(sentences: Sequence[Sentence], plan: TrainingPlan) -> list[str]:
    """Return the components to be trained: those asked for, or those that the treebank has data for."""
    has = {
        "tokenizer": all(sentence.text is not None for sentence in sentences),
        "tagger": not all(sentence.lacks("upos") and sentence.lacks("xpos") for sentence in sentences),
        "lemmatizer": not all(sentence.lacks("lemmas") for sentence in sentences),
    }
    has = {name: there and bool(select_annotated(sentences, *LEARNED_ASPECTS[name])) for name, there in has.items()}
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
    pipeline.lemmatize(predicted, retag=True)
    names = ["UPOS", "XPOS", "FEATS"] if pipeline.tagger else []
    names += ["Lemmas"] if pipeline.lemmatizer else []
    names = [name for name in names if not all(sentence.lacks(name.lower()) for sentence in dev)]  # no data, no score
    total = sum(map(len, dev))
    return {name: round(100 * _count_right(dev, predicted, [name.lower()]) / total, 2) for name in names}


def _check_training_input(
    sentences: Sequence[Sentence], dev: Sequence[Sentence], options: ParserOptions, wanted: Sequence[str]
) -> None:
    """Raise an error that lists the first faults of both treebanks, each with its file and line."""
    faults = [*_faults(sentences, partial(check_learnable, options=options)), *_faults(dev, Sentence.check_gold)]
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
    build_for_labels(sorted({label for sentence in sentences for label in _known_labels(sentence)}), options)


def _known_labels(sentence: Sentence) -> set[str]:
    """Return the labels of a tree, or of a part of one, where `_` stands for those that are not known."""
    known = {label for h, label in zip(sentence.heads, sentence.labels, strict=True) if h is not None}
    return known - {"_"} if None in sentence.heads else known


@dataclass
class _ParserTrainer:
    """Trains a parser, and keeps its best iteration."""

    options: ParserOptions
    plan: TrainingPlan
    dev: Sequence[Sentence]  # with gold tags
    seen: Sequence[Sentence]  # the same sentences with the tags that the parser sees
    callback: Callback
    silver: SilverSource | None = None
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
        source = self._source(sentences, seen) if self.options.scorer != "linear" else None
        training = begin_training(sentences, self.options, seen, source, self.silver)
        if training.silver is not None:
            mixture = training.silver.mixture
            alone = training.planned - mixture.mixed / mixture.gold
            how = f"{mixture.gold * training.planned:,} gold and {mixture.silver:,} silver words"
            self._tell("parser", f"learns from {how} in {training.planned} iterations, the last {alone:.1f} gold alone")
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
        if not isinstance(parser.model, LinearModel) and self.seen is not self.dev:
            self._choose_tags(parser)
        scores = {"UAS": round(self.best.uas, 2), "LAS": round(self.best.las, 2)}
        return parser, {"dev": scores, "iteration": self.best.iteration}

    def _choose_tags(self, parser: Parser) -> None:
        """Find out which tags are best on the development data: the tagger's, the network's, or those that the network
        chooses with a bonus for the tagger's."""
        model, most, best = parser.model, _count_right(self.dev, self.seen), None
        for bonus, tagged in zip(BONUSES, parser.predict_tags_by_bonus(self.seen, BONUSES), strict=True):
            right = _count_right(self.dev, tagged)
            if right > most:
                most, best = right, bonus
        model.retags, model.tagger_bonus = best is not None, best or 0.0

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
        pretrained = self.plan.pretrained
        if pretrained is not None:
            self._tell_of_pretrained(pretrained, sentences)
        encoder = self._read_encoder()
        source = NetworkSource(vectors, pretrained, self.plan.pretrained_rate, encoder, self.plan.device)
        if self.plan.checkpoint is not None:
            data = [sentences, seen, self.seen]
            silver = None if self.silver is None else f"{self.silver.silver.digest} {self.silver.silver.asked}"
            digest = None if encoder is None else encoder[0].digest
            rate = self.plan.pretrained_rate
            slower = [] if pretrained is None or rate == 1 else [f"at {rate} of the rate"]
            begun_from = vectors, pretrained, digest, silver, *slower
            self.checkpoint = Checkpoint(self.plan.checkpoint, self.options, data, *begun_from)
        if self.checkpoint is None or not self.plan.resume:
            return source
        state, self.best = self.checkpoint.load()
        self._tell("parser", f"continuing after iteration {int(state['progress'][0])}")
        return replace(source, state=state, where=str(self.plan.checkpoint))

    def _tell_of_pretrained(self, encoder: PretrainedEncoder, sentences: Sequence[Sentence]) -> None:
        """Say how much of the treebank the encoder knows, and warn if it must have learned something else."""
        known = encoder.known_share(word for sentence in sentences for word in sentence.words)
        self._tell("pretrained", f"{len(encoder.words):,} words, {known:.0%} of those in the treebank")
        if known < FOREIGN:
            warnings.warn(
                f"the encoder knows {known:.0%} of the words in the treebank; expected one that has learned from text "
                "in the same language and script",
                stacklevel=2,
            )

    def _read_encoder(self) -> Any:
        """Return the encoder of a transformer with its weights; None for other scorers."""
        if self.plan.encoder is None:
            return None
        from dodona.transformer.pretrained import read_encoder  # which needs PyTorch

        encoder, weights = read_encoder(self.plan.encoder)
        count = sum(values.size for values in weights.values())
        self._tell("encoder", f"{encoder.name}, {count / 1e6:.1f} million weights, licence: {encoder.licence}")
        return encoder, weights

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
        patience = self.plan.patience
        if patience is None and self.options.scorer == "linear" and self.silver is None:
            patience = PATIENCE
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
                begin = time.monotonic()
                self.checkpoint.save(state, self.best)
                end = time.monotonic()
                self.save_after = end + max(PAUSE, SHARE * (end - begin))
        return bool(self.callback(progress)) or last


def _count_right(gold: Sequence[Sentence], predicted: Sequence[Sentence], columns: Sequence[str] = COLUMNS) -> int:
    pairs = [(getattr(a, name), getattr(b, name)) for a, b in zip(gold, predicted, strict=True) for name in columns]
    return sum(one == other for a, b in pairs for one, other in zip(a, b, strict=True))
