"""Ways to given arcs in swap-standard that unwind the stack, for configurations in which the continuation K fails.

What stands deep in the stack is within reach only when the words above it are attached, or swapped down past it. So
here the top of the stack is swapped down wherever the order of the words stays one that can be untangled.

Every step depends on the configuration alone, and so does what is followed by K. So if these steps lead to the given
arcs from a configuration, they also do so from the next one. That is why no search is needed, and nothing is tried out
twice. They do not find every way: docs/proofs.md has the numbers.
"""

from dodona.systems.arc_standard import ArcStandard
from dodona.systems.swap_given import GivenArcs
from dodona.transitions.gold import Gold
from dodona.transitions.moves import LEFT, NONE, RIGHT, SHIFT, SWAP
from dodona.transitions.state import State
from dodona.transitions.workspace import Workspace

WORK = 1 << 14  # so many steps, divided by the square of a sentence's length, are followed


class Unwinding:
    """These steps; immutable, so threads may share it."""

    def __init__(self, given: GivenArcs) -> None:
        self.given = given

    def budget(self, n: int) -> int:
        """Return how many steps are followed in a sentence of n words."""
        return WORK // ((n + 1) * (n + 1)) if n < 1 << 10 else 0

    def leads_on(self, system: ArcStandard, s: State, gold: Gold, work: Workspace) -> bool:
        """Return whether `step` leads on from the configuration in `work`, until K takes over or all is done."""
        nobody = s.n + 1
        for k in range(1, nobody):
            h = gold.head[k]
            if s.head[k] == NONE and 0 < h < nobody and s.head[h] != NONE:
                return False  # its given head is gone
        budget = self.budget(s.n)
        while budget > 0 and not system.is_terminal(s):
            move = self.step(system, s, gold, work)
            if move == NONE:
                return False
            system.apply(s, move, 0, NONE)
            s.watch.report(32 * s.n)
            if self.given.is_open(s, gold, NONE, nobody, work):
                return True
            budget -= 1
        return system.is_terminal(s)

    def step(self, system: ArcStandard, s: State, gold: Gold, work: Workspace) -> int:
        """Return the next move, NONE if there is none. All given arcs that are left to build must have both words."""
        t, b, f = s.s0(), s.s1(), s.b0()
        nobody = s.n + 1
        swappable = s.depth > 2 and b < t
        if t > 0 and not work.is_needed(s, gold, t, nobody):
            if swappable:
                return SWAP
            return RIGHT if system.legal(s, RIGHT, 0) else SHIFT
        if s.depth > 2:
            if gold.head[b] == t and not work.is_waiting(s, gold, b, nobody):
                return LEFT
            if not work.is_needed(s, gold, b, nobody):
                return SWAP if swappable else LEFT
        if t > 0 and f < nobody:
            # of two neighbours that an arc will join, keep the larger one, which can be swapped further down
            if gold.head[f] == t and f < t and not work.is_waiting(s, gold, f, nobody):
                return SHIFT
            if gold.head[t] == f and t < f and not work.is_waiting(s, gold, t, nobody):
                return SHIFT
        if swappable and self.can_untangle(s, gold, work):
            return SWAP
        if gold.head[t] == b and not work.is_waiting(s, gold, t, nobody) and system.legal(s, RIGHT, 0):
            return RIGHT
        return SHIFT if f < nobody else NONE

    def can_untangle(self, s: State, gold: Gold, work: Workspace) -> bool:
        """Return whether the given arcs could be built after SWAP if words could be swapped and linked anywhere.

        A complete word moves to its head and is gone. Words between them that were swapped with it before must move
        past the head, and stay there. So words without such obstacles come first, then those that have the fewest.
        """
        words = work.items
        count = 0
        for i in range(s.depth):
            words[count] = s.stack[i]
            count += 1
        words[count - 2] = s.s0()
        words[count - 1] = s.s1()
        for i in range(s.front, s.end):
            words[count] = s.queue[i]
            count += 1
        for i in range(count):
            k = words[i]
            work.position[k] = i
            s.marks[k] = 0
            for c in range(gold.first[k], gold.first[k + 1]):
                s.marks[k] += s.head[gold.child[c]] != k
        while count > 1:
            chosen = NONE
            least = 0
            for i in range(1, count):
                if s.marks[words[i]] == 0:
                    found = self.obstacles(s, gold, i, work)
                    if found != NONE and (chosen == NONE or found < least):
                        chosen = i
                        least = found
                        if found == 0:
                            break
            if chosen == NONE:
                return False
            count = self.take_out(s, gold, chosen, count, work)
        return True

    def obstacles(self, s: State, gold: Gold, i: int, work: Workspace) -> int:
        """Return how many words must move past the head of the complete word at index i before they can be joined.

        NONE if one of them cannot. Words that make their head complete come before others, and those that make it
        loose before all: it is gone then.
        """
        d = work.items[i]
        h = gold.head[d]
        if h > s.n:
            return 0
        j = work.position[h]
        found = 0
        if i < j:
            for p in range(i + 1, j):
                if work.items[p] < d:
                    if work.items[p] > h:
                        return NONE
                    found += 1
        else:
            for p in range(j + 1, i):
                if work.items[p] > d:
                    if work.items[p] < h or h == 0:
                        return NONE
                    found += 1
        if found > 0 and s.marks[h] > 1:
            return found + 2 * s.n
        if found > 0 and gold.head[h] <= s.n:
            return found + s.n
        return found

    def take_out(self, s: State, gold: Gold, i: int, count: int, work: Workspace) -> int:
        """Attach the word at index i, with all swaps that this needs; returns how many words are left."""
        words = work.items
        d = words[i]
        h = gold.head[d]
        j = work.position[h] if h <= s.n else i
        left, right = min(i, j), max(i, j)
        rest = s.flags
        back = 0
        p = left
        for q in range(left, right + 1):  # what comes before the head afterwards, then the head, then the others
            k = words[q]
            if k != d and k != h:
                if k > d:
                    words[p] = k
                    p += 1
                else:
                    rest[back] = k
                    back += 1
        if h <= s.n:
            words[p] = h
            p += 1
            s.marks[h] -= 1
        for q in range(back):
            words[p] = rest[q]
            p += 1
        for q in range(right + 1, count):
            words[p] = words[q]
            p += 1
        for q in range(left, p):
            work.position[words[q]] = q
        return p
