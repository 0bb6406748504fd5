"""Arc-swift (Qi and Manning 2017), as a Python class below arc-eager: arcs to and from words deep in the stack.

    SHIFT      (σ, b|β, A)             ⇒  (σ|b, β, A)                       b ≠ ROOT
    LARC:l     (σ|i_k|…|i_1, b|β, A)   ⇒  (σ, b|β, A ∪ {b →l i_k})          i_k headless; i_1 … i_k-1 have heads
    RARC[k]:l  (σ|i_k|…|i_1, b|β, A)   ⇒  (σ|i_k|b, β, A ∪ {i_k →l b})      b ≠ ROOT; i_1 … i_k-1 have heads

Start ([], [1..n, ROOT]), end when every word has a head. The words in between leave the stack, so one transition does
what arc-eager does with k - 1 times REDUCE and then LEFT or RIGHT. For LARC only one k is possible, that of the topmost
word without a head.

From every configuration the same trees can be reached as in arc-eager, because a word with a head can be reduced later
as well. So a transition costs what the transitions of arc-eager cost that it stands for, one after the other, and
nothing but this is written here. Moves are numbers below 31, so k is 25 at most: a limit for words with more than 24
words with heads between them and their dependent.

    dodona oracle --verify 4 --system arc-swift --import arc_swift
"""

from dodona.systems.arc_eager import ArcEager
from dodona.systems.registry import Entry, register
from dodona.transitions import derivations
from dodona.transitions.gold import Gold
from dodona.transitions.moves import LEFT, NONE, REDUCE, RIGHT, SHIFT
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem

MAX_K = 25
FIRST_FREE = 7  # of the numbers of moves
RARC = {1: RIGHT} | {k: FIRST_FREE + k - 2 for k in range(2, MAX_K + 1)}
K = {move: k for k, move in RARC.items()}


class ArcSwift(ArcEager):
    def __init__(self, labels: int, single_root: bool = False) -> None:
        ArcEager.__init__(self, labels, single_root)
        TransitionSystem.__init__(self, labels, single_root, (SHIFT,), (LEFT, *RARC.values()))

    def is_terminal(self, s: State) -> bool:
        return s.front == s.n and s.arcs == s.n

    def legal(self, s: State, move: int, site: int) -> bool:
        if move == SHIFT:
            return super().legal(s, SHIFT, site)
        if move == LEFT:
            return self.reducible(s) < s.depth
        return super().legal(s, RIGHT, site) and K[move] <= min(self.reducible(s) + 1, s.depth)

    def reducible(self, s: State) -> int:
        """Return how many words with heads are on top of the stack, one after the other."""
        i = s.depth - 1
        while i >= 0 and s.head[s.stack[i]] != NONE:
            i -= 1
        return s.depth - 1 - i

    def k_of(self, s: State, move: int) -> int:
        return self.reducible(s) + 1 if move == LEFT else K[move]

    def apply(self, s: State, move: int, site: int, label: int) -> None:
        if move != SHIFT:
            for _ in range(self.k_of(s, move) - 1):
                super().apply(s, REDUCE, site, NONE)
        super().apply(s, RIGHT if move in K else move, site, label)

    def head_of(self, s: State, move: int, site: int) -> int:
        if move == LEFT:
            return s.b0()
        return s.stack[s.depth - K[move]] if move in K and K[move] <= s.depth else s.n + 1

    def dependent_of(self, s: State, move: int, site: int) -> int:
        if move in K:
            return s.b0()
        return s.stack[s.depth - self.k_of(s, move)] if move == LEFT and self.reducible(s) < s.depth else s.n + 1

    def progress(self, s: State) -> int:
        """Compare hypotheses word by word: derivations of a sentence do not all have the same length."""
        return s.front

    def cost(self, s: State, gold: Gold, move: int, site: int) -> int:
        """Add up what the transitions of arc-eager cost."""
        if move == SHIFT:
            return super().cost(s, gold, SHIFT, site)
        after = derivations.copy(s)
        lost = 0
        for _ in range(self.k_of(s, move) - 1):
            lost += super().cost(after, gold, REDUCE, site)
            super().apply(after, REDUCE, site, NONE)
        return lost + super().cost(after, gold, LEFT if move == LEFT else RIGHT, site)

    def canonical(self, s: State, gold: Gold, site: int) -> int:
        """Arcs as early as possible."""
        b0 = s.b0()
        for k in range(1, min(self.reducible(s) + 1, s.depth) + 1):
            i = s.stack[s.depth - k]
            if gold.head[i] == b0:
                return LEFT
            if gold.head[b0] == i and k in RARC:
                return RARC[k]
        return SHIFT


NAMES = {LEFT: "LARC"} | {move: f"RARC[{k}]" for k, move in RARC.items()}
ENTRY = Entry(
    name="arc-swift",
    paper="Qi & Manning 2017",
    make=ArcSwift,
    rules={"SHIFT": "needs a word (not ROOT) at the front of the buffer", "LARC": "needs a headless word on the stack"}
    | {
        f"RARC[{k}]": f"needs a word (not ROOT) at the front of the buffer, and {k} on the stack; all above the lowest "
        "of these have heads"
        for k in RARC
    },
    projective=True,
    move_names=NAMES,
)
register(ENTRY)
