"""Dependency trees as lists of heads: word d, counted from 1, has head heads[d - 1], and 0 is ROOT."""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from operator import index
from typing import Any

from dodona.errors import TreeError

__all__ = [
    "LONGEST_LIFTED", "check_tree", "find_cycle", "is_head", "is_projective", "lift", "make_projective",
    "nonprojective_dependents", "order_bottom_up",
]  # fmt: skip

LONGEST_LIFTED = 20_000  # words: which of them are below which takes memory that grows with the square of their number


def make_projective(heads: Sequence[int]) -> list[int]:
    """Return the heads after lifting; those of a projective tree are unchanged."""
    return lift(heads)[0]


def nonprojective_dependents(heads: Sequence[int]) -> list[int]:
    """Return the words whose arc is not projective, left to right."""
    heads = check_tree(heads)
    if is_projective(heads):
        return []
    left, right = _reach(heads)
    return [d for d, h in enumerate(heads, start=1) if h and not left[h] < d < right[h]]


def _reach(heads: Sequence[int]) -> tuple[list[int], list[int]]:
    """For every word the nearest ones to its left and to its right that are not below it: an arc over one of these is
    not projective. In linear time: a word that another has stepped over is not looked at again."""
    n = len(heads)
    top_down = order_bottom_up(heads)[::-1]
    size = [1] * (n + 1)
    for k in reversed(top_down):
        size[heads[k - 1]] += size[k]
    begin, free = [0] * (n + 1), [1] * (n + 1)  # in an order in which those below a word follow it
    for k in top_down:
        h = heads[k - 1]
        begin[k] = free[h]
        free[h] += size[k]
        free[k] = begin[k] + 1
    left, right = list(range(n + 1)), list(range(n + 1))
    for reach, words, step in ((left, range(1, n + 1), -1), (right, range(n, 0, -1), 1)):
        for h in words:
            k = h + step
            while 0 < k <= n and begin[h] < begin[k] < begin[h] + size[h]:
                k = reach[k]
            reach[h] = k
    return left, right


def lift(heads: Sequence[int]) -> tuple[list[int], set[int]]:
    """Return the lifted heads, and the words that arcs were lifted over: the path from a word's old head to its new
    one, the old one included."""
    heads = check_tree(heads)
    if is_projective(heads):
        return heads, set()
    if len(heads) > LONGEST_LIFTED:
        raise TreeError(f"{len(heads):,} words with arcs that cross; expected {LONGEST_LIFTED:,} at most, to lift them")
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
    for k in order_bottom_up(heads):
        below[heads[k - 1]] |= below[k]
    return below


def _between(one: int, other: int) -> int:
    """The words strictly between two nodes, as bits."""
    low, high = (one, other) if one < other else (other, one)
    return (1 << high) - (2 << low)


def _is_projective(below: list[int], h: int, d: int) -> bool:
    return not _between(h, d) & ~below[h]


def find_cycle(heads: Sequence[int | None]) -> tuple[int, list[int]] | None:
    """The first word that does not lead to ROOT or to a word without a head (None), and the cycle that it leads into:
    each word followed by its head. None if there is no cycle."""
    first_met = [0] * (len(heads) + 1)  # from which word a word was met first
    for d in range(1, len(heads) + 1):
        path = []
        k = d
        while k and not first_met[k]:
            first_met[k] = d
            path.append(k)
            k = heads[k - 1] or 0
        if k and first_met[k] == d:
            return d, path[path.index(k) :]
    return None


def is_head(value: Any, n: int) -> bool:
    """Return whether this is a number from 0 to n, also one of numpy."""
    try:
        return 0 <= index(value) <= n and not isinstance(value, bool)
    except TypeError:
        return False


def check_tree(heads: Sequence[int]) -> list[int]:
    """Return the heads of a tree under ROOT as integers; the error names the word if it is not a tree."""
    n = len(heads)
    for d, h in enumerate(heads, start=1):
        if not is_head(h, n) or h == d:
            raise TreeError(f"word {d} has head {h!r}; expected a number from 0 to {n}, not itself")
    numbers = [index(h) for h in heads]
    if find_cycle(numbers) is not None:
        raise TreeError(f"the heads {numbers} contain a cycle; expected a tree under ROOT (0)")
    return numbers


def order_bottom_up(heads: Sequence[int]) -> list[int]:
    """Return the words of a tree, dependents before their heads."""
    dependents: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for d, h in enumerate(heads, start=1):
        dependents[h].append(d)
    words = dependents[0]
    for k in words:  # grows while it is walked through
        words += dependents[k]
    return words[::-1]


def is_projective(heads: Sequence[int]) -> bool:
    """Return whether every subtree of a tree is a contiguous span of words."""
    n = len(heads)
    first, last, size = list(range(n + 1)), list(range(n + 1)), [1] * (n + 1)
    for k in order_bottom_up(heads):
        if last[k] - first[k] + 1 != size[k]:
            return False
        h = heads[k - 1]
        size[h] += size[k]
        if first[k] < first[h]:
            first[h] = first[k]
        if last[k] > last[h]:
            last[h] = last[k]
    return True
