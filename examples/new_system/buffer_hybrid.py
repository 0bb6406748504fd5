"""Arc-hybrid with a buffer transition: an eighth transition system, from outside the package.

    SHIFT     (σ, b0|β, A)        ⇒  (σ|b0, β, A)
    LEFT:l    (σ|s0, b0|β, A)     ⇒  (σ, b0|β, A ∪ {b0 →l s0})       s0 ≠ ROOT
    RIGHT:l   (σ|s1|s0, β, A)     ⇒  (σ|s1, β, A ∪ {s1 →l s0})
    BUFFER:l  (σ, b0|b1|β, A)     ⇒  (σ, b1|β, A ∪ {b1 →l b0})       b0 ≠ ROOT

Start ([], [ROOT, 1..n]), end ([ROOT], []). Arc-hybrid is by Kuhlmann, Gómez-Rodríguez and Satta (2011), its dynamic
oracle by Goldberg and Nivre (2013). The idea of buffer transitions, which link the first two words of the buffer, is by
Fernández-González and Gómez-Rodríguez (2012), who add them to arc-eager. BUFFER does at once what SHIFT and LEFT do one
after the other. So derivations can be shorter, and the trees that can be reached from a configuration are the same.

This file is plain Python and runs as it is, slowly. The .pxd beside it makes it a compiled system: see README.md.
"""

from dodona.systems.registry import Entry, register
from dodona.transitions.gold import Gold
from dodona.transitions.moves import BUFFER, LEFT, RIGHT, SHIFT, STACK
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem

BUFFER_ARC = 7
"""A number of its own, after those in dodona.transitions.moves, where BUFFER is a place."""

RULES = {
    "SHIFT": "needs a non-empty buffer",
    "LEFT": "needs a word (not ROOT) on top of the stack and a non-empty buffer",
    "RIGHT": "needs two nodes on the stack",
    "BUFFER": "needs a word (not ROOT) at the front of the buffer and another one behind it",
}


class BufferHybrid(TransitionSystem):
    def __init__(self, labels: int, single_root: bool = False) -> None:
        TransitionSystem.__init__(self, labels, single_root, (SHIFT,), (LEFT, RIGHT, BUFFER_ARC))

    def start(self, s: State, n: int) -> None:
        s.reset(n)
        for k in range(n + 1):
            s.enqueue(k)

    def is_terminal(self, s: State) -> bool:
        return s.depth == 1 and s.front == s.end

    def legal(self, s: State, move: int, site: int) -> bool:
        word_ahead = s.front < s.end
        if move == SHIFT:
            return word_ahead
        if move == LEFT:
            return word_ahead and s.depth > 1
        if move == BUFFER_ARC:
            return s.b0() != 0 and s.front + 1 < s.end
        # one root: its arc comes last, when nothing is left that could need ROOT
        return s.depth > 1 and not (self.single_root and s.s1() == 0 and word_ahead)

    def apply(self, s: State, move: int, site: int, label: int) -> None:
        if move == SHIFT:
            s.shift()
        elif move == BUFFER_ARC:
            s.shift()
            s.add_arc(s.b0(), s.s0(), label)
            s.pop()
        else:
            s.add_arc(s.b0() if move == LEFT else s.s1(), s.s0(), label)
            s.pop()

    def head_of(self, s: State, move: int, site: int) -> int:
        if move == LEFT:
            return s.b0()
        if move == RIGHT:
            return s.s1()
        return s.queue[s.front + 1] if move == BUFFER_ARC else s.n + 1

    def dependent_of(self, s: State, move: int, site: int) -> int:
        if move == BUFFER_ARC:
            return s.b0()
        return s.n + 1 if move == SHIFT else s.s0()

    def dependents_on_stack(self, s: State, gold: Gold) -> int:
        """Return how many gold dependents of b0 lie on the stack: they wait for LEFT."""
        b0 = s.b0()
        waiting = 0
        for i in range(gold.first[b0], gold.first[b0 + 1]):
            k = gold.child[i]
            if k > b0:
                break
            if s.place[k] == STACK:
                waiting += 1
        return waiting

    def cost(self, s: State, gold: Gold, move: int, site: int) -> int:
        """SHIFT, LEFT and RIGHT lose what they lose in arc-hybrid, because the same trees can be reached."""
        s0 = s.s0()
        b0 = s.b0()
        if move == SHIFT:
            # b0 gets no head below s0 any more, and no dependent on the stack
            h = gold.head[b0]
            return self.dependents_on_stack(s, gold) + (h != s0 and s.place[h] == STACK)
        if move == BUFFER_ARC:
            # b0 is gone: no dependents from the stack by LEFT, none from b1|β by RIGHT
            lost = self.dependents_on_stack(s, gold) + gold.dependents_from(b0, s.front + 1)
            # no head from the stack, not even s0, and none from β: its head is b1
            h = gold.head[b0]
            if s.place[h] == STACK or (s.place[h] == BUFFER and h != s.queue[s.front + 1]):
                lost += 1
            return lost
        # s0 is gone: no dependents from b0|β, no head from there except b0 by LEFT, nor s1 except by RIGHT
        h = gold.head[s0]
        lost = gold.dependents_from(s0, s.front)
        if s.place[h] == BUFFER:
            if move == RIGHT or h != b0:
                lost += 1
        elif move == LEFT and h == s.s1():
            lost += 1
        return lost

    def canonical(self, s: State, gold: Gold, site: int) -> int:
        """BUFFER if the arc is gold and b0 has all its dependents; else as in arc-hybrid: arcs as early as possible,
        RIGHT once s0 has all its dependents."""
        s0 = s.s0()
        b0 = s.b0()
        has_next = s.front + 1 < s.end
        if has_next and gold.head[b0] == s.queue[s.front + 1] and self.cost(s, gold, BUFFER_ARC, site) == 0:
            return BUFFER_ARC
        if s.depth > 1 and s.front < s.end and gold.head[s0] == b0:
            return LEFT
        if s.depth > 1 and gold.head[s0] == s.s1() and gold.dependents_from(s0, s.front) == 0:
            return RIGHT
        return SHIFT


ENTRY = Entry(
    name="buffer-hybrid",
    paper="Kuhlmann, Gómez-Rodríguez & Satta 2011; Fernández-González & Gómez-Rodríguez 2012",
    make=BufferHybrid,
    rules=RULES,
    projective=True,
    templates="hybrid",
    move_names={BUFFER_ARC: "BUFFER"},
)
register(ENTRY)
