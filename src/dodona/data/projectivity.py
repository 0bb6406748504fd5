"""Non-projective arcs: finding them, and lifting them so that projective systems can derive the tree.

An arc is projective if every word between head and dependent descends from the head. Arcs are lifted as by Nivre and
Nilsson (2005): the shortest non-projective arc first (ties: the leftmost dependent), one step at a time, to the head of
its head, until the tree is projective.

The descendants of a word are the bits of one integer, so that the test of an arc is one operation. The memory is
quadratic, with a small factor: 125 kB for a thousand words, none for a tree that is already projective.
"""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from dodona.data.trees import bottom_up, checked_heads, is_projective

__all__ = ["lift", "nonprojective_dependents", "projectivized"]


def projectivized(heads: Sequence[int]) -> list[int]:
    """Return the heads after lifting; those of a projective tree are unchanged."""
    return lift(heads)[0]


def nonprojective_dependents(heads: Sequence[int]) -> list[int]:
    """Return the words whose arc is not projective, left to right."""
    heads = checked_heads(heads)
    if is_projective(heads):
        return []
    below = _descendants(heads)
    return [d for d, h in enumerate(heads, start=1) if not _is_projective(below, h, d)]


def lift(heads: Sequence[int]) -> tuple[list[int], set[int]]:
    """Return the lifted heads, and the words that arcs were lifted over: the path from a word's old head to its new
    one, the old one included."""
    heads = checked_heads(heads)
    if is_projective(heads):
        return heads, set()
    below = _descendants(heads)
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


def _descendants(heads: Sequence[int]) -> list[int]:
    """For every node the set of its descendants and itself, as bits."""
    below = [1 << k for k in range(len(heads) + 1)]
    for k in bottom_up(heads):
        below[heads[k - 1]] |= below[k]
    return below


def _between(one: int, other: int) -> int:
    """The words strictly between two nodes, as bits."""
    low, high = (one, other) if one < other else (other, one)
    return (1 << high) - (2 << low)


def _is_projective(below: list[int], h: int, d: int) -> bool:
    return not _between(h, d) & ~below[h]
