"""What is taken for what: relations, tags, and how far and on which side heads are; and the worst sentences."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from dodona.data import Sentence
from dodona.evaluation.attachment import DISTANCES, Comparison, bin_names, sort_by_frequency
from dodona.tables import Table

__all__ = ["Confusion", "Flaws", "Mistake", "head_confusion", "label_confusion", "tag_confusion", "worst_sentences"]

MAX_MISTAKES = 20  # in a notebook


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
    return _confuse(comparison, sort_by_frequency(*both), *both)


def tag_confusion(gold: Sequence[Sentence], system: Sequence[Sentence]) -> Confusion:
    """Return the UPOS of the same words; nothing where one side has none."""
    pairs = [
        pair
        for one, other in zip(gold, system, strict=True)
        for pair in zip(one.upos, other.upos, strict=True)
        if "_" not in pair
    ]
    sides = list(zip(*pairs, strict=True)) or [(), ()]
    return Confusion(sort_by_frequency(*sides), dict(Counter(pairs)))


def head_confusion(comparison: Comparison) -> Confusion:
    """Return on which side of a word its head is and how far away, from far on the left to far on the right."""
    distances = bin_names(DISTANCES)
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
