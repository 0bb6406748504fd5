"""Covington's non-projective parser (2001; Nivre 2008), with the dynamic oracle of Gómez-Rodríguez and
Fernández-González (2015).

    SHIFT    ⟨λ1, λ2, j|B, A⟩    ⇒  ⟨λ1·λ2|j, [], B, A⟩
    NOARC    ⟨λ1|i, λ2, B, A⟩    ⇒  ⟨λ1, i|λ2, B, A⟩
    LEFT:l   ⟨λ1|i, λ2, j|B, A⟩  ⇒  ⟨λ1, i|λ2, j|B, A ∪ {j →l i}⟩    i headless, no cycle
    RIGHT:l  ⟨λ1|i, λ2, j|B, A⟩  ⇒  ⟨λ1, i|λ2, j|B, A ∪ {i →l j}⟩    j headless, no cycle

Start ⟨[], [], [1..n], ∅⟩, end when B is empty; headless words are then attached to ROOT. No word is removed:
λ1 = 1..i and λ2 = i+1..j-1, so i = `depth` and j = `front` + 1 define the lists. A headless word is the top of its
weakly connected component, so an arc closes a cycle exactly if it joins a component with itself.
"""

from dodona.transitions.gold import Gold
from dodona.transitions.moves import LEFT, NOARC, NONE, RIGHT, SHIFT
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem

RULES = {
    "SHIFT": "needs a non-empty buffer",
    "NOARC": "needs a non-empty left list",
    "LEFT": "needs a headless word at the end of the left list that does not dominate the front of the buffer",
    "RIGHT": "needs a headless word at the front of the buffer that does not dominate the end of the left list",
}


