"""What can be measured in a run: each measure is a function from the subject of the run to numbers for its record."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dodona.data import Sentence
from dodona.errors import OptionError
from dodona.evaluation import Comparison, attachment, compare
from dodona.experiments.packed import packed
from dodona.experiments.repairs import repairs
from dodona.experiments.treebanks import Treebank, sentences_of
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser
from dodona.parser.training import begin_training
from dodona.research.statistics import Statistics

__all__ = ["MEASURES", "Subject"]

SCORES = ("UAS", "LAS", "labels", "UAS exact match", "LAS exact match")
LEAST_SECONDS = 0.5  # of parsing, to measure its speed


@dataclass
class Subject:
    """What is measured: a treebank, and a parser, which is trained when it is first asked for."""

    treebank: Treebank
    options: ParserOptions | None
    limit: int | None
    keep: str
    measures: Sequence[str]
    elsewhere: Sequence[Treebank] = ()
    tagged: str | None = None

    def gold(self, part: str) -> list[Sentence]:
        return self._gold(self.treebank, part)

    def _gold(self, treebank: Treebank, part: str) -> list[Sentence]:
        found = sentences_of(treebank.files(part), self.limit)
        if not found:
            raise OptionError(f"the treebank {treebank.name} has no sentences of the part {part}")
        return found

    def seen(self, part: str, treebank: Treebank | None = None) -> list[Sentence]:
        """The same sentences with the tags that the parser sees."""
        treebank = treebank or self.treebank
        if self.tagged is None:
            return self._gold(treebank, part)
        return sentences_of([f"{self.tagged}/{part if treebank is self.treebank else treebank.name}.conllu.gz"])

    @cached_property
    def trained(self) -> tuple[Parser, list[dict[str, Any]]]:
        """The parser, and what was seen after each iteration."""
        assert self.options is not None
        curve: list[dict[str, Any]] = []
        best: list[tuple[float, Parser]] = []
        train, seen = self.gold("train"), None if self.tagged is None else self.seen("train")
        follows = "curve" in self.measures or self.keep == "best"
        dev, seen_dev = (self.gold("dev"), self.seen("dev")) if follows else ([], [])

        training = begin_training(train, self.options, seen)
        for progress in training.iterations():
            point: dict[str, Any] = {"iteration": progress.iteration, "transitions": progress.transitions}
            if follows:
                parser = training.parser()
                rates = attachment(compared(parser, dev, seen_dev))
                point |= {name: 100 * rates[name].accuracy for name in ("UAS", "LAS")}
                if not best or point["LAS"] > best[0][0]:
                    best[:] = [(point["LAS"], parser)]
            curve.append(point)
        return best[0][1] if self.keep == "best" else training.parser(), curve

    @property
    def parser(self) -> Parser:
        return self.trained[0]


Measure = Callable[[Subject], Any]


def compared(parser: Parser, gold: Sequence[Sentence], seen: Sequence[Sentence]) -> Comparison:
    return compare(gold, parser.apply([sentence.copied() for sentence in seen]))


def scores(comparison: Comparison) -> dict[str, Any]:
    """Counts, not percentages: correct and total; and the correct words of each sentence, for significance tests."""
    every = np.ones_like(comparison.head_right)
    found: dict[str, Any] = {}
    for name, punctuation in (("all words", True), ("without punctuation", False)):
        rates = attachment(comparison, punctuation=punctuation)
        found[name] = {score: [rates[score].correct, rates[score].total] for score in SCORES}
    masks: dict[str, NDArray[np.bool_]] = {"words": every, "UAS": comparison.head_right, "LAS": comparison.arc_right}
    found["sentences"] = {name: packed(comparison.per_sentence(mask)) for name, mask in masks.items()}
    return found


def _part(part: str) -> Measure:
    def measure(subject: Subject) -> dict[str, Any]:
        return scores(compared(subject.parser, subject.gold(part), subject.seen(part)))

    return measure


def _elsewhere(subject: Subject) -> dict[str, Any]:
    """Scores on the test parts of other treebanks."""
    return {
        other.name: scores(compared(subject.parser, subject._gold(other, "test"), subject.seen("test", other)))
        for other in subject.elsewhere
    }


def _curve(subject: Subject) -> list[dict[str, Any]]:
    """UAS and LAS on dev after each iteration."""
    return [{name: point[name] for name in ("iteration", "UAS", "LAS")} for point in subject.trained[1]]


def _swaps(subject: Subject) -> dict[str, Any]:
    """Swaps in the derivations that each iteration learned from: whatever exceeds two transitions a word, halved."""
    train = subject.gold("train")
    words = sum(map(len, train))
    swaps = [(point["transitions"] - 2 * words) // 2 for point in subject.trained[1]]
    return {"sentences": len(train), "swaps": swaps}


def _repairs(subject: Subject) -> dict[str, Any]:
    return repairs(subject.parser, subject.gold("dev"), subject.seen("dev"))


def _speed(subject: Subject) -> dict[str, float]:
    """Words of the test part parsed in a second of processor time: the one measure that differs from time to time."""
    parser, sentences = subject.parser, subject.seen("test")
    list(parser.apply([sentence.copied() for sentence in sentences[:64]]))  # warm
    copies = [sentence.copied() for sentence in sentences]
    words, begin, spent = 0, time.process_time(), 0.0
    while spent < LEAST_SECONDS:
        for sentence in parser.apply(copies):
            words += len(sentence)
        spent = time.process_time() - begin
    return {"words_per_second": round(words / spent, 1)}


def _statistics(subject: Subject) -> dict[str, Any]:
    """Of the training part: Table 1 of Björkelund and Nivre (2015)."""
    found = Statistics(subject.treebank.name)
    for sentence in subject.gold("train"):
        found.add(sentence)
    return found.row()


MEASURES: dict[str, Measure] = {
    "dev": _part("dev"),
    "test": _part("test"),
    "elsewhere": _elsewhere,
    "curve": _curve,
    "swaps": _swaps,
    "repairs": _repairs,
    "speed": _speed,
    "statistics": _statistics,
}
