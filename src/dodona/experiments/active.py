"""Active learning, simulated: a person annotates some sentences or arcs of a training part, the parser learns from all
that is annotated and says what to annotate next. The person's answers are those of the treebank.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Any

from dodona.annotation.informative import MEASURES, Pool, measure_sentences
from dodona.data import Sentence
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser
from dodona.parser.request import Analysis, Request
from dodona.parser.training import train_parser

__all__ = ["ARCS", "GOAL", "RANDOM", "SENTENCES", "annotate_by", "find_crossing"]

RANDOM = "random"
SENTENCES = (RANDOM, *MEASURES)  # by which whole sentences are chosen
BY_SENTENCE = "doubtful words"
ARCS = ("arcs by doubt", "arcs by information", BY_SENTENCE)  # and single words, whose arcs are asked for
START, BATCH = 200, 50  # sentences that are annotated first, and then at a time
MEMBERS = 3  # of a committee
DOUBTFUL = 0.15  # doubt from which on a word of a sentence is asked for
GOAL = 1.0  # points of LAS below the parser that has learned from everything
CONFIDENT = Request(confidence=True)


def annotate_by(
    order: str, gold: Sequence[Sentence], seen: Sequence[Sentence] | None, test: Sequence[Sentence],
    options: ParserOptions,
) -> dict[str, Any]:  # fmt: skip
    """Simulate until the goal is reached; returns the LAS of the whole training part, its words, and a list of words
    that were annotated with the LAS of a parser that has learned from them.

    `seen` are the sentences with the tags that the parser sees, None: as they are. `test` has those tags already. The
    seed of the options decides what is annotated first.
    """
    whole = train_parser(gold, options, seen=seen).scores(test)[1]
    work = (ArcAnnotation if order in ARCS else SentenceAnnotation)(order, gold, seen, options)
    curve: list[list[float]] = []
    while not curve or (curve[-1][1] < whole - GOAL and not work.is_done):
        if curve:
            work.annotate()
        work.learn()
        curve.append([work.words, round(work.parser.scores(test)[1], 4)])
    return {"whole": round(whole, 4), "words": sum(map(len, gold)), "curve": curve}


def find_crossing(curve: Sequence[Sequence[float]], goal: float) -> float | None:
    """Return the words with which a LAS is first reached, linear between two points; None if it never is."""
    before: Sequence[float] | None = None
    for words, score in curve:
        if score >= goal:
            return (
                words if before is None else before[0] + (goal - before[1]) / (score - before[1]) * (words - before[0])
            )
        before = words, score
    return None


class SentenceAnnotation:
    """Whole sentences are annotated, a batch at a time."""

    def __init__(
        self, order: str, gold: Sequence[Sentence], seen: Sequence[Sentence] | None, options: ParserOptions
    ) -> None:
        self.order, self.options = order, options
        self.gold, self.seen = gold, gold if seen is None else seen
        self.rng = random.Random(options.seed)
        places = list(range(len(gold)))
        self.rng.shuffle(places)
        start = min(START, max(2, len(gold) // 5))
        self.batch = min(BATCH, max(1, len(gold) // 10))
        self.annotated, self.rest = places[:start], places[start:]
        self.words = sum(len(gold[i]) for i in self.annotated)
        self.models: list[Parser] = []

    @property
    def is_done(self) -> bool:
        return not self.rest

    def learn(self) -> None:
        gold, seen = ([sentences[i] for i in self.annotated] for sentences in (self.gold, self.seen))
        members = range(MEMBERS if self.order == "disagreement" else 1)
        options = [replace(self.options, seed=self.options.seed + 1000 * m) for m in members]
        self.models = [train_parser(gold, own, seen=seen) for own in options]

    @property
    def parser(self) -> Parser:
        return self.models[0]

    def trees(self) -> list[list[Analysis]]:
        """The trees of what is not annotated yet, by each model."""
        pool = [self.seen[i] for i in self.rest]
        return [[best for best, *_ in model.analyses_of(pool, CONFIDENT)] for model in self.models]

    def annotate(self) -> None:
        """Annotate the next batch."""
        if self.order == RANDOM:
            chosen = self.rest[: self.batch]  # which are shuffled
        else:
            values = measure_sentences([self.seen[i] for i in self.rest], self.trees(), self.order)
            ranked = sorted(range(len(values)), key=lambda k: -values[k])
            chosen = [self.rest[k] for k in ranked[: self.batch]]
        self.annotated += chosen
        taken = set(chosen)
        self.rest = [i for i in self.rest if i not in taken]
        self.words += sum(len(self.gold[i]) for i in chosen)


class ArcAnnotation(SentenceAnnotation):
    """Single arcs are annotated, as many at a time as an average batch of sentences has: of any sentences; or, sentence
    by sentence, as somebody works who looks at each of them once, those of the words that the parser doubts."""

    def __init__(
        self, order: str, gold: Sequence[Sentence], seen: Sequence[Sentence] | None, options: ParserOptions
    ) -> None:
        super().__init__(order, gold, seen, options)
        self.known: dict[int, set[int]] = {i: set() for i in self.rest}  # the words, from 0
        self.arcs = max(1, self.batch * sum(map(len, gold)) // len(gold))

    @property
    def is_done(self) -> bool:
        return all(len(known) == len(self.gold[i]) for i, known in self.known.items())

    def annotate(self) -> None:
        (trees,) = self.trees()
        pool = Pool()
        for i, tree in zip(self.rest, trees, strict=True):
            pool.add(self.seen[i], tree)
        values: dict[int, list[float]] = {}
        for i, tree in zip(self.rest, trees, strict=True):
            by_information = self.order == "arcs by information"
            values[i] = pool.of_words(self.seen[i], tree) if by_information else [1 - sure for sure in tree.confidence]
        words = self._list_by_sentence(values) if self.order == BY_SENTENCE else []
        chosen = words[: self.arcs]
        if len(chosen) < self.arcs:
            single = [(-value, i, k) for i, own in values.items() for k, value in enumerate(own)]
            taken = set(chosen)
            unknown = [(i, k) for _, i, k in sorted(single) if k not in self.known[i] and (i, k) not in taken]
            chosen += unknown[: self.arcs - len(chosen)]
        for i, k in chosen:
            self.known[i].add(k)
        self.words += len(chosen)

    def _list_by_sentence(self, doubts: Mapping[int, Sequence[float]]) -> list[tuple[int, int]]:
        """Return the doubtful words of sentences that nobody was asked about, those first with the most doubt about
        them, divided by the square root of their number."""
        parts = {
            i: [k for k, doubt in enumerate(own) if doubt >= DOUBTFUL] for i, own in doubts.items() if not self.known[i]
        }
        ranked = sorted(
            (-sum(doubts[i][k] for k in words) / sqrt(len(words)), i) for i, words in parts.items() if words
        )
        return [(i, k) for _, i in ranked for k in parts[i]]

    def learn(self) -> None:
        parts = [(_keep(self.gold[i], words), self.seen[i]) for i, words in self.known.items() if words]
        gold = [*(self.gold[i] for i in self.annotated), *(part for part, _ in parts)]
        seen = [*(self.seen[i] for i in self.annotated), *(sentence for _, sentence in parts)]
        self.models = [train_parser(gold, self.options, seen=seen)]


def _keep(sentence: Sentence, words: set[int]) -> Sentence:
    """Return a copy with a partial tree: the arcs of these words, counted from 0."""
    columns = {name: getattr(sentence, name) for name in ("lemmas", "upos", "xpos", "feats")}
    heads = [head if k in words else None for k, head in enumerate(sentence.heads)]
    labels = [label if k in words else "_" for k, label in enumerate(sentence.labels)]
    return Sentence.from_words(sentence.words, **columns, heads=heads, labels=labels)
