"""Non-projective arcs: finding them, and lifting them so that projective systems can derive the tree.

An arc is projective if every word between head and dependent descends from the head. Lifting is what Nivre and Nilsson
(2005) do: the shortest non-projective arc first (of equals the one with the leftmost dependent), one step at a time, to
the head of its head, until the tree is projective.

Descendants are kept as the bits of one integer per word, so that asking about an arc is one operation. That is
quadratic in memory, with a small factor: 125 kB for a thousand words, nothing for a tree that is projective already.
"""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from operator import index

from dodona.core.derive import gold_tree
from dodona.core.gold import Gold
from dodona.core.moves import NONE
from dodona.errors import TreeError

__all__ = ["checked_tree", "lift", "nonprojective_dependents", "projectivized"]


def checked_tree(heads: Sequence[int], labels: Sequence[int] | None = None) -> Gold:
    """The tree with these heads; an error that names the word if there is none."""
    n = len(heads)
    numbers = []
    for d, h in enumerate(heads, start=1):
        try:
            number = NONE if isinstance(h, bool) else index(h)
        except TypeError:
            number = NONE
        if not 0 <= number <= n or number == d:
            raise TreeError(f"word {d} has head {h!r}; expected a number from 0 to {n}, not itself")
        numbers.append(number)
    tree = gold_tree(numbers, [NONE] * n if labels is None else list(labels))
    if not tree.is_tree:
        raise TreeError(f"the heads {list(heads)} contain a cycle; expected a tree under ROOT (0)")
    return tree


def projectivized(heads: Sequence[int]) -> list[int]:
    """The heads after lifting; those of a projective tree as they are."""
    return lift(heads)[0]


def nonprojective_dependents(heads: Sequence[int]) -> list[int]:
    """The words whose arc is not projective, left to right."""
    tree = checked_tree(heads)
    if tree.is_projective:
        return []
    below = _descendants(tree)
    return [d for d, h in enumerate(heads, start=1) if not _is_projective(below, h, d)]


def lift(heads: Sequence[int]) -> tuple[list[int], set[int]]:
    """The lifted heads, and the words that arcs were lifted over: those between a word's old head and its new one,
    the old one included."""
    tree = checked_tree(heads)
    if tree.is_projective:
        return list(heads), set()
    below = _descendants(tree)
    head = [0, *heads]
    dependents: list[set[int]] = [set() for _ in head]
    for d, h in enumerate(heads, start=1):
        dependents[h].add(d)
    waiting = [(abs(h - d), d) for d, h in enumerate(heads, start=1) if not _is_projective(below, h, d)]
    heapify(waiting)
    passed = set()
    while waiting:
        _, d = heappop(waiting)
        h = head[d]
        g = head[d] = head[h]
        passed.add(h)
        dependents[h].remove(d)
        dependents[g].add(d)
        # h alone has lost descendants: its arcs over them were projective and are so no more
        lost = below[d]
        for k in dependents[h]:
            between = _between(h, k)
            if between & lost and not between & ~below[h]:
                heappush(waiting, (abs(h - k), k))
        below[h] &= ~lost
        if not _is_projective(below, g, d):
            heappush(waiting, (abs(g - d), d))
    return head[1:], passed


def _descendants(tree: Gold) -> list[int]:
    """For every node the set of its descendants and itself, as bits."""
    below = [1 << k for k in range(tree.n + 1)]
    for k in tree.post[: tree.n]:  # dependents before heads; ROOT, the last, is nobody's dependent
        below[tree.head[k]] |= below[k]
    return below


def _between(one: int, other: int) -> int:
    """The words strictly between two nodes, as bits."""
    low, high = (one, other) if one < other else (other, one)
    return (1 << high) - (2 << low)


def _is_projective(below: list[int], h: int, d: int) -> bool:
    return not _between(h, d) & ~below[h]
