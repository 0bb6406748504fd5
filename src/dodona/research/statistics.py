"""Statistics of a treebank: the numbers of Table 1 in Björkelund and Nivre (2015), and a few more."""

from dataclasses import dataclass, field

from dodona.data.sentence import Sentence
from dodona.data.trees import nonprojective_dependents
from dodona.systems.registry import BUDGET
from dodona.systems.swap_standard import SwapStandard, fewest_swaps, plan
from dodona.transitions.derivations import canonical_derivation, gold_tree
from dodona.transitions.gold import Gold

__all__ = ["Statistics"]


@dataclass
class Statistics:
    """Counts over sentences: `add` them one after the other, and read the shares at any time."""

    file: str
    sentences: int = 0
    words: int = 0
    longest: int = 0
    projective_sentences: int = 0
    nonprojective_arcs: int = 0
    eager_swaps: int = 0
    lazy_swaps: int = 0
    minimal_swaps: int = 0
    minimal_given_up: int = 0  # sentences where the search took too long; LAZY's swaps are counted for them
    unique_derivations: int = 0
    labels: set[str] = field(default_factory=set)
    _swap_standard: SwapStandard = field(default_factory=lambda: SwapStandard(1), repr=False)

    def add(self, sentence: Sentence) -> None:
        heads = sentence.gold_heads()
        tree = gold_tree(heads, [0] * len(heads))
        self.sentences += 1
        self.words += tree.n
        self.longest = max(self.longest, tree.n)
        self.labels.update(sentence.labels)
        self.unique_derivations += self._swap_standard.is_unique(tree)
        if tree.is_projective:  # no oracle swaps
            self.projective_sentences += 1
            return
        self.nonprojective_arcs += len(nonprojective_dependents(heads))
        self.eager_swaps += self._swaps(tree, "eager")
        lazy = self._swaps(tree, "lazy")
        fewest = fewest_swaps(self._swap_standard, tree, BUDGET)
        self.lazy_swaps += lazy
        self.minimal_swaps += lazy if fewest is None else _swaps(fewest, tree)
        self.minimal_given_up += fewest is None

    def _swaps(self, tree: Gold, oracle: str) -> int:
        plan(self._swap_standard, tree, oracle, BUDGET)
        return _swaps(canonical_derivation(self._swap_standard, tree, None), tree)

    def row(self) -> dict[str, str | int | float | None]:
        """Return the row of the table, by column; None where the divisor is 0."""
        return {
            "file": self.file,
            "sentences": self.sentences,
            "words": self.words,
            "projective_sentences_percent": _percent(self.projective_sentences, self.sentences),
            "nonprojective_arcs_percent": _percent(self.nonprojective_arcs, self.words),
            "eager_swaps": self.eager_swaps,
            "lazy_reduction_percent": _percent(self.eager_swaps - self.lazy_swaps, self.eager_swaps),
            "minimal_reduction_percent": _percent(self.eager_swaps - self.minimal_swaps, self.eager_swaps),
            "minimal_given_up": self.minimal_given_up,
            "unique_derivation_percent": _percent(self.unique_derivations, self.sentences),
            "labels": len(self.labels),
            "mean_length": round(self.words / self.sentences, 2) if self.sentences else None,
            "longest": self.longest if self.sentences else None,
        }


def _swaps(derivation: list[int] | list[tuple[int, int, int]], tree: Gold) -> int:
    """Every word is shifted and attached once, and every swap needs one more SHIFT."""
    return (len(derivation) - 2 * tree.n) // 2


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None
