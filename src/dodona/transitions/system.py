"""What every transition system says: how it starts and ends, which moves are legal, what they do and cost.

An action is (move, site, label). Stack systems act at one site, called 0; easy-first at every word of its
list. Labels play no part in legality, and in costs only through the arc a move adds: a system's `cost` is
for the best label, and `costs` adds 1 where that arc is gold but the label is not.

Actions at a site are numbered: first the plain moves, then for each other move all labels. This file is the
only one that turns a move and a label into such a number and back.
"""

from array import array
from collections.abc import Sequence
from typing import Any

from dodona.errors import TransitionError
from dodona.transitions.gold import Gold
from dodona.transitions.moves import NONE
from dodona.transitions.state import State
from dodona.transitions.workspace import Workspace

COMPILED = not __file__.endswith(".py")
"""Whether this is the compiled core or the same files run by the interpreter."""

HEAP_TYPE = 1 << 9  # the mark of a class that the interpreter made
MOST_MOVES = 31  # sets of moves are bits of an int


class TransitionSystem:
    """Holds nothing that changes, so one system can serve many threads."""

    def __cinit__(self, *arguments: Any, **options: Any) -> None:
        """Only the compiled class has this. Compiled loops do not see what a class of the interpreter overrides."""
        kind = type(self)
        compiled = next(base for base in kind.__mro__ if not base.__flags__ & HEAP_TYPE)
        if kind is not compiled and compiled.__name__ != "PythonSystem":
            raise TypeError(
                f"{kind.__name__} is a Python class, and its base {compiled.__name__} is compiled: what it "
                "overrides would be ignored. Derive it from dodona.transitions.python_system.PythonSystem, which is "
                "slow but works, or compile it too: docs/extending.md shows both ways."
            )

    def __init__(self, labels: int, single_root: bool, plain: Sequence[int], labelled: Sequence[int]) -> None:
        """`plain` moves carry no label, `labelled` moves come once for each label, in this order."""
        for move in (*plain, *labelled):
            if not 0 <= move < MOST_MOVES or (*plain, *labelled).count(move) > 1:
                raise ValueError(f"move {move}: expected different numbers from 0 to {MOST_MOVES - 1}")
        self.labels = labels
        self.single_root = single_root
        self.plain = len(plain)
        self.moves = memoryview(array("i", [*plain, *labelled]))
        sizes = [1] * len(plain) + [labels] * len(labelled)
        self.first = memoryview(array("i", [sum(sizes[:m]) for m in range(len(sizes) + 1)]))
        self.actions = sum(sizes)
        self.has_sites = False
        self.has_preferences = False
        self.carried_move = NONE

    # Configurations

    def start(self, s: State, n: int) -> None:
        """Lay out the initial configuration for n words."""

    def is_terminal(self, s: State) -> bool:
        return True

    def legal(self, s: State, move: int, site: int) -> bool:
        """Whether the move may be taken in a configuration that is not terminal."""
        return False

    def apply(self, s: State, move: int, site: int, label: int) -> None:
        """Take a legal move."""

    def head_of(self, s: State, move: int, site: int) -> int:
        """The head of the arc that the move would add, or nobody."""
        return s.n + 1

    def dependent_of(self, s: State, move: int, site: int) -> int:
        """The dependent of the arc that the move would add, or nobody."""
        return s.n + 1

    def next_site(self, s: State, site: int) -> int:
        """The site after this one, or NONE; 0 is always the first."""
        return NONE

    def reopened_site(self, s: State) -> int:
        """A site at which the last move has made a move legal, however far away it was; or NONE."""
        return NONE

    def dead_end(self, s: State) -> int:
        """For searches that find no legal action before the end: a fault of the system, not of the search."""
        place = f"{s.depth} on the stack, {s.end - s.front} in the buffer, {s.arcs} arcs"
        raise TransitionError(
            f"{type(self).__name__} has no legal move, and the configuration is not terminal: {place}"
        )

    # Actions and their numbers

    def act(self, s: State, action: int, site: int, carried: int) -> None:
        """Take an action by its number; `carried` is the label that a plain move carries along."""
        if action < self.plain:
            self.apply(s, self.moves[action], site, carried)
        else:
            self.apply(s, self.move_of(action), site, self.label_of(action))

    def move_of(self, action: int) -> int:
        if action < self.plain:
            return self.moves[action]
        return self.moves[self.plain + (action - self.plain) // self.labels]

    def label_of(self, action: int) -> int:
        """NONE for a plain move."""
        return NONE if action < self.plain else (action - self.plain) % self.labels

    # Oracles

    def cost(self, s: State, gold: Gold, move: int, site: int) -> int:
        """How many gold arcs that could still be had are lost by this legal move with the right label."""
        return self.unknown_cost()

    def unknown_cost(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} has no dynamic oracle: what a move costs is not known")

    def penalty(self, s: State, gold: Gold, move: int, site: int, work: Workspace) -> int:
        """0 if all arcs of `gold`, a tree or a part of one, can still be had after this legal move, and more if not.

        Only asked where they can be had before it. The cost, unless a system has none.
        """
        return self.cost(s, gold, move, site)

    def prefers(self, s: State, gold: Gold, move: int, label: int) -> bool:
        """Whether this is one of the better moves among those that cost nothing; for `has_preferences`."""
        return True

    def reaches(self, s: State, gold: Gold, work: Workspace) -> bool:
        """Whether a non-deterministic oracle can still get to the gold tree from here."""
        return True

    def correct_moves(self, s: State, gold: Gold, work: Workspace, links_too: bool) -> int:
        """A non-deterministic oracle's moves where the gold tree can still be had, as a set of bits.

        `links_too` false leaves out the choice between an arc now and later.
        """
        return 1 << self.canonical(s, gold, 0)

    def canonical(self, s: State, gold: Gold, site: int) -> int:
        """The static oracle: its move at this site, or NONE if it has none here. The label is that of the gold arc.

        A system with one site has exactly one such move in a configuration. A system with many can have one at several
        sites, all of them right; the canonical derivation takes the first.
        """
        return self.unknown_canonical()

    def unknown_canonical(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} has no static oracle: no move is the canonical one here")

    def canonical_site(self, s: State, gold: Gold) -> int:
        site = 0
        while self.canonical(s, gold, site) == NONE:
            site = self.next_site(s, site)
            if site == NONE:
                self.unknown_canonical()
        return site

    def costs(self, s: State, gold: Gold, site: int, carried: int, out: memoryview) -> None:
        """Write the cost of every action at this site into `out`, NONE where it is not legal.

        `carried` is the label that a plain move carries along where it carries one (non-monotonic SHIFT).
        """
        for m in range(len(self.moves)):
            if self.legal(s, self.moves[m], site):
                self.write_costs(s, gold, m, site, carried, self.cost(s, gold, self.moves[m], site), out)
            else:
                self.forbid(m, out)

    def penalties(self, s: State, gold: Gold, site: int, carried: int, work: Workspace, out: memoryview) -> None:
        """The same with `penalty` for `cost`."""
        for m in range(len(self.moves)):
            if self.legal(s, self.moves[m], site):
                self.write_costs(s, gold, m, site, carried, self.penalty(s, gold, self.moves[m], site, work), out)
            else:
                self.forbid(m, out)

    def write_costs(self, s: State, gold: Gold, m: int, site: int, carried: int, cost: int, out: memoryview) -> None:
        """Write the costs of all actions with the legal move number m, which costs that much with the right label."""
        begin = self.first[m]
        end = self.first[m + 1]
        h = self.head_of(s, self.moves[m], site)
        d = self.dependent_of(s, self.moves[m], site)
        if m < self.plain:
            out[begin] = cost + gold.wrong_label(h, d, carried)
        elif gold.head[d] == h and gold.label[d] != NONE:
            for a in range(begin, end):
                out[a] = cost + 1
            if gold.label[d] < self.labels:
                out[begin + gold.label[d]] = cost
        else:
            for a in range(begin, end):
                out[a] = cost

    def forbid(self, m: int, out: memoryview) -> None:
        """Write down that no action with move number m is legal."""
        for a in range(self.first[m], self.first[m + 1]):
            out[a] = NONE
