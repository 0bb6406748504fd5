"""What every transition system says: how it starts and ends, which moves are legal, what they do and cost.

An action is (move, site, label). Stack systems act at one site, called 0; easy-first at every word of its
list. Labels play no part in legality, and in costs only through the arc a move adds: a system's `cost` is
for the best label, and `costs` adds 1 where that arc is gold but the label is not.
"""

from array import array
from collections.abc import Sequence

from dodona.core.gold import Gold
from dodona.core.moves import NONE
from dodona.core.state import State


class TransitionSystem:
    def __init__(self, labels: int, single_root: bool, plain: Sequence[int], labelled: Sequence[int]) -> None:
        """`plain` moves carry no label, `labelled` moves come once for each label, in this order."""
        self.labels = labels
        self.single_root = single_root
        self.plain = len(plain)
        self.moves = memoryview(array("i", [*plain, *labelled]))
        self.actions = len(plain) + labels * len(labelled)

    def start(self, s: State, n: int) -> None:
        """Lay out the initial configuration for n words."""

    def is_terminal(self, s: State) -> bool:
        return True

    def legal(self, s: State, move: int, site: int) -> bool:
        """Whether the move may be taken in a configuration that is not terminal."""
        return False

    def apply(self, s: State, move: int, site: int, label: int) -> None:
        """Take a legal move."""

    def act(self, s: State, action: int, site: int, remembered: int) -> None:
        """Take an action by its number; `remembered` is the label that a plain move carries along."""
        if action < self.plain:
            self.apply(s, self.moves[action], site, remembered)
        else:
            action -= self.plain
            self.apply(s, self.moves[self.plain + action // self.labels], site, action % self.labels)

    def head_of(self, s: State, move: int, site: int) -> int:
        """The head of the arc that the move would add, or nobody."""
        return s.n + 1

    def dependent_of(self, s: State, move: int, site: int) -> int:
        """The dependent of the arc that the move would add, or nobody."""
        return s.n + 1

    def cost(self, s: State, gold: Gold, move: int, site: int) -> int:
        """How many gold arcs that could still be had are lost by this legal move with the right label."""
        return 0

    def canonical(self, s: State, gold: Gold, site: int) -> int:
        """The static oracle: the next move of the canonical derivation, or NONE if it is not at this site.

        The action is at the first site that has a move; its label is the gold label of its dependent.
        """
        return NONE

    def canonical_site(self, s: State, gold: Gold) -> int:
        site = 0
        while self.canonical(s, gold, site) == NONE:
            site = self.next_site(s, site)
        return site

    def next_site(self, s: State, site: int) -> int:
        """The site after this one, or NONE; 0 is always the first."""
        return NONE

    def costs(self, s: State, gold: Gold, site: int, remembered: int, out: memoryview) -> None:
        """Write the cost of every action at this site into `out`, NONE where it is not legal.

        `remembered` is the label that a plain move carries along where it carries one (non-monotonic SHIFT).
        """
        a = 0
        for m in range(len(self.moves)):
            move = self.moves[m]
            width = 1 if m < self.plain else self.labels
            if not self.legal(s, move, site):
                for i in range(width):
                    out[a + i] = NONE
            else:
                cost = self.cost(s, gold, move, site)
                h = self.head_of(s, move, site)
                d = self.dependent_of(s, move, site)
                if m < self.plain:
                    out[a] = cost + gold.wrong_label(h, d, remembered)
                elif gold.head[d] == h and gold.label[d] != NONE:
                    for i in range(width):
                        out[a + i] = cost + 1
                    if gold.label[d] < self.labels:
                        out[a + gold.label[d]] = cost
                else:
                    for i in range(width):
                        out[a + i] = cost
            a += width
