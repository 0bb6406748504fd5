"""Arc-standard (Nivre 2004), with the tabular dynamic oracle of Goldberg, Sartorio and Satta (2014).

    SHIFT    (σ, b|β, A)      ⇒  (σ|b, β, A)
    LEFT:l   (σ|s1|s0, β, A)  ⇒  (σ|s0, β, A ∪ {s0 →l s1})      s1 ≠ ROOT
    RIGHT:l  (σ|s1|s0, β, A)  ⇒  (σ|s1, β, A ∪ {s1 →l s0})

Start ([], [ROOT, 1..n]), end ([ROOT], []). The system is not arc-decomposable (2013, section 4.3): two arcs
may each be reachable and yet exclude each other, so lost arcs cannot be counted one by one. The best parse is
found by dynamic programming instead.
"""

from dodona.transitions.gold import Gold
from dodona.transitions.moves import LEFT, RIGHT, SHIFT
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem

NEVER = -(1 << 30)

RULES = {
    "SHIFT": "needs a non-empty buffer",
    "LEFT": "needs two nodes on the stack, the lower one a word (not ROOT)",
    "RIGHT": "needs two nodes on the stack",
}


class ArcStandard(TransitionSystem):
    def __init__(self, labels: int, single_root: bool = False) -> None:
        TransitionSystem.__init__(self, labels, single_root, (SHIFT,), (LEFT, RIGHT))

    def start(self, s: State, n: int) -> None:
        s.reset(n)
        for k in range(n + 1):
            s.enqueue(k)

    def is_terminal(self, s: State) -> bool:
        return s.depth == 1 and s.front == s.end

    def legal(self, s: State, move: int, site: int) -> bool:
        if move == SHIFT:
            return s.front < s.end
        if move == LEFT:
            return s.depth > 2
        # one root: its arc is the last one, when no other word is left
        return s.depth > 1 and not (self.single_root and s.s1() == 0 and s.front < s.end)

    def apply(self, s: State, move: int, site: int, label: int) -> None:
        s0 = s.s0()
        s1 = s.s1()
        if move == SHIFT:
            s.shift()
        elif move == RIGHT:
            s.pop()
            s.add_arc(s1, s0, label)
        else:
            s.pop()
            s.add_arc(s0, s1, label)
            s.pop()
            s.push(s0)

    def head_of(self, s: State, move: int, site: int) -> int:
        if move == LEFT:
            return s.s0()
        return s.s1() if move == RIGHT else s.n + 1

    def dependent_of(self, s: State, move: int, site: int) -> int:
        if move == LEFT:
            return s.s1()
        return s.s0() if move == RIGHT else s.n + 1

    def cost(self, s: State, gold: Gold, move: int, site: int) -> int:
        """Return the gain before the move, less the gold arc that it adds and the gain after it.

        For a tree that cannot be built, the gain may be larger after the move: that costs nothing.
        """
        if s.depth == 0:
            return 0  # ROOT itself is shifted
        before = self.gain(s, gold, s.depth, s.s0(), s.front)
        if move == SHIFT:
            after = self.gain(s, gold, s.depth + 1, s.b0(), s.front + 1)
        else:
            h = self.head_of(s, move, site)
            d = self.dependent_of(s, move, site)
            after = self.gain(s, gold, s.depth - 1, h, s.front) + (gold.head[d] == h)
        return before - after if before > after else 0

    def gain(self, s: State, gold: Gold, depth: int, top: int, front: int) -> int:
        """Return the largest number of gold arcs that a parse can add to a stack and a buffer.

        The stack is s.stack[:depth - 1] + [top], the buffer front..n. `s.items` lists the items to be joined: the
        stack, then the fragments of the buffer.
        """
        for i in range(depth - 1):
            s.items[i] = s.stack[i]
        s.items[depth - 1] = top
        count = self.fold_buffer(s, gold, depth, front)
        folded = (s.n + 1 - front) - (count - depth)
        return folded + self.join(s, gold, depth, count)

    def fold_buffer(self, s: State, gold: Gold, depth: int, front: int) -> int:
        """Append the buffer words that cannot be attached to their gold head within the buffer; count all items.

        A word is complete if all its gold dependents that still exist are buffer words, complete themselves.
        Complete words can be attached to their gold head in the buffer at no loss, so they are not considered again.
        Marked are the words on the stack and those in the buffer that are not complete.
        """
        for k in range(s.n + 1):
            s.marks[k] = 0
        for i in range(depth):
            s.marks[s.items[i]] = 1
        for p in range(s.n + 1):
            k = gold.post[p]
            if k >= front:
                for i in range(gold.first[k], gold.first[k + 1]):
                    if s.marks[gold.child[i]]:
                        s.marks[k] = 1
        count = depth
        for k in range(front, s.n + 1):
            if s.marks[k] or gold.head[k] < front or gold.head[k] > s.n:
                s.items[count] = k
                count += 1
        return count

    def join(self, s: State, gold: Gold, depth: int, count: int) -> int:
        """Return the largest number of gold arcs when the items are joined into one tree under ROOT.

        `best[j][h]` is for a tree headed by item h that covers the stack from item i up and the first j items
        of the buffer. It grows by the next item to the left, then by the next to the right: nothing deeper
        in the stack can be joined before the top is part of it.
        """
        right = count - depth
        if len(s.chart) < (right + 1) * count:
            s.reserve((right + 1) * count)
        item = s.items
        best = s.chart
        for i in range(depth - 1, -1, -1):
            left = item[i]
            for j in range(right + 1):
                s.watch.report(count)
                row = j * count
                here = depth + j - 1  # the item that j adds
                # the tree so far, [i + 1, j], joined with the item on its left
                under_left = NEVER
                if i == depth - 1:
                    for h in range(count):
                        best[row + h] = NEVER
                    under_left = 0 if j == 0 else NEVER
                else:
                    for h in range(i + 1, here + 1):
                        value = best[row + h]
                        if value + (gold.head[item[h]] == left) > under_left:
                            under_left = value + (gold.head[item[h]] == left)
                        best[row + h] = value + (gold.head[left] == item[h]) if i > 0 else NEVER
                best[row + i] = under_left
                if j == 0:
                    continue
                # the tree so far, [i, j - 1], joined with the item on its right
                new = item[here]
                last = row - count
                under_right = best[row + here]
                for h in range(i, here):
                    value = best[last + h]
                    if h > 0 and value + (gold.head[item[h]] == new) > under_right:
                        under_right = value + (gold.head[item[h]] == new)
                    if value + (gold.head[new] == item[h]) > best[row + h]:
                        best[row + h] = value + (gold.head[new] == item[h])
                best[row + here] = under_right
        return best[right * count]

    def canonical(self, s: State, gold: Gold, site: int) -> int:
        """Arcs as early as possible, once the dependent has all its dependents; LEFT before RIGHT before SHIFT."""
        if s.depth > 1:
            s0 = s.s0()
            s1 = s.s1()
            if gold.head[s1] == s0 and s.arity(s1) == gold.arity(s1):
                return LEFT
            if gold.head[s0] == s1 and s.arity(s0) == gold.arity(s0):
                return RIGHT
        return SHIFT
