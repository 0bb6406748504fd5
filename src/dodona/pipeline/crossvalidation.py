"""Cross-validation: every sentence of a treebank is parsed by a pipeline that was trained on the other folds.

The words are those of the treebank; tags and lemmas are predicted, unless the parser is trained on gold tags. For the
confidence of its arcs, one half of a fold is calibrated on the other half. So neither the models nor the calibration
have seen the sentence that they are applied to.
"""

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from dodona.component import Callback, ignore
from dodona.data import Sentence
from dodona.errors import OptionError
from dodona.parser.confidence import calibrate
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser
from dodona.parser.request import Analysis, Request, annotate
from dodona.pipeline.pipeline import Pipeline, check_jobs
from dodona.pipeline.processes import map_in_processes
from dodona.pipeline.training import TrainingPlan, train_pipeline
from dodona.systems.registry import SYSTEMS, Entry, entry_of

__all__ = ["SPLITS", "Fold", "assign_folds", "cross_validate", "map_folds", "parse_calibrated"]

SPLITS = ("blocks", "alternating", "random")
COLUMNS = ("words", "lemmas", "upos", "xpos", "feats", "heads", "labels")
FILLED = ("lemmas", "upos", "xpos", "feats")

Result = TypeVar("Result")


@dataclass(frozen=True)
class Fold:
    """A part of the treebank, parsed: the numbers of its sentences, from 0, and copies of them with new columns."""

    number: int  # from 0
    places: list[int]
    sentences: list[Sentence]


def assign_folds(count: int, folds: int, split: str = "blocks", seed: int = 1) -> list[int]:
    """Return the fold of each sentence. Folds are of the same size, or one sentence smaller.

    "blocks" are sentences that follow each other, so that most documents stay together; "alternating" takes every
    k-th sentence; "random" depends on the seed.
    """
    if split not in SPLITS:
        raise OptionError(f"split {split!r}: expected one of {', '.join(SPLITS)}")
    if folds < 2 or count < folds:
        raise OptionError(f"{folds} folds of {count} sentences: expected at least 2 folds, and a sentence for each")
    if split == "blocks":
        return [i * folds // count for i in range(count)]
    numbers = [i % folds for i in range(count)]
    if split == "random":
        random.Random(seed).shuffle(numbers)
    return numbers


def cross_validate(
    sentences: Sequence[Sentence],
    options: ParserOptions,
    plan: TrainingPlan,
    folds: Sequence[int],
    jobs: int = 1,
    callback: Callback = ignore,
) -> Iterator[Fold]:
    """Yield fold after fold; the result does not depend on `jobs`. `callback` is told of the progress of one job.

    `folds` has the fold of each sentence. The sentences must have trees; they are not changed.
    """
    parse = partial(_parse, retag=plan.tags == "predicted")
    request = Request(confidence=True)
    for number, places, result in map_folds(sentences, options, plan, folds, parse, jobs, callback):
        parsed: list[Sentence] = []
        for i, (filled, analysis) in zip(places, result, strict=True):
            copy = sentences[i].copy()
            for name, values in filled.items():
                copy.set_column(name, values)
            parsed += annotate(copy, [analysis], request)
        yield Fold(number, places, parsed)


def map_folds(
    sentences: Sequence[Sentence],
    options: ParserOptions,
    plan: TrainingPlan,
    folds: Sequence[int],
    function: Callable[[Pipeline, Sequence[Sentence], Sequence[int]], Result],
    jobs: int = 1,
    callback: Callback = ignore,
) -> Iterator[tuple[int, list[int], Result]]:
    """Yield for each fold its number, the numbers of its sentences, and what the function returns for a pipeline that
    was trained on the other folds, copies of the sentences of this one, and their numbers.

    With several jobs the function must be one of a module, or a `partial` of one.
    """
    check_jobs(jobs)
    for sentence in sentences:
        sentence.check_gold()
        sentence.gold_labels()
    columns = [{name: getattr(sentence, name) for name in COLUMNS} for sentence in sentences]
    plan = replace(plan, jobs=1, checkpoint=None, resume=False)
    work = partial(_work_on_fold, columns, folds, options, plan, entry_of(options.system), function)
    numbers = range(max(folds) + 1)
    results: Iterable[Result]
    if jobs == 1:
        results = (work(number, callback) for number in numbers)
    else:
        results = map_in_processes(work, numbers, min(jobs, len(numbers)))
    for number, result in enumerate(results):
        yield number, [i for i, fold in enumerate(folds) if fold == number], result


def _work_on_fold(
    columns: Sequence[dict[str, Any]], folds: Sequence[int], options: ParserOptions, plan: TrainingPlan, system: Entry,
    function: Callable[[Pipeline, Sequence[Sentence], Sequence[int]], Result], fold: int, callback: Callback = ignore,
) -> Result:  # fmt: skip
    """Train on the other folds, and work on this one. A new process does not know a system registered in another."""
    SYSTEMS.setdefault(system.name, system)
    pairs = [(Sentence.from_words(**own), number) for own, number in zip(columns, folds, strict=True)]
    others = [sentence for sentence, number in pairs if number != fold]
    pipeline = train_pipeline(others, options, plan, callback=callback)
    places = [i for i, number in enumerate(folds) if number == fold]
    return function(pipeline, [pairs[i][0] for i in places], places)


def _parse(
    pipeline: Pipeline, held_out: Sequence[Sentence], places: Sequence[int], retag: bool
) -> list[tuple[dict[str, list[str]], Analysis]]:
    """Return the columns of each sentence that were filled in, and its tree."""
    tagged = pipeline.tag(held_out, retag=retag)
    trees = parse_calibrated(pipeline.parser, held_out, tagged)
    pipeline.lemmatize(list(held_out), retag=retag)
    return [({name: getattr(each, name) for name in FILLED}, tree) for each, tree in zip(held_out, trees, strict=True)]


def parse_calibrated(parser: Parser, held_out: Sequence[Sentence], tagged: Collection[int] = ()) -> list[Analysis]:
    """Parse sentences with gold trees; the confidence of one half is calibrated on the other half."""
    trees: dict[int, Analysis] = {}
    request = Request(confidence=True)
    for half, other in ((held_out[::2], held_out[1::2]), (held_out[1::2], held_out[::2])):
        calibrate(parser, other)
        analyses = parser.analyses_of(half, request, tagged) if half else []
        trees |= {id(sentence): best for sentence, (best, *_) in zip(half, analyses, strict=True)}
    return [trees[id(each)] for each in held_out]
