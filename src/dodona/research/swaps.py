"""Statistics of a treebank: the numbers of Table 1 in Björkelund and Nivre (2015), and a few more."""

from bisect import bisect
from collections import Counter
from collections.abc import Iterable

from dodona.data.sentence import Sentence
from dodona.data.trees import nonprojective_dependents
from dodona.errors import FormatError
from dodona.systems.registry import BUDGET
from dodona.systems.swap_standard import SwapStandard, fewest_swaps, plan
from dodona.transitions.derivations import canonical_derivation, gold_tree
from dodona.transitions.gold import Gold

__all__ = ["describe_treebank"]

MAX_WORDS = 10_000  # in a sentence: to see that a derivation is unique takes time that grows with their square
MAX_DISORDER = 20_000  # pairs of words; the time grows with their square, and no sentence is known to have 3,000


def describe_treebank(file: str, sentences: Iterable[Sentence]) -> dict[str, str | int | float | None]:
    """Return the row of the table, by column; None where the divisor is 0.

    Where the search for the fewest swaps takes too long, LAZY's swaps are counted.
    """
    system = SwapStandard(1)
    counts: Counter[str] = Counter()
    labels: set[str] = set()
    longest = 0
    for sentence in sentences:
        heads = sentence.gold_heads()
        tree = gold_tree(heads, [0] * len(heads))
        _check_disorder(sentence, tree)
        longest = max(longest, tree.n)
        labels.update(sentence.labels)
        counts.update(sentences=1, words=tree.n, projective=tree.is_projective, unique=system.is_unique(tree))
        if not tree.is_projective:  # else no oracle swaps
            eager, lazy = (_derive_swaps(system, tree, oracle) for oracle in ("eager", "lazy"))
            fewest = fewest_swaps(system, tree, BUDGET)
            minimal = lazy if fewest is None else _count_swaps(fewest, tree)
            counts.update(eager=eager, lazy=lazy, minimal=minimal, given_up=fewest is None)
            counts["nonprojective_arcs"] += len(nonprojective_dependents(heads))
    return {
        "file": file,
        "sentences": counts["sentences"],
        "words": counts["words"],
        "projective_sentences_percent": _percent(counts["projective"], counts["sentences"]),
        "nonprojective_arcs_percent": _percent(counts["nonprojective_arcs"], counts["words"]),
        "eager_swaps": counts["eager"],
        "lazy_reduction_percent": _percent(counts["eager"] - counts["lazy"], counts["eager"]),
        "minimal_reduction_percent": _percent(counts["eager"] - counts["minimal"], counts["eager"]),
        "minimal_given_up": counts["given_up"],
        "unique_derivation_percent": _percent(counts["unique"], counts["sentences"]),
        "labels": len(labels),
        "mean_length": round(counts["words"] / counts["sentences"], 2) if counts["sentences"] else None,
        "longest": longest if counts["sentences"] else None,
    }


def _check_disorder(sentence: Sentence, tree: Gold) -> None:
    """Raise an error for more words than any sentence has, or more pairs of them in the wrong order: each pair may have
    to be swapped."""
    location = f"{sentence.file}:{sentence.line}: " if sentence.file else ""
    if tree.n > MAX_WORDS:
        raise FormatError(
            f"{location}a sentence of {tree.n:,} words; expected at most {MAX_WORDS:,} where swaps are counted"
        )
    pairs = 0
    seen: list[int] = []
    for k in range(1, tree.n + 1):
        at = bisect(seen, tree.order[k])
        pairs += len(seen) - at
        seen.insert(at, tree.order[k])
        if pairs > MAX_DISORDER:
            expected = f"expected at most {MAX_DISORDER:,} pairs of words that are not in projective order"
            raise FormatError(f"{location}too many swaps in a sentence of {tree.n:,} words; {expected}")


def _derive_swaps(system: SwapStandard, tree: Gold, oracle: str) -> int:
    plan(system, tree, oracle, BUDGET)
    return _count_swaps(canonical_derivation(system, tree, None), tree)


def _count_swaps(derivation: list[int] | list[tuple[int, int, int]], tree: Gold) -> int:
    """Every word is shifted and attached once, and every swap needs one more SHIFT."""
    return (len(derivation) - 2 * tree.n) // 2


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None
