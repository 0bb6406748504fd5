"""Error analysis: by relation, by the length of the sentence, by the distance between head and dependent."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from dodona.evaluation.attachment import Comparison, Counts, Rate
from dodona.evaluation.conll18 import Score, Scores

__all__ = ["LengthBin", "bin_names", "by_distance", "by_length", "by_relation"]

LENGTHS = (10, 20, 30, 40, 50)  # the last length of each bin but the open one
DISTANCES = (1, 2, 6)


@dataclass(frozen=True, slots=True)
class LengthBin:
    """The sentences of about the same length."""

    uas: Rate
    las: Rate
    exact_match: Rate  # LAS


def by_relation(comparison: Comparison) -> Scores:
    """Arcs of each relation, most frequent in gold first. An arc is right if head and full label are."""
    return _arcs(comparison, comparison.gold_labels, comparison.system_labels)


def by_distance(comparison: Comparison) -> Scores:
    """Arcs by how many words lie from head to dependent, shortest first; arcs from the root are a group of their own.

    As in McDonald and Nivre (2007): recall is over the gold arcs of that length, precision over the system's.
    """
    names = ["root", *bin_names(DISTANCES)]

    def bins(heads: Counts) -> list[str]:
        distance = np.abs(heads - comparison.position)
        number = np.where(heads == 0, 0, 1 + np.searchsorted(DISTANCES, distance))
        return [names[i] for i in number]

    scores = _arcs(comparison, bins(comparison.gold_heads), bins(comparison.system_heads))
    return Scores((name, scores[name]) for name in names if name in scores)


def by_length(comparison: Comparison) -> dict[str, LengthBin]:
    """Sentences by their number of words."""
    c = comparison
    lengths = c.per_sentence(np.ones_like(c.head_right))
    flawless = c.per_sentence(c.arc_right) == lengths
    heads, arcs = c.per_sentence(c.head_right), c.per_sentence(c.arc_right)
    number = np.searchsorted(LENGTHS, lengths)
    bins = {}
    for i, name in enumerate(bin_names(LENGTHS)):
        here = number == i
        if here.any():
            words = int(lengths[here].sum())
            bins[name] = LengthBin(
                Rate(int(heads[here].sum()), words),
                Rate(int(arcs[here].sum()), words),
                Rate(int(flawless[here].sum()), int(here.sum())),
            )
    return bins


def _arcs(comparison: Comparison, gold: Sequence[str], system: Sequence[str]) -> Scores:
    """A score for each group that a gold or a system arc falls into; a right arc falls into the same one in both."""
    in_gold, in_system = Counter(gold), Counter(system)
    correct = Counter(compress(gold, comparison.arc_right))
    names = sorted(in_gold | in_system, key=lambda name: (-in_gold[name], name))
    return Scores((name, Score(in_gold[name], in_system[name], correct[name])) for name in names)


def bin_names(ends: Sequence[int]) -> list[str]:
    """1-10, 11-20, … and what is longer than the last end: 51+."""
    starts = [1, *(end + 1 for end in ends)]
    closed = [str(a) if a == b else f"{a}-{b}" for a, b in zip(starts, ends, strict=False)]
    return [*closed, f"{starts[-1]}+"]
