"""Workspace of oracles that search from a configuration, and what the arcs of a partial tree need of it."""

from array import array

from dodona.transitions.gold import Gold
from dodona.transitions.state import State


class Workspace:
    """One for each thread; a transition system itself is immutable."""

    def __init__(self, capacity: int) -> None:
        self.count = self.depth = 0
        self.reserve(capacity)

    def reserve(self, n: int) -> None:
        """Allocate memory for sentences of n words."""
        self.state = State(n)
        self.tree = Gold(n)
        self.items, self.position, self.heads = [memoryview(array("i", bytes(4 * (n + 2)))) for _ in range(3)]

    def is_needed(self, s: State, gold: Gold, k: int, removed: int) -> bool:
        """Return whether k is ROOT, or a node of a gold arc that is still to be built. `removed` gets its head now."""
        if k == removed:
            return False
        return k == 0 or gold.head[k] <= s.n or self.is_waiting(s, gold, k, removed)

    def is_waiting(self, s: State, gold: Gold, k: int, removed: int) -> bool:
        """Return whether a gold dependent of k is still to be attached to it."""
        for i in range(gold.first[k], gold.first[k + 1]):
            if s.head[gold.child[i]] != k and gold.child[i] != removed:
                return True
        return False
