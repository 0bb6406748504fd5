"""Easy-first (Goldberg and Elhadad 2010), with the dynamic oracle of Goldberg and Nivre (2013).

    LEFT:i:l   (λ, A)  ⇒  (λ \\ {λ[i-1]}, A ∪ {λ[i] →l λ[i-1]})     λ[i-1] ≠ ROOT
    RIGHT:i:l  (λ, A)  ⇒  (λ \\ {λ[i+1]}, A ∪ {λ[i] →l λ[i+1]})

Start ROOT, 1..n; end ROOT alone. There is no reading order: a site is the head λ[i], a node of the list. The
list is doubly linked, and `depth` counts its nodes; all of them are in place STACK.
"""

from dodona.transitions.gold import Gold
from dodona.transitions.moves import GONE, LEFT, NONE, RIGHT, STACK
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem

RULES = {
    "LEFT": "needs a word (not ROOT) to the left of node i of the list",
    "RIGHT": "needs a word to the right of node i of the list",
}


class EasyFirst(TransitionSystem):
    def __init__(self, labels: int, single_root: bool = False) -> None:
        TransitionSystem.__init__(self, labels, single_root, (), (LEFT, RIGHT))
        self.has_sites = True

    def start(self, s: State, n: int) -> None:
        s.reset(n)
        for k in range(n + 1):
            s.before[k] = k - 1
            s.after[k] = k + 1
            s.place[k] = STACK
        s.depth = n + 1

    def is_terminal(self, s: State) -> bool:
        return s.depth == 1

    def legal(self, s: State, move: int, site: int) -> bool:
        if move == LEFT:
            return site != 0 and s.before[site] != 0
        if s.after[site] > s.n:
            return False
        # one root: its arc is the last one
        return not (self.single_root and site == 0 and s.depth > 2)

    def apply(self, s: State, move: int, site: int, label: int) -> None:
        d = self.dependent_of(s, move, site)
        s.add_arc(site, d, label)
        s.after[s.before[d]] = s.after[d]
        s.before[s.after[d]] = s.before[d]
        s.place[d] = GONE
        s.depth -= 1

    def head_of(self, s: State, move: int, site: int) -> int:
        return site

    def dependent_of(self, s: State, move: int, site: int) -> int:
        if move == RIGHT:
            return s.after[site]
        return s.before[site] if site > 0 else s.n + 1  # no node is to the left of ROOT

    def cost(self, s: State, gold: Gold, move: int, site: int) -> int:
        """2013, section 4.5: the dependent leaves the list, so all arcs between it and the list are lost."""
        d = self.dependent_of(s, move, site)
        lost = 0
        for i in range(gold.first[d], gold.first[d + 1]):
            if s.place[gold.child[i]] == STACK:
                lost += 1
        h = gold.head[d]
        if h != site and s.place[h] == STACK:
            lost += 1
        return lost

    def canonical(self, s: State, gold: Gold, site: int) -> int:
        """Return the move of a gold arc from this site to a neighbour that has all its own dependents.

        There may be such an arc at several sites, and in training all of them are correct. The oracle is static
        because it is defined only for configurations without errors. The canonical derivation takes the leftmost arc.
        """
        if site > 0:
            d = s.before[site]
            if gold.head[d] == site and s.arity(d) == gold.arity(d):
                return LEFT
        d = s.after[site]
        if gold.head[d] == site and s.arity(d) == gold.arity(d):
            return RIGHT
        return NONE

    def next_site(self, s: State, site: int) -> int:
        k = s.after[site]
        return k if k <= s.n else NONE

    def reopened_site(self, s: State) -> int:
        """With one root, ROOT may get its dependent only when no other word is left."""
        return 0 if s.depth == 2 else NONE
