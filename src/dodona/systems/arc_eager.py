"""Arc-eager (Nivre 2003), with the dynamic oracle of Goldberg and Nivre (2012, 2013).

    SHIFT    (σ, b|β, A)    ⇒  (σ|b, β, A)                      b ≠ ROOT
    LEFT:l   (σ|s, b|β, A)  ⇒  (σ, b|β, A ∪ {b →l s})           s ≠ ROOT and headless
    RIGHT:l  (σ|s, b|β, A)  ⇒  (σ|s|b, β, A ∪ {s →l b})         b ≠ ROOT
    REDUCE   (σ|s, β, A)    ⇒  (σ, β, A)                        s has a head

The position of ROOT is an option:

    last    2013: start ([], [1..n, ROOT]), end ([], [ROOT]). Always 2n transitions, always a tree.
    first   2012: start ([ROOT], [1..n]), end when the buffer is empty. The parse is a forest, and the loss
            counts its missing arcs; headless words are attached to ROOT only when the tree is written out.
    attach  as first, but headless words are attached to ROOT at the end and the loss is over that tree.

All proofs use two facts. A word leaves the stack only with a head. If a word on the stack has a head, this is
the node right below it, so the stack is a sequence of chains, each of which begins with a headless word or ROOT.
"""

from dodona.transitions.gold import Gold
from dodona.transitions.moves import BUFFER, GONE, LEFT, NONE, REDUCE, RIGHT, SHIFT, STACK
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem

LAST, FIRST, ATTACHED = range(3)

RULES = {
    "SHIFT": "needs a word (not ROOT) at the front of the buffer",
    "LEFT": "needs a headless word (not ROOT) on top of the stack",
    "RIGHT": "needs something on the stack and a word (not ROOT) at the front of the buffer",
    "REDUCE": "needs a word with a head on top of the stack",
}


