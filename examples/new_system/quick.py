"""The same system as an idea in Python: arc-hybrid, which is there already, and one transition more.

BUFFER is SHIFT and then LEFT, and that is how it is written here, in legality, effect and cost: nothing is worked out
that arc-hybrid does not know. Slow, and done in a quarter of an hour. The compiled loops call these methods.
"""

from dodona.systems.arc_hybrid import RULES, ArcHybrid
from dodona.systems.registry import Entry, register
from dodona.transitions import derivations
from dodona.transitions.gold import Gold
from dodona.transitions.moves import LEFT, NONE, RIGHT, SHIFT
from dodona.transitions.python_system import PythonSystem
from dodona.transitions.state import State

BUFFER_ARC = 7


class QuickBufferHybrid(PythonSystem):
    def __init__(self, labels: int, single_root: bool = False) -> None:
        PythonSystem.__init__(self, labels, single_root, (SHIFT,), (LEFT, RIGHT, BUFFER_ARC))
        self.hybrid = ArcHybrid(labels, single_root)

    def start(self, s: State, n: int) -> None:
        s.copy_from(derivations.start(self.hybrid, n))

    def is_terminal(self, s: State) -> bool:
        return derivations.is_terminal(self.hybrid, s)

    def legal(self, s: State, move: int, site: int) -> bool:
        if move == BUFFER_ARC:
            return s.b0() != 0 and s.front + 1 < s.end
        return derivations.is_legal(self.hybrid, s, move, site)

    def apply(self, s: State, move: int, site: int, label: int) -> None:
        if move == BUFFER_ARC:
            derivations.apply(self.hybrid, s, SHIFT, site, NONE)
            move = LEFT
        derivations.apply(self.hybrid, s, move, site, label)

    def head_of(self, s: State, move: int, site: int) -> int:
        if move == BUFFER_ARC:
            return derivations.head_of(self.hybrid, self.shifted(s), LEFT, site)
        return derivations.head_of(self.hybrid, s, move, site)

    def dependent_of(self, s: State, move: int, site: int) -> int:
        return s.b0() if move == BUFFER_ARC else derivations.dependent_of(self.hybrid, s, move, site)

    def shifted(self, s: State) -> State:
        after = derivations.copy(s)
        derivations.apply(self.hybrid, after, SHIFT, 0, NONE)
        return after

    def cost(self, s: State, gold: Gold, move: int, site: int) -> int:
        """What is lost by the first step cannot be lost by the second."""
        if move == BUFFER_ARC:
            first = derivations.cost(self.hybrid, s, gold, SHIFT, site)
            return first + derivations.cost(self.hybrid, self.shifted(s), gold, LEFT, site)
        return derivations.cost(self.hybrid, s, gold, move, site)

    def canonical(self, s: State, gold: Gold, site: int) -> int:
        """BUFFER wherever it adds a gold arc and costs nothing; else as in arc-hybrid."""
        may = self.legal(s, BUFFER_ARC, site) and gold.head[s.b0()] == self.head_of(s, BUFFER_ARC, site)
        if may and self.cost(s, gold, BUFFER_ARC, site) == 0:
            return BUFFER_ARC
        return derivations.canonical(self.hybrid, s, gold, site)


ENTRY = Entry(
    name="quick-buffer-hybrid",
    paper="an idea",
    make=QuickBufferHybrid,
    rules=RULES | {"BUFFER": "needs a word (not ROOT) at the front of the buffer and another one behind it"},
    projective=True,
    templates="hybrid",
    move_names={BUFFER_ARC: "BUFFER"},
)
register(ENTRY)
