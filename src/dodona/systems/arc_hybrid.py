"""Arc-hybrid (Kuhlmann, Gómez-Rodríguez and Satta 2011), with the dynamic oracle of Goldberg and Nivre (2013).

    SHIFT    (σ, b|β, A)       ⇒  (σ|b, β, A)
    LEFT:l   (σ|s0, b|β, A)    ⇒  (σ, b|β, A ∪ {b →l s0})       s0 ≠ ROOT
    RIGHT:l  (σ|s1|s0, β, A)   ⇒  (σ|s1, β, A ∪ {s1 →l s0})

Start ([], [ROOT, 1..n]), end ([ROOT], []). LEFT is arc-eager's, RIGHT is arc-standard's.
"""

from dodona.transitions.gold import Gold
from dodona.transitions.moves import BUFFER, LEFT, RIGHT, SHIFT, STACK
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem

RULES = {
    "SHIFT": "needs a non-empty buffer",
    "LEFT": "needs a word (not ROOT) on top of the stack and a non-empty buffer",
    "RIGHT": "needs two nodes on the stack",
}


class ArcHybrid(TransitionSystem):
    def __init__(self, labels: int, single_root: bool = False) -> None:
        TransitionSystem.__init__(self, labels, single_root, (SHIFT,), (LEFT, RIGHT))

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
        # one root: its arc is the last one, when no other word is left
        return s.depth > 1 and not (self.single_root and s.s1() == 0 and word_ahead)

    def apply(self, s: State, move: int, site: int, label: int) -> None:
        if move == SHIFT:
            s.shift()
        else:
            s.add_arc(s.b0() if move == LEFT else s.s1(), s.s0(), label)
            s.pop()

    def head_of(self, s: State, move: int, site: int) -> int:
        if move == LEFT:
            return s.b0()
        return s.s1() if move == RIGHT else s.n + 1

    def dependent_of(self, s: State, move: int, site: int) -> int:
        return s.n + 1 if move == SHIFT else s.s0()

    def cost(self, s: State, gold: Gold, move: int, site: int) -> int:
        """2013, section 4.5: exact as printed."""
        s0 = s.s0()
        b0 = s.b0()
        if move == SHIFT:
            # b gets no head below s0 any more, and no dependent on the stack
            lost = 0
            for i in range(gold.first[b0], gold.first[b0 + 1]):
                k = gold.child[i]
                if k > b0:
                    break
                if s.place[k] == STACK:
                    lost += 1
            h = gold.head[b0]
            if h != s0 and s.place[h] == STACK:
                lost += 1
            return lost
        # s0 is removed: no dependents from b|β, no head from there except b by LEFT, nor s1 except by RIGHT
        h = gold.head[s0]
        lost = gold.dependents_from(s0, s.front)
        if s.place[h] == BUFFER:
            if move == RIGHT or h != b0:
                lost += 1
        elif move == LEFT and h == s.s1():
            lost += 1
        return lost

    def canonical(self, s: State, gold: Gold, site: int) -> int:
        """Arcs as early as possible; RIGHT once s0 has all its dependents."""
        s0 = s.s0()
        if s.depth > 1 and s.front < s.end and gold.head[s0] == s.b0():
            return LEFT
        if s.depth > 1 and gold.head[s0] == s.s1() and gold.dependents_from(s0, s.front) == 0:
            return RIGHT
        return SHIFT
