"""SwapStandard (Nivre 2009): arc-standard that reorders the words, with the oracles of Björkelund and Nivre (2015).

    SHIFT    (σ, b|β, A)      ⇒  (σ|b, β, A)
    LEFT:l   (σ|s1|s0, β, A)  ⇒  (σ|s0, β, A ∪ {s0 →l s1})      s1 ≠ ROOT
    RIGHT:l  (σ|s1|s0, β, A)  ⇒  (σ|s1, β, A ∪ {s1 →l s0})
    SWAP     (σ|s1|s0, β, A)  ⇒  (σ|s0, s1|β, A)                0 < s1 < s0 in the sentence

Start ([ROOT], [1..n]), end ([ROOT], []). SWAP's condition is what keeps it from looping. Any tree can be built,
once its words stand in projective order; every oracle here swaps two words only towards that order.

    eager    arcs first, then SWAP as soon as the order allows it (Nivre 2009)
    lazy     SWAP waits while s0 and b0 are in the same maximal projective component (Nivre et al. 2009; E8)
    minimal  as few swaps as possible, by search
    nd-sw    arcs first; then SWAP, and SHIFT too wherever the tree stays within reach
    nd-all   whatever keeps the tree within reach, swapping towards that order only
"""

from array import array

from dodona.core.gold import Gold
from dodona.core.moves import BUFFER, LEFT, NONE, RIGHT, SHIFT, SWAP
from dodona.core.state import State
from dodona.core.system import TransitionSystem
from dodona.systems.arc_standard import RULES as ARC_STANDARD_RULES
from dodona.systems.arc_standard import ArcStandard

FORK, DEAD = -2, -3

SLOTS = 1 << 14  # configurations that the search for the fewest swaps can remember

RULES = ARC_STANDARD_RULES | {"SWAP": "needs two words on the stack that stand in sentence order (0 < s1 < s0)"}


