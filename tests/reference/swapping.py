"""SwapStandard by exhaustive search, written anew: a configuration is a stack and a buffer, and the arcs so far.

    SHIFT    the first word of the buffer goes on the stack
    LEFT     the second word of the stack (not ROOT) becomes a dependent of the first, and is gone
    RIGHT    the first word of the stack becomes a dependent of the second, and is gone
    SWAP     the second word of the stack (not ROOT), if it is before the first in the sentence, goes back to the buffer

With exactly one root word, RIGHT from ROOT is allowed only where the buffer is empty.
"""

from collections.abc import Iterator
from typing import NamedTuple

from dodona.research.verification import Tree


class Place(NamedTuple):
    stack: tuple[int, ...]
    buffer: tuple[int, ...]


def initial(n: int) -> Place:
    return Place((0,), tuple(range(1, n + 1)))


def is_terminal(c: Place) -> bool:
    return c == ((0,), ())


def moves(c: Place, single_root: bool = False) -> Iterator[tuple[str, Place, tuple[int, int] | None]]:
    """(transition, the configuration after it, head and dependent of the arc that it adds)."""
    stack, buffer = c
    if buffer:
        yield "SHIFT", Place((*stack, buffer[0]), buffer[1:]), None
    if len(stack) > 1:
        s1, s0 = stack[-2:]
        if s1 > 0:
            yield "LEFT", Place((*stack[:-2], s0), buffer), (s0, s1)
        if s1 > 0 or not single_root or not buffer:
            yield "RIGHT", Place(stack[:-1], buffer), (s1, s0)
        if 0 < s1 < s0:
            yield "SWAP", Place((*stack[:-2], s0), (s1, *buffer)), None


def projective_order(heads: Tree) -> dict[int, int]:
    """The place of every node in an inorder traversal, by its definition."""

    def traverse(h: int) -> list[int]:
        dependents = [d for d, head in enumerate(heads, start=1) if head == h]
        left = [k for d in dependents if d < h for k in traverse(d)]
        return [*left, h, *(k for d in dependents if d > h for k in traverse(d))]

    return {k: place for place, k in enumerate(traverse(0))}


class Derivations:
    """All derivations of a tree: whoever is gone has its gold head, so stack and buffer tell everything.

    `ordered` are only those that swap two words towards the projective order.
    """

    def __init__(self, heads: Tree, ordered: bool) -> None:
        self.heads, self.ordered = heads, ordered
        self.order = projective_order(heads)
        self._fewest: dict[Place, float] = {}

    def following(self, c: Place) -> dict[str, Place]:
        """All transitions but those that add another arc or, if wanted, swap away from the projective order."""
        return {
            name: after
            for name, after, arc in moves(c)
            if (arc is None or self.heads[arc[1] - 1] == arc[0])
            and not (name == "SWAP" and self.ordered and self.order[c.stack[-2]] < self.order[c.stack[-1]])
        }

    def fewest_swaps(self, c: Place) -> float:
        """From here to the end, by trying everything; infinite if the tree is out of reach.

        A word that is gone too early leaves its dependents without a way to their head: they never leave the stack.
        """
        if c not in self._fewest:
            self._fewest[c] = float("inf")
            if is_terminal(c):
                self._fewest[c] = 0
            else:
                costs = ((name == "SWAP") + self.fewest_swaps(after) for name, after in self.following(c).items())
                self._fewest[c] = min(costs, default=float("inf"))
        return self._fewest[c]

    def correct(self, c: Place) -> list[str]:
        """The transitions that keep the tree within reach."""
        return [name for name, after in self.following(c).items() if self.fewest_swaps(after) < float("inf")]

    def places(self) -> dict[Place, list[str]]:
        """All configurations, not terminal, from which the tree is within reach, each with a way that leads there."""
        found = {}
        todo: list[tuple[Place, list[str]]] = [(initial(len(self.heads)), [])]
        while todo:
            c, way = todo.pop()
            if c not in found and not is_terminal(c) and self.fewest_swaps(c) < float("inf"):
                found[c] = way
                todo += [(after, [*way, name]) for name, after in self.following(c).items()]
        return found
