"""The same system as an idea in Python: a class below arc-hybrid, which is there already, with one transition more.

BUFFER is SHIFT and then LEFT, and that is how it is written here, in legality, effect and cost: nothing is worked out
that arc-hybrid does not know. Compiled loops call these methods; where there is none, arc-hybrid's are as fast as ever.
"""

from dodona.systems.arc_hybrid import RULES, ArcHybrid
from dodona.systems.registry import Entry, register
from dodona.transitions import derivations
from dodona.transitions.gold import Gold
from dodona.transitions.moves import LEFT, NONE, RIGHT, SHIFT
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem

BUFFER_ARC = 7


class QuickBufferHybrid(ArcHybrid):
    def __init__(self, labels: int, single_root: bool = False) -> None:
        TransitionSystem.__init__(self, labels, single_root, (SHIFT,), (LEFT, RIGHT, BUFFER_ARC))

    def legal(self, s: State, move: int, site: int) -> bool:
        if move == BUFFER_ARC:
            return s.b0() != 0 and s.front + 1 < s.end
        return super().legal(s, move, site)

    def apply(self, s: State, move: int, site: int, label: int) -> None:
        if move == BUFFER_ARC:
            super().apply(s, SHIFT, site, NONE)
            move = LEFT
        super().apply(s, move, site, label)

    def head_of(self, s: State, move: int, site: int) -> int:
        if move == BUFFER_ARC:
            return super().head_of(self.shifted(s), LEFT, site)
        return super().head_of(s, move, site)

    def dependent_of(self, s: State, move: int, site: int) -> int:
        return s.b0() if move == BUFFER_ARC else super().dependent_of(s, move, site)

    def shifted(self, s: State) -> State:
        after = derivations.copy(s)
        after.shift()
        return after

    def cost(self, s: State, gold: Gold, move: int, site: int) -> int:
        """What is lost by the first step cannot be lost by the second."""
        if move == BUFFER_ARC:
            return super().cost(s, gold, SHIFT, site) + super().cost(self.shifted(s), gold, LEFT, site)
        return super().cost(s, gold, move, site)

    def canonical(self, s: State, gold: Gold, site: int) -> int:
        """BUFFER wherever it adds a gold arc and costs nothing; else as in arc-hybrid."""
        may = self.legal(s, BUFFER_ARC, site) and gold.head[s.b0()] == self.head_of(s, BUFFER_ARC, site)
        if may and self.cost(s, gold, BUFFER_ARC, site) == 0:
            return BUFFER_ARC
        return super().canonical(s, gold, site)


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
