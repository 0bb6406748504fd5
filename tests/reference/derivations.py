"""All derivations of a tree, one after the other: no sharing, no costs, only legal transitions and where they end."""

from collections import Counter
from collections.abc import Callable, Iterator

from dodona import Configuration, System
from dodona.research.verification import Tree

Allowed = Callable[[Configuration], list[str]]


def derivations(system: System, c: Configuration, allowed: Allowed) -> Iterator[list[str]]:
    """Every sequence of allowed transitions from here to a terminal configuration."""
    if system.is_terminal(c):
        yield []
    for transition in allowed(c):
        following = c.copy()
        system.apply(following, transition)
        for rest in derivations(system, following, allowed):
            yield [transition, *rest]


def complete(system: System, heads: Tree) -> Counter[int]:
    """How many legal derivations of the tree there are, by length; SWAP only towards the projective order.

    Where arcs are final, a wrong one ends the search. A word that is headless in the end has not been attached.
    """
    order = _projective_order(heads)
    is_final = system.name != "nonmonotonic"

    def allowed(c: Configuration) -> list[str]:
        if is_final and any(h not in (None, gold) for h, gold in zip(c.heads, heads, strict=True)):
            return []
        return [t for t in system.legal(c) if t != "SWAP" or order[c.stack[-1]] < order[c.stack[-2]]]

    found: Counter[int] = Counter()

    def search(c: Configuration, length: int) -> None:
        if system.is_terminal(c):
            found[length] += tuple(c.heads) == heads
        for transition in allowed(c):
            following = c.copy()
            system.apply(following, transition)
            search(following, length + 1)

    search(system.initial(len(heads)), 0)
    return +found


def _projective_order(heads: Tree) -> dict[int, int]:
    def traverse(h: int) -> list[int]:
        below = [d for d, head in enumerate(heads, start=1) if head == h]
        left = [k for d in below if d < h for k in traverse(d)]
        return [*left, h, *(k for d in below if d > h for k in traverse(d))]

    return {k: place for place, k in enumerate(traverse(0))}