class ArcEager(TransitionSystem):
    def __init__(self, labels: int, single_root: bool = False, root: str = "last", root_label: int = NONE) -> None:
        TransitionSystem.__init__(self, labels, single_root, (SHIFT, REDUCE), (LEFT, RIGHT))
        self.root = ("last", "first", "attach").index(root)
        self.root_label = root_label

    def start(self, s: State, n: int) -> None:
        s.reset(n)
        if self.root != LAST:
            s.push(0)
        for k in range(1, n + 1):
            s.enqueue(k)
        if self.root == LAST:
            s.enqueue(0)

    def is_terminal(self, s: State) -> bool:
        if self.root == LAST:
            return s.depth == 0 and s.front == s.n
        return s.front == s.n

    def legal(self, s: State, move: int, site: int) -> bool:
        return self.is_permitted(s, move) and (not self.single_root or self.keeps_one_root(s, move))

    def is_permitted(self, s: State, move: int) -> bool:
        """The preconditions of the table above."""
        s0 = s.s0()
        if move == SHIFT:
            return s.front < s.n
        if move == RIGHT:
            return s.front < s.n and s.depth > 0
        if move == LEFT:
            return s.depth > 0 and s0 != 0 and s.head[s0] == NONE
        return s.depth > 0 and s.head[s0] != NONE

    def keeps_one_root(self, s: State, move: int) -> bool:
        """Return whether a parse with exactly one root is reachable. Before the last word only ROOT's own arc matters.

        The roots so far are the headless words and ROOT's dependent. A word in the buffer can become the head of
        all headless words but the lowest; after the last word exactly one root must remain.
        """
        s0 = s.s0()
        if move == RIGHT and s0 == 0 and s.arity(0) > 0:
            return False
        if move == REDUCE and s.head[s0] == 0:  # later words could be attached to nothing but ROOT
            return False
        if s.front == s.n - 1:
            roots = s.front - s.arcs + s.arity(0)
            if move == SHIFT:
                return roots == 0
            if move == RIGHT:
                return roots == (0 if s0 == 0 else 1)
        return True

    def apply(self, s: State, move: int, site: int, label: int) -> None:
        self.take(s, move, label)
        if self.root == ATTACHED and s.front == s.n:
            for k in range(1, s.n + 1):
                if s.head[k] == NONE:
                    s.add_arc(0, k, self.root_label)

    def take(self, s: State, move: int, label: int) -> None:
        if move == SHIFT:
            s.shift()
        elif move == REDUCE:
            s.pop()
        elif move == LEFT:
            s.add_arc(s.b0(), s.s0(), label)
            s.pop()
        else:
            s.add_arc(s.s0(), s.b0(), label)
            s.shift()

    def head_of(self, s: State, move: int, site: int) -> int:
        if move == LEFT:
            return s.b0()
        return s.s0() if move == RIGHT else s.n + 1

    def dependent_of(self, s: State, move: int, site: int) -> int:
        if move == LEFT:
            return s.s0()
        return s.b0() if move == RIGHT else s.n + 1

    def cost(self, s: State, gold: Gold, move: int, site: int) -> int:
        lost = self.out_of_reach(s, gold, move)
        if self.single_root or self.root == ATTACHED:
            lost += self.conflict_after(s, gold, move) - self.conflict(s, gold)
        return lost

    def conflict_after(self, s: State, gold: Gold, move: int) -> int:
        """Return `conflict` after the move: apply it, compute, and undo it."""
        s0 = s.s0()
        b0 = s.b0()
        h = s.head[s0]
        label = s.label[s0]
        self.take(s, move, NONE)
        lost = self.conflict(s, gold)
        if move in (SHIFT, RIGHT):
            if move == RIGHT:
                s.remove_arc(b0)
            s.depth -= 1
            s.front -= 1
            s.place[b0] = BUFFER
        else:
            if s.head[s0] != NONE:
                s.remove_arc(s0)
            if h != NONE:
                s.add_arc(h, s0, label)
            s.push(s0)
        return lost

    def out_of_reach(self, s: State, gold: Gold, move: int) -> int:
        """2013, section 4.5, with errata E1-E4: the number of gold arcs that the move makes unreachable."""
        s0 = s.s0()
        b0 = s.b0()
        if move in (REDUCE, LEFT):
            # s is removed: its dependents in b|β are lost (E2: b among them, also for LEFT)
            lost = gold.dependents_from(s0, s.front + 1)
            if move == LEFT:
                h = gold.head[s0]
                if h != b0 and s.place[h] == BUFFER:
                    lost += 1  # the head of s in β
                elif self.waits_for_root(gold, s0):
                    lost += 1  # s would have been attached to ROOT at the end (E4)
            return lost

        # b goes onto the stack: its headless dependents there are lost (E1: s among them, also for RIGHT)
        lost = 0
        for i in range(gold.first[b0], gold.first[b0 + 1]):
            k = gold.child[i]
            if k > b0:
                break
            if s.head[k] == NONE:
                lost += 1
        h = gold.head[b0]
        if move == SHIFT:
            # its head on the stack is lost, unless it is attached to ROOT at the end (E4)
            if s.place[h] == STACK and not self.waits_for_root(gold, b0):
                lost += 1
        elif h != s0 and s.place[h] != GONE:
            lost += 1  # RIGHT: any head but s
        return lost

    def waits_for_root(self, gold: Gold, k: int) -> bool:
        """Return whether attaching the headless k to ROOT at the end gives its gold arc."""
        return self.root == ATTACHED and gold.head[k] == 0 and not gold.wrong_label(0, k, self.root_label)

    def conflict(self, s: State, gold: Gold) -> int:
        """Return how many gold arcs are lost although each is reachable, because they exclude each other.

        0 for arc-eager itself, which is arc-decomposable (2013, section 4.3). Two options at ROOT violate this:
        exactly one root, and labels of root arcs that can only be added early or only at the end.
        """
        if self.single_root:
            return self.root_is_forfeit(s, gold) + self.tail_is_forfeit(s, gold)
        if self.root != ATTACHED:
            return 0
        # A word that waits for ROOT blocks every word in the buffer whose arc from ROOT has another label and so
        # needs RIGHT. Either all waiting words lose their arc, or all those in the buffer.
        waiting = coming = 0
        for i in range(gold.first[0], gold.first[1]):
            k = gold.child[i]
            if self.waits_for_root(gold, k):
                waiting += s.place[k] == STACK and s.head[k] == NONE
            else:
                coming += s.place[k] == BUFFER
        return min(waiting, coming)

    def root_is_forfeit(self, s: State, gold: Gold) -> bool:
        """With one root: whether the root arc is lost although it is reachable by itself.

        The lowest word of the stack leaves only by LEFT, and only after all words above it. So no word above it
        can be the root any more, nor can any word but the one that is already attached to ROOT.
        """
        g = gold.leftmost(0)
        buried = s.place[g] == STACK and g != self.lowest(s)
        return self.root_in_reach(s, gold) and (buried or s.arity(0) > 0)

    def root_in_reach(self, s: State, gold: Gold) -> bool:
        g = gold.leftmost(0)
        if s.place[g] != STACK:
            return s.place[g] == BUFFER
        return self.can_take(s, g) and (self.root == LAST or self.waits_for_root(gold, g))

    def tail_is_forfeit(self, s: State, gold: Gold) -> bool:
        """With one root: whether an arc above the last word n is lost although each is reachable by itself.

        Climb from n along the arcs that exist or are reachable. If that ends at a headless word t of the stack
        that is not the lowest, one of the arcs is lost: its dependent becomes the head of t, and all other arcs
        stay reachable.
        """
        t = s.n
        if s.place[t] != BUFFER:
            return False
        for _ in range(s.n):  # arcs of a non-projective gold tree may form a cycle
            ahead = s.place[t] == BUFFER
            h = gold.head[t]
            if h == 0:
                in_reach = self.root_in_reach(s, gold) and not self.root_is_forfeit(s, gold)
            elif ahead:
                in_reach = s.place[h] != GONE
            else:
                in_reach = s.place[h] == BUFFER and self.can_take(s, t)
            if not in_reach:
                h = s.head[t]
            if h == 0:
                return False
            if h == NONE:
                return not ahead and t != self.lowest(s)
            t = h
        return False

    def can_take(self, s: State, k: int) -> bool:
        """Return whether LEFT could give a word of the stack its head."""
        return s.head[k] == NONE

    def lowest(self, s: State) -> int:
        """Return the lowest word of the stack, or nobody."""
        base = 0 if self.root == LAST else 1
        return s.stack[base] if s.depth > base else s.n + 1

    def canonical(self, s: State, gold: Gold, site: int) -> int:
        """2012, Algorithm 1: arcs as early as possible, REDUCE as late as possible."""
        s0 = s.s0()
        b0 = s.b0()
        if gold.head[s0] == b0:
            return LEFT
        if gold.head[b0] == s0 and not (self.waits_for_root(gold, b0) and gold.label[b0] >= self.labels):
            return RIGHT
        if s.depth > 0 and s.head[s0] != NONE and (s.place[gold.head[b0]] == STACK or gold.leftmost(b0) < s0):
            return REDUCE
        return SHIFT