class Covington(TransitionSystem):
    def __init__(self, labels: int, single_root: bool = False, root_label: int = NONE) -> None:
        TransitionSystem.__init__(self, labels, single_root, (SHIFT, NOARC), (LEFT, RIGHT))
        self.root_label = root_label

    def start(self, s: State, n: int) -> None:
        s.reset(n)
        for k in range(1, n + 1):
            s.enqueue(k)

    def is_terminal(self, s: State) -> bool:
        return s.front == s.n

    def legal(self, s: State, move: int, site: int) -> bool:
        if move != SHIFT:
            i = s.depth
            j = s.front + 1
            if i == 0:
                return False
            if move != NOARC:
                d = i if move == LEFT else j
                if s.head[d] != NONE or self.component(s, i) == self.component(s, j):
                    return False
        return not self.single_root or s.front < s.n - 1 or self.keeps_one_root(s, move)

    def keeps_one_root(self, s: State, move: int) -> bool:
        """At the last word n: whether all components can still be joined, so that one root remains.

        A component is joined with n's own by LEFT as long as its top is still in λ1, or by RIGHT if n is headless
        and any of its words is still in λ1. RIGHT is possible once, so only one component may depend on it.
        """
        i = s.depth
        n = s.n
        if move == SHIFT:
            return s.arcs == n - 1
        joining = move != NOARC
        n_headless = s.head[n] == NONE and move != RIGHT
        stranded = 0
        home = self.component(s, n)
        mine = self.component(s, i)
        for k in range(n, 0, -1):
            s.items[self.component(s, k)] = k  # in the end, the first word of each component
        for k in range(i, n):
            c = self.component(s, k)
            if s.head[k] == NONE and c != home and not (joining and c == mine):
                stranded += 1
                if s.items[c] >= i:
                    return False
        return stranded == 0 or (stranded == 1 and n_headless)

    def apply(self, s: State, move: int, site: int, label: int) -> None:
        i = s.depth
        j = s.front + 1
        if move == SHIFT:
            s.depth = s.front  # λ2 goes back onto λ1
            s.shift()
            if s.front == s.n:
                for k in range(1, s.n + 1):
                    if s.head[k] == NONE:
                        s.add_arc(0, k, self.root_label)
        else:
            if move != NOARC:
                s.add_arc(self.head_of(s, move, site), self.dependent_of(s, move, site), label)
                s.joined[self.component(s, i)] = self.component(s, j)
            s.depth -= 1

    def progress(self, s: State) -> int:
        """Compare hypotheses word by word: of two for the same words, one may need many more NOARC than the other."""
        return s.front

    def head_of(self, s: State, move: int, site: int) -> int:
        if move == LEFT:
            return s.front + 1
        return s.depth if move == RIGHT else s.n + 1

    def dependent_of(self, s: State, move: int, site: int) -> int:
        if move == LEFT:
            return s.depth
        return s.front + 1 if move == RIGHT else s.n + 1

    def component(self, s: State, k: int) -> int:
        """Return the representative of k's weakly connected component."""
        return self.find(s.joined, k)

    def find(self, forest: memoryview, k: int) -> int:
        """Union-find with path halving."""
        while forest[k] != k:
            forest[k] = forest[forest[k]]
            k = forest[k]
        return k

    def cost(self, s: State, gold: Gold, move: int, site: int) -> int:
        i = s.depth
        j = s.front + 1
        nobody = s.n + 1
        before = self.loss(s, gold, i, j, nobody, nobody)
        if move == SHIFT:
            return self.loss(s, gold, j, j + 1, nobody, nobody) - before
        h = self.head_of(s, move, site)
        d = self.dependent_of(s, move, site)
        return self.loss(s, gold, i - 1, j, h, d) - before

    def loss(self, s: State, gold: Gold, i: int, j: int, head: int, dependent: int) -> int:
        """Return the least loss for focus words i and j and A ∪ {head → dependent}; nobody → nobody adds no arc.

        i = 0 if λ1 is empty, j = n + 1 if B is. A gold root arc with another label than `root_label` is lost
        from the start and not counted, nor is a word without a known head.
        """
        if self.single_root and j == s.n:
            return self.loss_at_last_word(s, gold, i, head, dependent)
        lost = self.out_of_reach(s, gold, i, j, head, dependent) + self.cycles(s, dependent)
        if self.single_root and j < s.n and self.root_is_forfeit(s, gold, i, j, dependent):
            lost += 1
        return lost

    def out_of_reach(self, s: State, gold: Gold, i: int, j: int, head: int, dependent: int) -> int:
        """Theorem 1 with erratum E7: return the number of unreachable gold arcs, and add the reachable ones to A.

        The resulting graph is left in `s.items`, as the head of each word, 0 for none.
        """
        lost = 0
        here = self.component(s, head)
        there = self.component(s, dependent)
        for y in range(1, s.n + 1):
            x = gold.head[y]
            z = head if y == dependent else s.head[y]
            s.items[y] = z if z > 0 else 0
            if z == x or x > s.n:
                continue
            if x == 0:
                # ROOT's arc needs a headless y, and nothing else (E7)
                if z != NONE and not gold.wrong_label(0, y, self.root_label):
                    lost += 1
                continue
            left = x if x < y else y
            right = y if x < y else x
            cx = self.component(s, x)
            cy = self.component(s, y)
            if (
                z != NONE  # y has another head
                or j > right  # both words are read
                or (j == right and i < left)  # the pair has been passed
                or cx == cy  # the arc would close a cycle
                or (cx == here and cy == there)
                or (cx == there and cy == here)
            ):
                lost += 1
            else:
                s.items[y] = x
        return lost

    def cycles(self, s: State, dependent: int) -> int:
        """Return the number of cycles of the graph in `s.items`: each loses one more arc. No two share a word.

        Marks in `s.flags` the words that may be the top of their tree once the cycles are cut: the headless ones,
        and those on a cycle whose arc is not built yet.
        """
        for k in range(s.n + 1):
            s.marks[k] = 0
            s.flags[k] = s.items[k] == 0
        count = 0
        for k in range(1, s.n + 1):
            y = k
            while y != 0 and s.marks[y] == 0:
                s.marks[y] = k
                y = s.items[y]
            if y != 0 and s.marks[y] == k:
                count += 1
                while s.marks[y] == k:
                    s.flags[y] = s.head[y] == NONE and y != dependent
                    s.marks[y] = NONE
                    y = s.items[y]
        return count

    def root_is_forfeit(self, s: State, gold: Gold, i: int, j: int, dependent: int) -> bool:
        """With one root and j < n: whether the root arc is lost although it is reachable by itself.

        All trees in `s.items` must be joined under the root g. If a word after j is below g, it can become the head
        of the tops of all other trees; and a top after j can be attached to g itself. Otherwise j must connect them:
        it can become the head of a top in λ1 or, if it is a top, be attached to a word in λ1.
        """
        n = s.n
        g = gold.leftmost(0)
        if g > n or g == dependent or s.head[g] != NONE or gold.wrong_label(0, g, self.root_label):
            return False
        for k in range(1, n + 1):
            s.marks[k] = k
        for k in range(1, n + 1):
            if s.items[k] != 0:
                s.marks[self.find(s.marks, k)] = self.find(s.marks, s.items[k])
            s.items[k] = 0  # from here on: whether the tree represented by k can be joined under g
        home = self.find(s.marks, g)
        focus = self.find(s.marks, j)
        s.items[home] = 1
        if s.flags[j]:
            for k in range(1, i + 1):
                if self.find(s.marks, k) == home:
                    s.items[focus] = 1
        if s.items[focus]:
            for k in range(1, i + 1):
                if s.flags[k]:
                    s.items[self.find(s.marks, k)] = 1
        for k in range(j + 1, n + 1):
            if s.flags[k] or s.items[self.find(s.marks, k)]:
                return False
        return True

    def loss_at_last_word(self, s: State, gold: Gold, i: int, head: int, dependent: int) -> int:
        """With one root and j = n: return the least loss; the only choice is the head of n.

        n becomes the head of the tops of the other components that are in λ1, or it is attached to one of these.
        """
        n = s.n
        home = self.component(s, n)
        joined = self.component(s, dependent if head == n else head)  # by the arc between n and i
        lost = taken = stranded = top = 0
        for k in range(n, 0, -1):
            c = self.component(s, k)
            s.items[c] = k  # in the end, the first word of each component
            h = head if k == dependent else s.head[k]
            s.flags[k] = h == NONE and c != home and c != joined
            if h != NONE:
                lost += self.misses(gold, k, h)
            elif s.flags[k]:
                taken += self.misses(gold, k, n)
                stranded += k > i
            else:
                top = k
        best = n + 1
        if stranded == 0:
            best = taken + self.misses(gold, top, 0)
        if top == n:
            x = gold.head[n]
            for k in range(1, n):
                c = self.component(s, k)
                if s.flags[k] and s.items[c] <= i and stranded == (k > i):
                    other = taken - self.misses(gold, k, n) + self.misses(gold, k, 0)
                    if not (0 < x <= i and self.component(s, x) == c):
                        other += self.misses(gold, n, n)
                    best = min(best, other)
        return lost + best

    def misses(self, gold: Gold, k: int, h: int) -> bool:
        """Return whether head h is wrong for k although the gold arc was possible."""
        x = gold.head[k]
        return x != h and x <= gold.n and not (x == 0 and gold.wrong_label(0, k, self.root_label))

    def canonical(self, s: State, gold: Gold, site: int) -> int:
        """Link the focus words if gold links them; go left as long as j has a link there; then SHIFT."""
        i = s.depth
        j = s.front + 1
        if i > 0:
            if gold.head[i] == j:
                return LEFT
            if gold.head[j] == i:
                return RIGHT
            if 0 < gold.head[j] < i or gold.leftmost(j) < i:
                return NOARC
        return SHIFT
