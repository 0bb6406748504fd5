"""From a treebank to a pipeline: all components in their order, the parser on predicted tags."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from dodona.components import parser_training
from dodona.components.component import Iteration
from dodona.components.lemmatizer import LemmatizerOptions, train_lemmatizer
from dodona.components.parser_options import ParserOptions
from dodona.components.tagger import TaggerOptions, train_tagger
from dodona.components.tokenizer import TokenizerOptions, train_tokenizer
from dodona.data import Sentence
from dodona.errors import FormatError, OptionError
from dodona.pipeline.input_checks import check_training_input
from dodona.pipeline.jackknife import jackknifed, with_tag_columns
from dodona.pipeline.parser_study import Advance, ParserStudy, Say, say_nothing
from dodona.pipeline.pipeline import Pipeline
from dodona.pipeline.plan import TAGS, TrainingPlan
from dodona.pipeline.steps import Callback, TrainingStep, nobody

__all__ = ["TAGS", "TrainingPlan", "train_pipeline"]

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
        tagged_dev = list(parts["tagger"].apply([sentence.copied() for sentence in dev]))
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
    predicted = [sentence.copied() for sentence in dev]
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
