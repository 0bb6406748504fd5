"""Non-monotonic arc-eager (Honnibal, Goldberg and Johnson 2013): a later move may repair the first one on a word.

ROOT stands last. To arc-eager's transitions are added

    NM-L  LEFT:l    also for a word s that has a head, which is replaced      A \\ {h → s} ∪ {b →l s}
    NM-D  REDUCE:l  also for a headless s with a word s1 below it              A ∪ {s1 →l s}

The label of NM-D's arc is chosen at REDUCE (footnote 2; the default), or is the one that scored best when s
was shifted (the main text; then SHIFT carries that label and REDUCE has none).

Every configuration here is also one of arc-eager, as if the repaired decision had been correct at once. So the
monotonic costs apply to it, and training prefers moves of zero monotonic cost among the zero-cost moves (section 6).
"""

from dodona.systems.arc_eager import ArcEager
from dodona.transitions.gold import Gold
from dodona.transitions.moves import ATTACH, BUFFER, LEFT, NONE, REDUCE, RIGHT, SHIFT, STACK
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem

RULES = {
    "SHIFT": "needs a word (not ROOT) at the front of the buffer",
    "LEFT": "needs a word on top of the stack, and unless NM-L may repair it, a headless one",
    "RIGHT": "needs something on the stack and a word (not ROOT) at the front of the buffer",
    "REDUCE": "needs a word with a head on top of the stack, or for NM-D a headless one above another word; "
    "a label goes with the headless one only, and only if labels are not remembered",
}


class NonMonotonic(ArcEager):
    def __init__(
        self, labels: int, single_root: bool = False, moves: str = "both", reduce_label: str = "predicted"
    ) -> None:
        ArcEager.__init__(self, labels, single_root)
        self.repairs_left = moves != "reduce"
        self.repairs_reduce = moves != "left"
        self.remembers = reduce_label == "remembered"
        self.monotonic = ArcEager(labels, single_root)
        labelled = [LEFT, RIGHT]
        if self.repairs_reduce and not self.remembers:
            labelled.append(ATTACH)
        TransitionSystem.__init__(self, labels, single_root, (SHIFT, REDUCE), labelled)
        self.has_preferences = True
        if self.remembers:
            self.carried_move = RIGHT

    def is_permitted(self, s: State, move: int) -> bool:
        repairable = self.repairs_reduce and s.depth > 1 and s.head[s.s0()] == NONE
        if move == ATTACH:
            return repairable
        if move == REDUCE and self.remembers and repairable:
            return True
        if move == LEFT and self.repairs_left:
            return s.depth > 0
        return ArcEager.is_permitted(self, s, move)

    def keeps_one_root(self, s: State, move: int) -> bool:
        """Only the lowest word of the stack may be attached to ROOT; NM-D's REDUCE attaches those above it."""
        if s.front == s.n:
            return move != LEFT or s.depth == 1
        return self.repairs_reduce or ArcEager.keeps_one_root(self, s, move)

    def take(self, s: State, move: int, label: int) -> None:
        s0 = s.s0()
        if move == SHIFT:
            s.remembered[s.b0()] = label
        elif move == LEFT and s.head[s0] != NONE:
            s.remove_arc(s0)
        elif move in (REDUCE, ATTACH) and s.head[s0] == NONE:
            s.add_arc(s.s1(), s0, s.remembered[s0] if move == REDUCE else label)
        ArcEager.take(self, s, REDUCE if move == ATTACH else move, label)

    def head_of(self, s: State, move: int, site: int) -> int:
        if move == ATTACH:
            return s.s1()
        if move == SHIFT and self.remembers and self.repairs_reduce:
            return s.s0()  # the arc that a later REDUCE would add with the label remembered now
        return ArcEager.head_of(self, s, move, site)

    def dependent_of(self, s: State, move: int, site: int) -> int:
        if move == ATTACH:
            return s.s0()
        if move == SHIFT and self.remembers and self.repairs_reduce:
            return s.b0()
        return ArcEager.dependent_of(self, s, move, site)

    def out_of_reach(self, s: State, gold: Gold, move: int) -> int:
        """Section 5.2 with errata E1, E2, E5 and E6: the monotonic cost, less the arcs that can be repaired later."""
        s0 = s.s0()
        b0 = s.b0()
        headless = s.depth > 0 and s.head[s0] == NONE
        h = gold.head[s0]
        if move in (LEFT, REDUCE, ATTACH):
            lost = gold.dependents_from(s0, s.front + 1)  # s is removed: its dependents in b|β are lost
            ahead = s.place[h] == BUFFER
            if move == LEFT and headless:
                # a head in β is lost, and so is s1 where REDUCE could have made it the head
                below = self.repairs_reduce and s.depth > 1 and h == s.s1() and not self.misremembers(s, gold)
                if (ahead and h != b0) or below:
                    lost += 1
            elif move == LEFT:
                # a head in β is lost, and so is the arc replaced, if it was right (E6: each only once)
                is_right = s.head[s0] == h and not gold.wrong_label(h, s0, s.label[s0])
                if is_right or (ahead and h != b0):
                    lost += 1
            elif ahead and (headless or self.repairs_left):
                lost += 1  # LEFT could have given s its head in b|β (E5)
            return lost

        # b goes onto the stack: its dependents there are lost, also those with a head if LEFT could replace it
        lost = 0
        for i in range(gold.first[b0], gold.first[b0 + 1]):
            k = gold.child[i]
            if k > b0:
                break
            if s.place[k] == STACK and (self.repairs_left or s.head[k] == NONE):
                lost += 1
        h = gold.head[b0]
        if s.place[h] == STACK:
            # a head on the stack is lost; RIGHT takes s for the head, and after SHIFT a REDUCE can (NM-D)
            if h != s0 or (move == SHIFT and not self.repairs_reduce):
                lost += 1
        elif move == RIGHT and s.place[h] == BUFFER and not self.repairs_left:
            lost += 1  # LEFT cannot replace s by the head in β
        return lost

    def can_take(self, s: State, k: int) -> bool:
        return self.repairs_left or ArcEager.can_take(self, s, k)

    def tail_is_forfeit(self, s: State, gold: Gold) -> bool:
        """With one root: never if REDUCE can attach any headless word of the stack to the one below it."""
        return not self.repairs_reduce and ArcEager.tail_is_forfeit(self, s, gold)

    def misremembers(self, s: State, gold: Gold) -> bool:
        """Return whether REDUCE would give s its gold head, but with a wrong label remembered since SHIFT."""
        s0 = s.s0()
        return self.remembers and gold.wrong_label(s.s1(), s0, s.remembered[s0])

    def prefers(self, s: State, gold: Gold, move: int, label: int) -> bool:
        """Return whether the move has zero cost also in arc-eager, and is not a repair itself (section 6)."""
        if not self.monotonic.legal(s, move, 0):
            return False
        h = self.monotonic.head_of(s, move, 0)
        d = self.monotonic.dependent_of(s, move, 0)
        return self.monotonic.cost(s, gold, move, 0) + gold.wrong_label(h, d, label) == 0
