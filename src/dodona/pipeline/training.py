"""From a treebank to a pipeline: all components in their order, the parser on predicted tags."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from dodona.components import parser_training
from dodona.components.component import Iteration
from dodona.components.lemmatizer import LemmatizerOptions, train_lemmatizer
from dodona.components.parser import Parser
from dodona.components.parser_options import ParserOptions
from dodona.components.tagger import COLUMNS, TaggerOptions, train_tagger
from dodona.components.temperature import fit_temperature
from dodona.components.tokenizer import TokenizerOptions, train_tokenizer
from dodona.data import Sentence
from dodona.errors import FormatError, OptionError
from dodona.pipeline.jackknife import jackknifed
from dodona.pipeline.pipeline import COMPONENTS, Pipeline

__all__ = ["TAGS", "TrainingPlan", "train_pipeline"]

TAGS = ("predicted", "gold")

Say = Callable[[str, int, int, str], None]
"""Called after each step with the component, the number of the step, the number of steps, and a message."""


@dataclass(frozen=True)
class TrainingPlan:
    """Which components are trained, and on which tags the parser is trained."""

    components: Sequence[str] | None = None  # None: all that the treebank has data for
    tags: str = "predicted"  # by taggers trained on other sentences; or "gold"
    folds: int = 10  # number of these taggers
    jobs: int = 1  # processes that train them; several need a main module that can be imported again
    patience: int = 5  # iterations of the parser without gain on the development data before it stops

    def __post_init__(self) -> None:
        if self.tags not in TAGS:
            raise OptionError(f"tags {self.tags!r}: expected one of {', '.join(TAGS)}")
        for name in self.components or ():
            if name not in COMPONENTS:
                raise OptionError(f"component {name!r}: expected some of {', '.join(COMPONENTS)}")
        if self.components is not None and "parser" not in self.components:
            raise OptionError("components without 'parser': a pipeline ends with one")
        for name in ("folds", "jobs", "patience"):
            least = 2 if name == "folds" else 1
            if getattr(self, name) < least:
                raise OptionError(f"{name} {getattr(self, name)}: expected at least {least}")


def train_pipeline(
    sentences: Iterable[Sentence],
    options: ParserOptions,
    plan: TrainingPlan | None = None,
    dev: Iterable[Sentence] = (),
    say: Say = lambda component, number, total, message: None,
) -> Pipeline:
    """Train on gold sentences. With `dev`, the parser's best iteration is kept, and the scores go into the model."""
    plan = plan or TrainingPlan()
    options = options.resolved()
    parser_training.load_templates(options)  # an error before the other components are trained
    sentences, dev = list(sentences), list(dev)
    if not sentences:
        raise FormatError("there is no sentence to train on")
    for sentence in dev:
        sentence.check_gold()
    wanted = _wanted(sentences, plan)
    parts: dict[str, Any] = {}
    makers: dict[str, tuple[Callable[..., Any], Any]] = {
        "tokenizer": (train_tokenizer, TokenizerOptions(seed=options.seed)),
        "tagger": (train_tagger, TaggerOptions(seed=options.seed)),
        "lemmatizer": (train_lemmatizer, LemmatizerOptions(seed=options.seed)),
    }
    for name, (train, choice) in makers.items():
        if name in wanted:
            parts[name] = train(sentences, choice, partial(_tell, say, name, choice.iterations))
    tagged, tagged_dev = sentences, dev
    if "tagger" in parts and plan.tags == "predicted" and len(sentences) > 1:
        say("jackknife", 0, 1, f"tagging the training data, {plan.folds} folds")
        train_fold = partial(train_tagger, options=makers["tagger"][1])
        tagged = _with_tags(sentences, jackknifed(sentences, plan.folds, train_fold, plan.jobs))
        tagged_dev = list(parts["tagger"].apply([sentence.copied() for sentence in dev]))
    parser, about = _trained_parser(tagged, options, tagged_dev, plan.patience, say)
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


def _tell(say: Say, name: str, total: int, iteration: Iteration) -> None:
    say(name, iteration.number, total, f"{iteration.accuracy:.2%} right")


def _with_tags(sentences: Sequence[Sentence], tags: Sequence[Sequence[Sequence[str]]]) -> list[Sentence]:
    found = [sentence.copied() for sentence in sentences]
    for sentence, columns in zip(found, tags, strict=True):
        for name, values in zip(COLUMNS, columns, strict=True):
            sentence.set_column(name, values)
    return found


def _trained_parser(
    sentences: Sequence[Sentence], options: ParserOptions, dev: Sequence[Sentence], patience: int, say: Say
) -> tuple[Parser, dict[str, Any]]:
    """Return the parser (its best iteration if there is development data) and its entry in the model's description."""
    best: dict[str, Any] = {"LAS": -1.0}

    def report(iteration: parser_training.ParserIteration) -> bool:
        unit = "steps" if options.beam == 1 else "sentences"
        message = f"{iteration.accuracy:.2%} of {iteration.steps} {unit} right"
        last = False
        if dev:
            parser = iteration.parser()
            uas, las = parser.scores(dev)
            message += f", dev UAS {uas:.2f} LAS {las:.2f}"
            if las > best["LAS"]:
                best.update(UAS=uas, LAS=las, number=iteration.number, parser=parser)
            last = iteration.number - best["number"] >= patience
        say("parser", iteration.number, options.iterations or 0, message)
        return last

    parser = parser_training.train_parser(sentences, options, report)
    if not dev:
        return parser, {}
    parser = best["parser"]
    if options.beam > 1:
        parser.temperature = fit_temperature(parser, dev)
    return parser, {"dev": {name: round(best[name], 2) for name in ("UAS", "LAS")}, "iteration": best["number"]}


def _tag_scores(pipeline: Pipeline, dev: Sequence[Sentence]) -> dict[str, float]:
    """Return the accuracy of tags and lemmas on gold words."""
    predicted = [sentence.copied() for sentence in dev]
    pipeline.tag(predicted, retag=True)
    names = ["UPOS", "XPOS", "FEATS"] if pipeline.tagger else []
    names += ["Lemmas"] if pipeline.lemmatizer else []
    total = max(1, sum(map(len, dev)))
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
