"""Attachment scores word by word, for a system output with the same words as gold; where its errors are: by relation,
by the length of the sentence, by the distance between head and dependent; what is taken for what: relations, tags, and
how far and on which side heads are; and the worst sentences."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, zip_longest
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dodona.data import Sentence
from dodona.data.marks import is_annotated, is_open, take_annotated_arcs
from dodona.data.ud import strip_subtype
from dodona.errors import FormatError, MismatchError
from dodona.evaluation.conll18 import Score, Scores
from dodona.tables import Cell, Table

__all__ = [
    "Comparison", "Confusion", "Flaws", "LengthBin", "Mistake", "Rate", "attachment", "by_distance", "by_length",
    "by_relation", "compare", "find_reordering", "head_confusion", "label_confusion", "pair", "tag_confusion",
    "worst_sentences",
]  # fmt: skip

LENGTHS = (10, 20, 30, 40, 50)  # the last length of each bin but the open one
DISTANCES = (1, 2, 6)
MAX_MISTAKES = 20  # in a notebook

Mask: TypeAlias = NDArray[np.bool_]
Counts: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Rate:
    correct: int
    total: int

    @property
    def accuracy(self) -> float:
        return self.correct / self.total if self.total else 0.0

    @property
    def percent(self) -> float | None:
        """The accuracy in percent; None where there is nothing to be correct."""
        return 100 * self.correct / self.total if self.total else None


@dataclass(slots=True)
class Comparison:
    """Every word of all sentences in one array per question, so that any score is a sum over some of the words."""

    sentence: Counts  # which sentence the word is in, from 0
    position: Counts  # of the word in its sentence, from 1
    gold_heads: Counts
    system_heads: Counts
    gold_labels: list[str]
    system_labels: list[str]
    punctuation: Mask  # by gold UPOS
    head_right: Mask
    label_right: Mask
    universal_right: Mask  # the relation, subtypes aside
    counted: Mask  # of all words of gold, those that the other arrays have: what is only a guess is left out

    @property
    def arc_right(self) -> Mask:
        return self.head_right & self.label_right

    def _repr_html_(self) -> str:
        both = attachment(self), attachment(self, punctuation=False)
        rows = [(Cell(name, style="strong"), *(rates[name].percent for rates in both)) for name in both[0]]
        return Table(("", "all words", "without punctuation"), rows).html()

    def per_sentence(self, words: Mask) -> Counts:
        """How many of these words each sentence has."""
        sentences = int(self.sentence[-1]) + 1 if len(self.sentence) else 0
        return np.bincount(self.sentence[words], minlength=sentences)

    def bin_offsets(self, heads: Counts) -> Counts:
        """The bin of DISTANCES, from 1, that each head is in; negative on the left of the word, 0 for the root."""
        offset = heads - self.position
        return np.where(heads == 0, 0, np.sign(offset) * (1 + np.searchsorted(DISTANCES, np.abs(offset))))


@dataclass(frozen=True, slots=True)
class LengthBin:
    """The sentences of about the same length."""

    uas: Rate
    las: Rate
    exact_match: Rate  # LAS


def compare(gold_sentences: Iterable[Sentence], system_sentences: Iterable[Sentence]) -> Comparison:
    """Line up two files, which must have the same sentences and words. Of sentences of gold that are annotated in part
    (`# annotation = open`), only the words with marked arcs are compared."""
    lengths: list[int] = []
    annotated: list[bool] = []
    gold_heads: list[int] = []
    system_heads: list[int] = []
    gold_labels: list[str] = []
    system_labels: list[str] = []
    upos: list[str] = []
    for gold, system in pair(gold_sentences, system_sentences):
        lengths.append(len(gold.words))
        annotated += is_annotated(gold, "arc")
        gold_heads += read_marked_heads(gold) if is_open(gold) else gold.gold_heads()
        system_heads += system.gold_heads()
        gold_labels += gold.labels
        system_labels += system.labels
        upos += gold.upos
    counted = np.array(annotated, bool)
    heads = np.array(gold_heads, np.int64)[counted], np.array(system_heads, np.int64)[counted]
    labels = list(compress(gold_labels, annotated)), list(compress(system_labels, annotated))
    pairs = list(zip(*labels, strict=True))
    places = np.concatenate([np.arange(1, n + 1) for n in lengths]) if lengths else np.zeros(0, np.int64)
    return Comparison(
        np.repeat(np.arange(len(lengths)), lengths)[counted],
        places[counted],
        *heads,
        *labels,
        np.array([tag == "PUNCT" for tag in upos], bool)[counted],
        heads[0] == heads[1],
        np.array([g == s for g, s in pairs], bool),
        np.array([g == s or strip_subtype(g) == strip_subtype(s) for g, s in pairs], bool),
        counted,
    )


def read_marked_heads(gold: Sentence) -> list[int]:
    """The heads of a sentence that is annotated in part, checked; those that are not marked stand for nothing."""
    heads, _ = take_annotated_arcs(gold)
    for d, (head, marked) in enumerate(zip(heads, is_annotated(gold, "arc"), strict=True), start=1):
        if marked and (head is None or head == d):
            location = f"{gold.file}:{gold.word_line(d)}"
            raise FormatError(f"{location}: the arc of word {d} is marked, but HEAD is {head or '_'}; expected a head")
    return [head or 0 for head in heads]


def pair(
    gold_sentences: Iterable[Sentence], system_sentences: Iterable[Sentence]
) -> Iterator[tuple[Sentence, Sentence]]:
    """Yield the sentences of two files side by side; the first that has other words is an error."""
    before: tuple[Sentence, Sentence] | None = None
    for number, (gold, system) in enumerate(zip_longest(gold_sentences, system_sentences), start=1):
        if gold is None or system is None:
            more, other = (system, 0) if gold is None else (gold, 1)
            ended = before[other].file if before else "the other file"
            raise MismatchError(
                f"{more.file}:{more.line}: sentence {number} begins here, but {ended} has only {number - 1}; "
                f"expected the same number of sentences"
            )
        _check_words(number, gold, system)
        before = gold, system
        yield before


def find_reordering(gold: Sequence[Sentence], system: Sequence[Sentence]) -> str | None:
    """Return what to say about two files that have the same sentences in another order; None about others."""
    ours, theirs = ([tuple(sentence.words) for sentence in side] for side in (gold, system))
    if ours == theirs or Counter(ours) != Counter(theirs):
        return None
    k = next(i for i, (one, other) in enumerate(zip(ours, theirs, strict=True)) if one != other)
    place = theirs.index(ours[k], k)
    here, there = gold[k], system[place]
    return (
        f"the same sentences in another order: sentence {k + 1} ({here.file}:{here.line}) is sentence {place + 1} "
        f"({there.file}:{there.line}); expected the same order in both files"
    )


def attachment(comparison: Comparison, *, punctuation: bool = True) -> dict[str, Rate]:
    """UAS, LAS and label accuracy over words, and over sentences that are entirely right.

    Without punctuation, words that gold tags PUNCT are left out, and so are sentences of nothing else.
    """
    c = comparison
    counted = np.ones_like(c.punctuation) if punctuation else ~c.punctuation
    scored = c.per_sentence(counted) > 0

    def words(right: Mask) -> Rate:
        return Rate(int(np.sum(right & counted)), int(np.sum(counted)))

    def sentences(right: Mask) -> Rate:
        flawless = c.per_sentence(counted & ~right) == 0
        return Rate(int(np.sum(flawless & scored)), int(np.sum(scored)))

    return {
        "UAS": words(c.head_right),
        "LAS": words(c.arc_right),
        "LAS universal": words(c.head_right & c.universal_right),
        "labels": words(c.label_right),
        "labels universal": words(c.universal_right),
        "UAS exact match": sentences(c.head_right),
        "LAS exact match": sentences(c.arc_right),
        "LAS universal exact match": sentences(c.head_right & c.universal_right),
    }


def by_relation(comparison: Comparison) -> Scores:
    """Arcs of each relation, most frequent in gold first. An arc is right if head and full label are."""
    return _score_arcs(comparison, comparison.gold_labels, comparison.system_labels)


def by_distance(comparison: Comparison) -> Scores:
    """Arcs by how many words lie from head to dependent, shortest first; arcs from the root are a group of their own.

    As in McDonald and Nivre (2007): recall is over the gold arcs of that length, precision over the system's.
    """
    names = ["root", *_bin_names(DISTANCES)]
    both = comparison.gold_heads, comparison.system_heads
    gold, system = ([names[i] for i in np.abs(comparison.bin_offsets(heads))] for heads in both)
    scores = _score_arcs(comparison, gold, system)
    return Scores((name, scores[name]) for name in names if name in scores)


def by_length(comparison: Comparison) -> dict[str, LengthBin]:
    """Sentences by their number of words."""
    c = comparison
    lengths = c.per_sentence(np.ones_like(c.head_right))
    flawless = c.per_sentence(c.arc_right) == lengths
    heads, arcs = c.per_sentence(c.head_right), c.per_sentence(c.arc_right)
    number = np.searchsorted(LENGTHS, lengths)
    bins = {}
    for i, name in enumerate(_bin_names(LENGTHS)):
        here = (number == i) & (lengths > 0)
        if here.any():
            words = int(lengths[here].sum())
            bins[name] = LengthBin(
                Rate(int(heads[here].sum()), words),
                Rate(int(arcs[here].sum()), words),
                Rate(int(flawless[here].sum()), int(here.sum())),
            )
    return bins


def _score_arcs(comparison: Comparison, gold: Sequence[str], system: Sequence[str]) -> Scores:
    """A score for each group that a gold or a system arc falls into; a right arc falls into the same one in both."""
    in_gold, in_system = Counter(gold), Counter(system)
    correct = Counter(compress(gold, comparison.arc_right))
    names = _sort_by_frequency(gold, system)
    return Scores((name, Score(in_gold[name], in_system[name], correct[name])) for name in names)


def _sort_by_frequency(gold: Iterable[str], system: Iterable[str]) -> list[str]:
    """All names of both sides, the most frequent in gold first."""
    in_gold = Counter(gold)
    return sorted(in_gold.keys() | set(system), key=lambda name: (-in_gold[name], name))


def _bin_names(ends: Sequence[int]) -> list[str]:
    """1-10, 11-20, … and what is longer than the last end: 51+."""
    starts = [1, *(end + 1 for end in ends)]
    closed = [str(a) if a == b else f"{a}-{b}" for a, b in zip(starts, ends, strict=False)]
    return [*closed, f"{starts[-1]}+"]


def _check_words(number: int, gold: Sentence, system: Sentence) -> None:
    if gold.words == system.words:
        return
    for d, (g, s) in enumerate(zip(gold.words, system.words, strict=False), start=1):
        if g != s:
            raise MismatchError(
                f"{system.file}:{system.word_line(d)}: word {d} of sentence {number} is {s!r}; "
                f"expected {g!r} as in {gold.file}:{gold.word_line(d)}"
            )
    raise MismatchError(
        f"{system.file}:{system.line}: sentence {number} has {len(system.words)} words; "
        f"expected {len(gold.words)} as in {gold.file}:{gold.line}"
    )


@dataclass(frozen=True)
class Mistake:
    """A value of gold that became another one."""

    gold: str
    system: str
    words: int
    share: float  # of the words that have this value in gold
    right_head: int | None = None  # number of these words that have the right head


@dataclass(frozen=True)
class Confusion:
    """How many words with each value in gold have each value in the system output."""

    names: list[str]
    counts: dict[tuple[str, str], int]  # by gold and system; what does not occur is left out
    right_heads: dict[tuple[str, str], int] | None = None

    def row(self, gold: str) -> list[int]:
        """Return how often this value of gold became each of `names`."""
        return [self.counts.get((gold, name), 0) for name in self.names]

    def _repr_html_(self) -> str:
        rows = [(one.gold, one.system, one.words, 100 * one.share) for one in self.mistakes()[:MAX_MISTAKES]]
        return Table(("gold", "system", "words", "% of gold"), rows, align="llrr").html()

    def mistakes(self) -> list[Mistake]:
        """Return the confusions, the most frequent first."""
        totals = {name: sum(self.row(name)) for name in self.names}
        wrong = [(pair, words) for pair, words in self.counts.items() if pair[0] != pair[1]]
        mistakes = []
        for pair, words in sorted(wrong, key=lambda one: (-one[1], one[0])):
            right = self.right_heads.get(pair, 0) if self.right_heads is not None else None
            mistakes.append(Mistake(*pair, words, words / totals[pair[0]], right))
        return mistakes


def label_confusion(comparison: Comparison) -> Confusion:
    """Return the relations of all words with their subtypes, whatever the head; the most frequent in gold first."""
    both = comparison.gold_labels, comparison.system_labels
    return _confuse(comparison, _sort_by_frequency(*both), *both)


def tag_confusion(gold: Sequence[Sentence], system: Sequence[Sentence]) -> Confusion:
    """Return the UPOS of the same words; nothing where one side has none."""
    pairs = [
        pair
        for one, other in zip(gold, system, strict=True)
        for pair in compress(zip(one.upos, other.upos, strict=True), is_annotated(one, "upos"))
        if "_" not in pair
    ]
    sides = list(zip(*pairs, strict=True)) or [(), ()]
    return Confusion(_sort_by_frequency(*sides), dict(Counter(pairs)))


def head_confusion(comparison: Comparison) -> Confusion:
    """Return on which side of a word its head is and how far away, from far on the left to far on the right."""
    distances = _bin_names(DISTANCES)
    names = [*(f"left {name}" for name in reversed(distances)), "root", *(f"right {name}" for name in distances)]
    both = comparison.gold_heads, comparison.system_heads
    gold, system = ([names[len(distances) + i] for i in comparison.bin_offsets(heads)] for heads in both)
    used = {*gold, *system}
    return _confuse(comparison, [name for name in names if name in used], gold, system)


def _confuse(comparison: Comparison, names: list[str], gold: list[str], system: list[str]) -> Confusion:
    pairs = list(zip(gold, system, strict=True))
    return Confusion(names, dict(Counter(pairs)), dict(Counter(compress(pairs, comparison.head_right))))


@dataclass(frozen=True)
class Flaws:
    """A sentence, counted from 0, and what is wrong in it."""

    sentence: int
    words: int
    wrong_heads: int
    wrong_labels: int  # where the head is right

    @property
    def wrong_arcs(self) -> int:
        return self.wrong_heads + self.wrong_labels


def worst_sentences(comparison: Comparison, most: int) -> list[Flaws]:
    """Return the sentences with the most wrong arcs; of equally many, the shorter sentence comes first."""
    words = comparison.per_sentence(np.ones_like(comparison.head_right))
    heads = comparison.per_sentence(~comparison.head_right)
    labels = comparison.per_sentence(comparison.head_right & ~comparison.label_right)
    counts = zip(words.tolist(), heads.tolist(), labels.tolist(), strict=True)
    flawed = [flaws for i, each in enumerate(counts) if (flaws := Flaws(i, *each)).wrong_arcs]
    return sorted(flawed, key=lambda each: (-each.wrong_arcs, each.words, each.sentence))[:most]
