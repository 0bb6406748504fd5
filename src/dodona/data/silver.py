"""Silver: sentences that another parser has annotated, streamed from disk, and mixed with gold ones.

    survey   each file once: which sentences can be learned from, how many words, how often each form
    stream   pass after pass, files interleaved, shuffled within blocks; never more than a block in memory
    mixture  so many silver words for each gold one, and gold alone at the end

Which silver sentence comes when follows from the files and the seed. Which part of the stream belongs to an iteration
follows from its number, so a training can be continued after any iteration without a record of the stream.
"""

import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TypeVar

from dodona.data.conllu import read
from dodona.data.files import size_of
from dodona.data.sentence import Sentence
from dodona.errors import FormatError, FormatWarning

__all__ = ["MOST_FEATURES", "MOST_SILVER", "Mixture", "Silver", "SilverStream", "survey_silver"]

GOLD_ALONE = 0.15  # of all words, at the end
MOST_ALONE = 0.75  # of the gold words: the others are mixed with silver, however much there is
MOST_PASSES = 4  # over the silver files, unless a number of words is asked for
MOST_SILVER = 4  # words for each gold one, unless a number of words is asked for
BLOCK = 4096  # sentences that are shuffled together
OPEN_FILES = 16  # that are read in turns
RUN = 32  # sentences that are read from one of them at a time
MOST_FEATURES = 4_000_000  # of a linear model while it learns from silver, about 200 bytes each: then the half with the
# larger weights is kept, so that memory has a bound, however many words are learned from
FORMS = 1_000_000  # that are counted; when there are more, the rarest are forgotten

TREE, TAGS = 1, 2  # what can be learned from a sentence: its tree; its tags, too

Item = TypeVar("Item")


