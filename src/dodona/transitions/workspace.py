"""Workspace of oracles that search from a configuration, and what given arcs need of a configuration.

The words on the stack and in the buffer that are a node of a given arc which is still to be built are the `items`. All
others stand in nobody's way in swap-standard: wherever one of them is s0 or s1, it can be attached to the other. So
what can be reached without them can be reached with them.
"""

from array import array

from dodona.transitions.gold import Gold
from dodona.transitions.moves import NONE, SHIFT, SWAP
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
        self.items = memoryview(array("i", bytes(4 * (n + 2))))
        self.position = memoryview(array("i", bytes(4 * (n + 2))))
        self.heads = memoryview(array("i", bytes(4 * (n + 2))))

    def collect(self, s: State, gold: Gold, move: int, removed: int) -> None:
        """Set `items` to the nodes that are needed after the move, first those on the stack, then the buffer."""
        count = depth = 0
        for i in range(s.depth):
            k = s.stack[i]
            if not (move == SWAP and i == s.depth - 2) and self.is_needed(s, gold, k, removed):
                self.items[count] = k
                count += 1
        depth = count
        if move == SWAP and self.is_needed(s, gold, s.s1(), removed):
            self.items[count] = s.s1()
            count += 1
        for i in range(s.front, s.end):
            if self.is_needed(s, gold, s.queue[i], removed):
                self.items[count] = s.queue[i]
                count += 1
                depth += move == SHIFT and i == s.front
        self.count = count
        self.depth = depth

    def is_needed(self, s: State, gold: Gold, k: int, removed: int) -> bool:
        """Return whether k is ROOT, or a node of a given arc that is still to be built. `removed` gets its head now."""
        if k == removed:
            return False
        return k == 0 or gold.head[k] <= s.n or self.is_waiting(s, gold, k, removed)

    def is_waiting(self, s: State, gold: Gold, k: int, removed: int) -> bool:
        """Return whether a given dependent of k is still to be attached to it."""
        for i in range(gold.first[k], gold.first[k + 1]):
            if s.head[gold.child[i]] != k and gold.child[i] != removed:
                return True
        return False

    def arrange(self, gold: Gold) -> bool:
        """Set up the items as a sentence of their own, with the trees of the given arcs; their roots hang on ROOT.

        Returns False if a given head is not among them.
        """
        for k in range(gold.n + 1):
            self.position[k] = NONE
        for p in range(self.count):
            self.position[self.items[p]] = p
        for p in range(1, self.count):
            h = gold.head[self.items[p]]
            self.heads[p - 1] = 0 if h > gold.n else self.position[h]
            if self.heads[p - 1] == NONE:
                return False
        self.tree.fill(self.heads, self.heads, 0, self.count - 1)
        self.state.reset(self.count - 1)
        self.state.front = self.state.end = self.depth  # space for words that SWAP returns to the buffer
        for p in range(self.count):
            if p < self.depth:
                self.state.push(p)
            else:
                self.state.enqueue(p)
        return self.tree.is_tree

    def take_over(self) -> None:
        """Set `items` to what is on the stack and in the buffer of the items' own state."""
        count = 0
        for i in range(self.state.depth):
            self.position[count] = self.items[self.state.stack[i]]
            count += 1
        self.depth = count
        for i in range(self.state.front, self.state.end):
            self.position[count] = self.items[self.state.queue[i]]
            count += 1
        for p in range(count):
            self.items[p] = self.position[p]
        self.count = count