class SwapStandard(ArcStandard):
    def __init__(self, labels: int, single_root: bool = False) -> None:
        TransitionSystem.__init__(self, labels, single_root, (SHIFT, SWAP), (LEFT, RIGHT))
        self.make_room(0)

    def start(self, s: State, n: int) -> None:
        ArcStandard.start(self, s, n)
        s.shift()

    def legal(self, s: State, move: int, site: int) -> bool:
        if move == SWAP:
            return s.depth > 2 and s.s1() < s.s0()
        return ArcStandard.legal(self, s, move, site)

    def apply(self, s: State, move: int, site: int, label: int) -> None:
        if move != SWAP:
            ArcStandard.apply(self, s, move, site, label)
            return
        s0 = s.s0()
        s1 = s.s1()
        s.depth -= 1
        s.stack[s.depth - 1] = s0
        s.front -= 1
        s.queue[s.front] = s1
        s.place[s1] = BUFFER

    def canonical(self, s: State, gold: Gold, site: int) -> int:
        """Algorithm 1: EAGER, or LAZY on a gold tree that was prepared for it."""
        move = self.can_link(s, gold)
        if move != NONE:
            return move
        if self.can_swap(s, gold):
            b0 = s.b0()
            if b0 > s.n or gold.component[s.s0()] != gold.component[b0]:
                return SWAP
        return SHIFT

    def can_link(self, s: State, gold: Gold) -> int:
        """LEFT or RIGHT if it adds a gold arc to a word that has all its dependents, else NONE."""
        move = ArcStandard.canonical(self, s, gold, 0)
        return NONE if move == SHIFT else move

    def can_swap(self, s: State, gold: Gold) -> bool:
        """Whether s0 comes before s1 in projective order."""
        return s.depth > 2 and gold.order[s.s0()] < gold.order[s.s1()]

    def can_finish(self, s: State, gold: Gold) -> bool:
        """Go on eagerly to the end; whether the gold tree comes out."""
        while not self.is_terminal(s):
            s.steps += 1
            move = self.can_link(s, gold)
            if move == NONE:
                if self.can_swap(s, gold):
                    move = SWAP
                elif s.front < s.end:
                    move = SHIFT
                else:
                    return False
            self.apply(s, move, 0, NONE)
        return True

    def can_shift(self, s: State, gold: Gold, work: State) -> bool:
        """Algorithm 2: whether the tree is still within reach after SHIFT."""
        if s.front == s.end:
            return False
        work.copy_from(s)
        work.shift()
        return self.can_finish(work, gold)

    def correct(self, s: State, gold: Gold, work: State, links_too: bool) -> int:
        """The moves that keep the gold tree within reach, as a set of bits: ND-ALL, or ND-SW without the choice
        between an arc now and SHIFT (`links_too` false). Only asked where the tree is within reach."""
        move = self.can_link(s, gold)
        if move == NONE and self.can_swap(s, gold):
            move = SWAP
        if move == NONE:
            return 1 << SHIFT
        if (move == SWAP or links_too) and self.can_shift(s, gold, work):
            return 1 << move | 1 << SHIFT
        return 1 << move

    def cost(self, s: State, gold: Gold, move: int, site: int) -> int:
        """Not the loss, which nobody knows how to compute: 0 if all the arcs of a part of a tree can still be had after
        the move, 1 if not, or if it cannot be told. Only asked where they can be had before it."""
        h = self.head_of(s, move, site)
        d = self.dependent_of(s, move, site)
        if d <= s.n:
            if gold.head[d] <= s.n and gold.head[d] != h:
                return 1
            for i in range(gold.first[d], gold.first[d + 1]):
                if s.head[gold.child[i]] != d:
                    return 1  # d would be gone before its dependents have come
        if self.work.width < s.n + 2:
            self.make_room(s.n)
        count = 0
        for i in range(s.depth):
            self.items[count] = s.stack[i]
            count += 1
        for i in range(s.front, s.end):
            self.items[count] = s.queue[i]
            count += 1
        depth = s.depth
        if move == SHIFT:
            depth += 1
        elif move == SWAP:
            depth -= 1
            self.items[depth - 1] = s.s0()
            self.items[depth] = s.s1()
        else:
            depth -= 1
            count -= 1
            self.items[depth - 1] = h
            for i in range(depth, count):
                self.items[i] = self.items[i + 1]
        return 0 if self.can_complete(gold, depth, count) else 1

    def can_complete(self, gold: Gold, depth: int, count: int) -> bool:
        """Whether the given arcs between `items` can be had; `depth` of these are on the stack, the rest in the buffer.

        The items stand for a sentence of their own, in which words without a given head hang on the root. If that tree
        can be built eagerly, nothing is lost yet; and building it keeps it so, so there is always a way to go on.
        """
        given = False
        for p in range(count):
            self.position[self.items[p]] = p
        for p in range(1, count):
            h = gold.head[self.items[p]]
            self.heads[p - 1] = self.position[h] if h <= gold.n else NONE
            given = given or h <= gold.n
        if not given:
            return True
        root = self.choose_root(count)
        for p in range(1, count):
            if self.heads[p - 1] == NONE:
                self.heads[p - 1] = root
        self.target.fill(self.heads, self.heads, 0, count - 1)
        if not self.target.is_tree:
            return False
        self.work.reset(count - 1)
        for p in range(count):
            if p < depth:
                self.work.push(p)
            else:
                self.work.enqueue(p)
        while not self.is_terminal(self.work):
            move = self.can_link(self.work, self.target)
            if move == NONE:
                move = SHIFT
                if self.can_swap(self.work, self.target):
                    if self.items[self.work.s0()] < self.items[self.work.s1()]:
                        return False  # they were swapped before
                    move = SWAP
                elif self.work.front == self.work.end:
                    return False
            self.apply(self.work, move, 0, NONE)
        return True

    def choose_root(self, count: int) -> int:
        """Where words without a given head hang: on ROOT or, if only one may, on that one."""
        if not self.single_root:
            return 0
        root = NONE
        for p in range(count - 1, 0, -1):
            if self.heads[p - 1] == 0:
                return p
            if self.heads[p - 1] == NONE:
                root = p
        if root != NONE:
            self.heads[root - 1] = 0
        return root

    def find_components(self, gold: Gold, work: State) -> None:
        """Maximal projective components: the subtrees that arc-standard builds without SWAP before it is stuck."""
        self.start(work, gold.n)
        while True:
            move = self.can_link(work, gold)
            if move == NONE:
                if work.front == work.end:
                    break
                move = SHIFT
            self.apply(work, move, 0, NONE)
        for p in range(gold.n, -1, -1):  # heads before dependents
            k = gold.post[p]
            gold.component[k] = k if work.head[k] == NONE else gold.component[work.head[k]]

    def minimize(
        self, s: State, gold: Gold, work: State, best: memoryview, trail: memoryview, seen: memoryview, budget: int
    ) -> int:
        """MINIMAL: shorten the derivation in `best` to the fewest swaps, depth first, with bounded memory.

        Taking a possible arc at once never costs a swap: cut the dependent out of any other derivation and
        what remains is one. So the only choice is between SHIFT and SWAP. SHIFT is tried first, and FORK in
        the trail marks that SWAP is still to be tried; going back means replaying the trail up to there.
        Returns the length, or NONE if the budget of transitions ran out.
        """
        length = len(best)
        least = (length - 2 * gold.n) // 2
        swaps = t = 0
        self.start(s, gold.n)
        while budget > 0:
            move = DEAD
            if self.is_terminal(s):
                least = swaps
                length = t
                for i in range(t):
                    best[i] = SHIFT if trail[i] == FORK else trail[i]
            else:
                move = self.explore(s, gold, work, swaps + 1 < least)
                budget -= work.steps
                work.steps = 0
                if move == FORK and self.was_here(s, seen, swaps):
                    move = DEAD
            if move == DEAD:
                while t > 0 and not (trail[t - 1] == FORK and swaps + 1 < least):
                    t -= 1
                    swaps -= trail[t] == SWAP
                if t == 0:
                    return length
                t -= 1
                move = SWAP
                self.start(s, gold.n)
                for i in range(t):
                    self.apply(s, SHIFT if trail[i] == FORK else trail[i], 0, NONE)
                budget -= t
            self.apply(s, SHIFT if move == FORK else move, 0, NONE)
            trail[t] = move
            t += 1
            swaps += move == SWAP
            budget -= 1
        return NONE

    def was_here(self, s: State, seen: memoryview, swaps: int) -> bool:
        """Whether this order of stack and buffer was reached before with no more swaps; keeps note of it if not.

        `seen` is a hash table of fixed size: two 31-bit hashes and the swaps per slot; a new entry replaces the
        old one, which can only cost time.
        """
        one = two = 1
        for i in range(s.depth):
            one = (one * 1_000_003 + s.stack[i]) % 2_147_483_647
            two = (two * 69_069 + s.stack[i]) % 2_147_483_629
        for i in range(s.front, s.end):
            one = (one * 1_000_033 + s.queue[i]) % 2_147_483_647
            two = (two * 48_271 + s.queue[i]) % 2_147_483_629
        slot = 3 * (one % (len(seen) // 3))
        if seen[slot] == one and seen[slot + 1] == two and seen[slot + 2] <= swaps:
            return True
        seen[slot] = one
        seen[slot + 1] = two
        seen[slot + 2] = swaps
        return False

    def explore(self, s: State, gold: Gold, work: State, may_swap: bool) -> int:
        """The move that can only be right here, FORK if both SHIFT and SWAP can, or DEAD if none is allowed."""
        move = self.can_link(s, gold)
        if move != NONE:
            return move
        if not self.can_swap(s, gold):
            return SHIFT
        if self.can_shift(s, gold, work):
            return FORK if may_swap else SHIFT
        return SWAP if may_swap else DEAD

    def make_room(self, n: int) -> None:
        """For `can_complete`: a configuration, a tree and three lists of this length."""
        self.work = State(n)
        self.target = Gold(n)
        self.items = memoryview(array("i", bytes(4 * (n + 2))))
        self.position = memoryview(array("i", bytes(4 * (n + 2))))
        self.heads = memoryview(array("i", bytes(4 * (n + 2))))

    def prepare(self, gold: Gold, lazy: bool) -> None:
        """Make `canonical` LAZY on this gold tree, or EAGER, as it is on a new one: every word is alone."""
        if lazy:
            self.find_components(gold, State(gold.n))
        else:
            for k in range(gold.n + 1):
                gold.component[k] = k

    def fewest_swaps(self, gold: Gold, budget: int) -> list[int] | None:
        """The moves of a derivation with the fewest swaps, or None if `budget` transitions were not enough."""
        s = State(gold.n)
        work = State(gold.n)
        self.find_components(gold, work)
        moves = array("i")
        self.start(s, gold.n)
        while not self.is_terminal(s):
            move = self.canonical(s, gold, 0)
            self.apply(s, move, 0, NONE)
            moves.append(move)
        if SWAP not in moves:
            return list(moves)
        trail = array("i", moves)
        seen = array("i", bytes(4 * 3 * SLOTS))
        length = self.minimize(s, gold, work, memoryview(moves), memoryview(trail), memoryview(seen), budget)
        return None if length == NONE else list(moves[:length])

    def is_unique(self, gold: Gold) -> bool:
        """Whether the tree has one derivation only: ND-ALL never has a choice."""
        s = State(gold.n)
        work = State(gold.n)
        self.start(s, gold.n)
        while not self.is_terminal(s):
            found = self.correct(s, gold, work, True)
            if found & (found - 1):
                return False
            self.apply(s, self.canonical(s, gold, 0), 0, NONE)
        return True

    def correct_moves(self, s: State, gold: Gold, links_too: bool) -> list[int]:
        """`correct` for people: a list of moves, empty if the tree is out of reach already."""
        work = State(gold.n)
        work.copy_from(s)
        for k in range(1, gold.n + 1):
            if s.head[k] != NONE and (s.head[k] != gold.head[k] or gold.wrong_label(s.head[k], k, s.label[k])):
                return []
        if not self.can_finish(work, gold):
            return []
        found = self.correct(s, gold, work, links_too)
        return [move for move in (SHIFT, SWAP, LEFT, RIGHT) if found >> move & 1]
