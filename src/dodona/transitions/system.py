"""The base class of transition systems: initial and terminal configurations, legal moves, their effects and costs.

An action is (move, site, label). Stack systems act at one site, number 0; easy-first at every word of its
list. Legality does not depend on labels. Costs depend on labels only through the arc that a move adds: a
system's `cost` is for the best label, and `costs` adds 1 where that arc is gold but the label is not.

Actions at a site are numbered: first the plain moves, then for each other move all labels. Only this file
converts a move and a label to such a number and back.
"""

from array import array
from collections.abc import Sequence

from dodona.errors import TransitionError
from dodona.transitions.gold import Gold
from dodona.transitions.moves import NONE
from dodona.transitions.state import State

COMPILED = not __file__.endswith(".py")
"""Whether the core is compiled, or the same files are run by the interpreter."""

MAX_MOVES = 31  # sets of moves are bits of an int


class Workspace:
    """Workspace of oracles that search from a configuration, and what the arcs of a partial tree need of it.

    One for each thread; a transition system itself is immutable.
    """

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


class TransitionSystem:
    """Immutable, so threads may share a system.

    A class in Python can override the methods from `start` to `next_site`, and the oracles from `cost` to `canonical`,
    of this class or of any system. Compiled code calls them by `dispatch`.
    """

    def __init__(self, labels: int, single_root: bool, plain: Sequence[int], labelled: Sequence[int]) -> None:
        """`plain` moves have no label; `labelled` moves have one action for each label, in this order."""
        for move in (*plain, *labelled):
            if not 0 <= move < MAX_MOVES or (*plain, *labelled).count(move) > 1:
                raise ValueError(f"move {move}: expected different numbers from 0 to {MAX_MOVES - 1}")
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
        self.dispatch = dispatch_of(self)

    def dispatcher(self) -> "TransitionSystem":
        """Return `dispatch`, up to date: for compiled loops, before they begin."""
        if self.dispatch is None:
            raise TypeError(f"the constructor of {type(self).__name__} does not call that of TransitionSystem")
        self.dispatch.update()
        return self.dispatch

    def update(self) -> None:
        """Take over the fields of the system for which this one is called, if there is one."""

    # Configurations

    def start(self, s: State, n: int) -> None:
        """Set up the initial configuration for n words."""

    def is_terminal(self, s: State) -> bool:
        return True

    def legal(self, s: State, move: int, site: int) -> bool:
        """Return whether the move is legal in a configuration that is not terminal."""
        return False

    def apply(self, s: State, move: int, site: int, label: int) -> None:
        """Apply a legal move."""

    def progress(self, s: State) -> int:
        """Return how far the derivation has come, for a beam: a hypothesis waits for those that are less far.

        0 if derivations are compared after the same number of transitions.
        """
        return 0

    def head_of(self, s: State, move: int, site: int) -> int:
        """Return the head of the arc that the move would add, or nobody."""
        return s.n + 1

    def dependent_of(self, s: State, move: int, site: int) -> int:
        """Return the dependent of the arc that the move would add, or nobody."""
        return s.n + 1

    def next_site(self, s: State, site: int) -> int:
        """Return the site after this one, or NONE; 0 is always the first."""
        return NONE

    def reopened_site(self, s: State) -> int:
        """Return a site, at any distance, at which the last move has made another move legal; or NONE."""
        return NONE

    def dead_end(self, s: State) -> int:
        """Raise the error for a configuration without legal moves that is not terminal: a fault of the system."""
        place = f"{s.depth} on the stack, {s.end - s.front} in the buffer, {s.arcs} arcs"
        raise TransitionError(
            f"{type(self).__name__} has no legal move, and the configuration is not terminal: {place}"
        )

    # Actions and their numbers

    def act(self, s: State, action: int, site: int, carried: int) -> None:
        """Apply an action by its number; `carried` is the label that a plain move carries."""
        if action < self.plain:
            self.apply(s, self.moves[action], site, carried)
        else:
            self.apply(s, self.move_of(action), site, self.label_of(action))

    def move_of(self, action: int) -> int:
        if action < self.plain:
            return self.moves[action]
        return self.moves[self.plain + (action - self.plain) // self.labels]

    def label_of(self, action: int) -> int:
        """Return the label of an action; NONE for a plain move."""
        return NONE if action < self.plain else (action - self.plain) % self.labels

    # Oracles

    def cost(self, s: State, gold: Gold, move: int, site: int) -> int:
        """Return how many reachable gold arcs become unreachable by this legal move with the correct label."""
        return self.unknown_cost()

    def unknown_cost(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} has no dynamic oracle: what a move costs is not known")

    def penalty(self, s: State, gold: Gold, move: int, site: int, work: Workspace) -> int:
        """Return 0 if all arcs of `gold`, a complete or partial tree, stay reachable after this legal move, else more.

        Only called where they are reachable before it. This is the cost, unless a system has none.
        """
        return self.dispatch.cost(s, gold, move, site)

    def prefers(self, s: State, gold: Gold, move: int, label: int) -> bool:
        """Return whether a zero-cost move is one of the preferred ones; for `has_preferences`."""
        return True

    def reaches(self, s: State, gold: Gold, work: Workspace) -> bool:
        """Return whether a non-deterministic oracle can still reach the gold tree from here."""
        return True

    def correct_moves(self, s: State, gold: Gold, work: Workspace, links_too: bool) -> int:
        """Return the moves of a non-deterministic oracle where the gold tree is reachable, as a set of bits.

        With `links_too` false, a possible arc is not delayed: SHIFT is no alternative to it.
        """
        return 1 << self.dispatch.canonical(s, gold, 0)

    def canonical(self, s: State, gold: Gold, site: int) -> int:
        """Return the static oracle's move at this site, or NONE if it has none here. The label is that of the gold arc.

        A system with one site has exactly one such move in a configuration. A system with many sites can have one at
        several sites, all of them correct; the canonical derivation takes the first.
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

        `carried` is the label that a plain move carries, if it does (non-monotonic SHIFT).
        """
        for m in range(len(self.moves)):
            if self.legal(s, self.moves[m], site):
                cost = self.cost(s, gold, self.moves[m], site)
                self.write_costs(s, gold, m, site, carried, cost, out)
            else:
                self.forbid(m, out)

    def penalties(self, s: State, gold: Gold, site: int, carried: int, work: Workspace, out: memoryview) -> None:
        """Write the penalty of every action at this site into `out`, NONE where it is not legal."""
        for m in range(len(self.moves)):
            if self.dispatch.legal(s, self.moves[m], site):
                penalty = self.dispatch.penalty(s, gold, self.moves[m], site, work)
                self.dispatch.write_costs(s, gold, m, site, carried, penalty, out)
            else:
                self.forbid(m, out)

    def write_costs(self, s: State, gold: Gold, m: int, site: int, carried: int, cost: int, out: memoryview) -> None:
        """Write the costs of all actions of the legal move number m, whose cost with the correct label is given."""
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
        """Write NONE for all actions of move number m, which is not legal."""
        for a in range(self.first[m], self.first[m + 1]):
            out[a] = NONE


if COMPILED:
    from dodona.transitions.overrides import dispatch_of
else:

    def dispatch_of(system: TransitionSystem) -> TransitionSystem:
        """Return what loops call: the system itself, because the interpreter finds every override."""
        return system
