"""Workspace of oracles that search from a configuration."""

from array import array

from dodona.transitions.gold import Gold
from dodona.transitions.state import State


class Workspace:
    """One for each thread; a transition system itself is immutable."""

    def __init__(self, capacity: int) -> None:
        self.reserve(capacity)

    def reserve(self, n: int) -> None:
        """Allocate memory for sentences of n words."""
        self.state = State(n)
        self.tree = Gold(n)
        self.items = memoryview(array("i", bytes(4 * (n + 2))))
        self.position = memoryview(array("i", bytes(4 * (n + 2))))
        self.heads = memoryview(array("i", bytes(4 * (n + 2))))