@dataclass(frozen=True)
class Mixture:
    """How silver is mixed into the iterations over a treebank: evenly, until only gold is left to be learned from.

    Gold has the last word, because its trees are right, and because they are those that the parser is scored on.
    """

    gold: int  # words of an iteration
    iterations: int
    silver: int  # words in all

    @property
    def mixed(self) -> int:
        """The number of gold words, of all iterations together, that silver is mixed with; the rest is gold alone."""
        total = self.gold * self.iterations
        alone = min(GOLD_ALONE * (total + self.silver), MOST_ALONE * total)
        return max(1, total - round(alone))

    def due(self, done: int) -> int:
        """Return how many silver words come before the end of so many gold words, of all iterations together."""
        return min(self.silver, self.silver * done // self.mixed)

    def bounds(self, iteration: int) -> tuple[int, int]:
        """Return the part of the silver words that belongs to an iteration, counted from 1."""
        return self.due((iteration - 1) * self.gold), self.due(iteration * self.gold)

    def share(self, iterations: float) -> float:
        """Return the share of all words, gold and silver, that have been learned from after so many iterations."""
        done = round(iterations * self.gold)
        return (done + self.due(done)) / (self.gold * self.iterations + self.silver)

    def mix(
        self, iteration: int, gold: Iterable[Item], silver: Iterator[Item], count_words: Callable[[Item], int]
    ) -> Iterator[Item]:
        """Yield the sentences or batches of an iteration: all of gold in its order, silver where it is due, and a gold
        one as the last."""
        done = (iteration - 1) * self.gold
        given, last = self.bounds(iteration)
        for item in gold:
            done += count_words(item)
            due = self.due(done)
            while given < due or due >= last:
                more = next(silver, None)
                if more is None:
                    break
                given += count_words(more)
                yield more
            yield item


@dataclass(frozen=True)
class Silver:
    """The silver files after a survey: what can be learned from them, and in which order it comes."""

    files: tuple[str, ...]
    marks: tuple[bytes, ...]  # for each file a byte a sentence: TREE, TAGS, or 0 where it is left out
    words: int  # of all sentences with trees
    tagged_words: int  # of those whose tags can be learned from, too
    longest: int  # words of a sentence
    forms: Counter[str]  # how often each form occurs, lower-cased
    left_out: Counter[str]  # sentences by the reason
    digest: str  # of all that was read
    asked: int | None = None  # words to be learned from in all

    @property
    def sentences(self) -> int:
        """The number of sentences with trees."""
        return sum(bool(mark & TREE) for marks in self.marks for mark in marks)

    def mixture(self, gold: int, iterations: int, tags: bool = False) -> Mixture:
        """Return how silver is mixed with so many gold words; `tags`: for a component that learns tags."""
        there = self.tagged_words if tags else self.words
        usual = min(MOST_PASSES * there, MOST_SILVER * gold * iterations)
        return Mixture(gold, iterations, 0 if not there else self.asked or usual)

    def stream(self, seed: int, tags: bool = False) -> "SilverStream":
        return SilverStream(self, seed, tags)

    def for_fold(self, gold: int) -> "Silver":
        """Return the silver for one of many trainings on folds, in other processes perhaps: for a training on so many
        gold words, not more silver ones, and without the counts of forms, which are much to send."""
        return replace(self, forms=Counter(), asked=min(gold, self.asked or gold))

    def __str__(self) -> str:
        said = f"{self.sentences:,} sentences, {self.words:,} words"
        left = ", ".join(f"{count:,} {reason}" for reason, count in sorted(self.left_out.items()))
        foreign = sum(mark == TREE for marks in self.marks for mark in marks)
        said += f"; left out: {left}" if left else ""
        return said + (f"; tags that the treebank does not have, so not learned: in {foreign:,}" if foreign else "")


class SilverStream:
    """The silver sentences without end, pass after pass."""

    def __init__(self, silver: Silver, seed: int, tags: bool = False) -> None:
        self._silver, self._seed = silver, seed
        self._wanted = TAGS if tags else TREE
        self._words = silver.tagged_words if tags else silver.words  # of a pass
        self._sentences: Iterator[Sentence] = iter(())
        self._before = 0  # words of the stream before the next sentence
        self._next: int | None = None  # the bound from which the stream can go on

    def between(self, begin: int, end: int) -> Iterator[Sentence]:
        """Yield the sentences whose first words are within these bounds, counted in words from the first pass on."""
        if end <= begin or not self._words:
            return
        if self._next != begin:
            self._before = begin // self._words * self._words
            self._sentences = self._read_from(begin // self._words)
        self._next = None  # unless it is read to the end
        while self._before < end:
            sentence = next(self._sentences)
            self._before += len(sentence)
            if self._before - len(sentence) >= begin:
                yield sentence
        self._next = end

    def _read_from(self, number: int) -> Iterator[Sentence]:
        while True:
            yield from self._read_pass(number)
            number += 1

    def _read_pass(self, number: int) -> Iterator[Sentence]:
        chance = random.Random(f"{self._seed} {number}")
        waiting = list(range(len(self._silver.files)))
        chance.shuffle(waiting)
        reading: list[Iterator[Sentence]] = []
        block: list[Sentence] = []
        while waiting or reading:
            while waiting and len(reading) < OPEN_FILES:
                reading.append(self._read_file(waiting.pop()))
            at = chance.randrange(len(reading))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FormatWarning)  # the survey has passed them on
                run = list(islice(reading[at], RUN))
            block += run
            if len(run) < RUN:
                del reading[at]
            if len(block) >= BLOCK:
                chance.shuffle(block)
                yield from block
                block = []
        chance.shuffle(block)
        yield from block

    def _read_file(self, number: int) -> Iterator[Sentence]:
        file, marks = self._silver.files[number], self._silver.marks[number]
        count = 0
        for count, sentence in enumerate(read(file), start=1):
            if count > len(marks):
                break
            if marks[count - 1] & self._wanted:
                yield sentence
        if count != len(marks):
            raise FormatError(
                f"{file}: the file has changed during training; expected {len(marks)} sentences, as before"
            )


def survey_silver(
    files: Sequence[str | Path],
    judge: Callable[[Sentence], str],
    has_known_tags: Callable[[Sentence], bool],
    asked: int | None = None,
) -> Silver:
    """Read all files once. `judge` returns why a sentence is left out, as a few words after its number, or an empty
    string; it raises an error for one that nobody should learn from. So do readers.

    Where `has_known_tags` is not true, a sentence is left out for components that learn tags.
    """
    total = sha256()
    forms: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    marks: list[bytes] = []
    words = tagged_words = longest = 0
    for file in map(str, files):
        if size_of(file) is None or file == "-":
            raise FormatError(f"{file}: no file; expected one with silver sentences, which is read several times")
        own = bytearray()
        for sentence in read(file):
            reason = judge(sentence)
            total.update(bytes([not reason]) + sentence.to_bytes())
            if reason:
                left_out[reason] += 1
                own.append(0)
                continue
            known = has_known_tags(sentence)
            own.append(TREE | TAGS if known else TREE)
            words += len(sentence)
            tagged_words += len(sentence) if known else 0
            longest = max(longest, len(sentence))
            forms.update(map(str.lower, sentence.words))
            if len(forms) > FORMS:
                forms = _forget_rare(forms)
        if not own:
            raise FormatError(f"{file}: there are no sentences in this file")
        marks.append(bytes(own))
    if not words:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(left_out.items()))
        raise FormatError(f"{files[0]}: no silver sentence is left to learn from: {reasons}")
    return Silver(
        tuple(map(str, files)), tuple(marks), words, tagged_words, longest, forms, left_out, total.hexdigest(), asked
    )


def _forget_rare(forms: Counter[str]) -> Counter[str]:
    """Return the more frequent half of the forms."""
    return Counter(dict(sorted(forms.items(), key=lambda pair: (-pair[1], pair[0]))[: FORMS // 2]))
