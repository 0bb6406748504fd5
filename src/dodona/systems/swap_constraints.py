"""Constraints in swap-standard: which moves keep all arcs of a partial tree reachable?

A word is *needed* as long as an arc of the tree from or to it is still to be built, and *complete* when it has all its
dependents in the tree. A word that is not needed is *loose*: wherever it is s0 or s1, it can be attached to the other.
So it stands in nobody's way. The needed words on the stack and in the buffer are the *items*, one list in this order.

A continuation K adds an arc of the tree as soon as it can, else it swaps towards the inorder of the items' trees, else
it shifts. Pairs that were swapped before stay as they are. What stands deep in the stack K may not reach again. But a
loose word that is larger than the words below it can be swapped down past them first. This puts them back into the
buffer, in their order, and K starts from there.

Where K fails, unwinding the stack may help. What stands deep in it is within reach when the words above it are
attached, or swapped down past it. So the top of the stack is swapped down wherever the order of the words stays one
that can be untangled. Every step depends on the configuration alone, and so does what is followed by K. So if these
steps lead to the arcs from a configuration, they also do so from the next one. That is why no search is needed, and
nothing is tried out twice. They do not find every way: docs/proofs.md has the numbers.
"""

from dodona.systems.arc_standard import ArcStandard
from dodona.transitions.gold import Gold
from dodona.transitions.moves import LEFT, NONE, RIGHT, SHIFT, SWAP
from dodona.transitions.state import State
from dodona.transitions.system import Workspace

EFFORT = 1 << 12  # steps that K is followed after a transition, and 4 more a word: to the end up to sixty words
UNLIMITED = (1 << 31) - 1
WORK = 1 << 14  # so many steps of unwinding, divided by the square of a sentence's length, are followed


class SwapConstraints:
    """K and unwinding; immutable, so threads may share it."""

    def __init__(self, single_root: bool) -> None:
        self.single_root = single_root

    def penalties(
        self, system: ArcStandard, s: State, gold: Gold, site: int, carried: int, work: Workspace, out: memoryview
    ) -> None:
        """Write 0 for the actions after which all arcs of a partial tree are known to stay reachable, else more.

        This depends on the configuration alone, and after an action with 0 there is one with 0 again (docs/proofs.md).
        Where K builds the arcs, its first move needs no look ahead, and neither does its next one.
        """
        if work.state.width < s.n + 2:
            work.reserve(s.n)
        first = self.next_move(s, gold, work)
        for m in range(len(system.moves)):
            move = system.moves[m]
            if not system.dispatch.legal(s, move, site):
                system.forbid(m, out)
            elif first != NONE and self.follows(system, s, gold, move, first, work):
                system.dispatch.write_costs(s, gold, m, site, carried, 0, out)
            else:
                penalty = system.dispatch.penalty(s, gold, move, site, work)
                system.dispatch.write_costs(s, gold, m, site, carried, penalty, out)
        if (
            first != NONE
            and system.dispatch.legal(s, first, site)
            and self.follows(system, s, gold, first, first, work)
        ):
            work.state.copy_from(s)
            system.apply(work.state, first, site, NONE)
            self.expect(gold, work)

    def follows(self, system: ArcStandard, s: State, gold: Gold, move: int, first: int, work: Workspace) -> bool:
        """Return whether K goes on as before after this move: it is K's first one, or moves a word that is loose."""
        nobody = s.n + 1
        if move == SHIFT:
            return first == SHIFT or not work.is_needed(s, gold, s.b0(), nobody)
        if move != SWAP and not work.is_needed(s, gold, system.dependent_of(s, move, 0), nobody):
            return True
        return move == first and work.is_needed(s, gold, s.s0(), nobody) and work.is_needed(s, gold, s.s1(), nobody)

    def penalty(self, system: ArcStandard, s: State, gold: Gold, move: int, site: int, work: Workspace) -> int:
        """Return 0 if all arcs of a partial tree are known to stay reachable after the move, else 1."""
        h = system.head_of(s, move, site)
        d = system.dependent_of(s, move, site)
        if d <= s.n and gold.head[d] <= s.n and gold.head[d] != h:
            return 1
        if d <= s.n and work.is_waiting(s, gold, d, s.n + 1):
            return 1  # d would be removed before it has all its dependents
        if work.state.width < s.n + 2:
            work.reserve(s.n)
        if self.is_open(s, gold, move, d, work):
            return 0
        if self.budget(s.n) == 0:
            return 1
        work.state.copy_from(s)
        system.apply(work.state, move, 0, NONE)
        return not self.leads_on(system, work.state, gold, work)

    # K

    def is_open(self, s: State, gold: Gold, move: int, removed: int, work: Workspace) -> bool:
        """Return whether K builds all arcs after the move, at once or when a loose word was swapped down first.

        `removed` gets its head by the move; NONE is no move.
        """
        depth = self.list_words(s, move, removed, work)
        floor = self.gather(s, gold, removed, depth, work)
        if not self.arrange(gold, work):
            return False
        effort = EFFORT + 4 * s.n
        if floor < work.depth and self.builds(gold, floor, effort, work):
            return True
        return self.builds(gold, work.depth, effort, work)

    def list_words(self, s: State, move: int, removed: int, work: Workspace) -> int:
        """List the words after the move, first the stack, then the buffer; returns how many are on the stack."""
        words = work.state.items
        count = 0
        for i in range(s.depth):
            if s.stack[i] != removed and not (move == SWAP and i == s.depth - 2):
                words[count] = s.stack[i]
                count += 1
        depth = count
        if move == SWAP:
            words[count] = s.s1()
            count += 1
        for i in range(s.front, s.end):
            words[count] = s.queue[i]
            count += 1
        work.count = count
        return depth + 1 if move == SHIFT else depth

    def gather(self, s: State, gold: Gold, removed: int, depth: int, work: Workspace) -> int:
        """Set `items` to the needed ones of the listed words, `work.depth` of them on the stack.

        Returns how many are left there when a loose word has been swapped down as far as possible. The word must come
        from the buffer or be s0, and be larger than all that come before it from s0 on; of several the largest.
        """
        words = work.state.items
        count = highest = vehicle = 0
        for i in range(work.count):
            if i == depth:
                work.depth = count
            k = words[i]
            if work.is_needed(s, gold, k, removed):
                work.items[count] = k
                count += 1
                words[i] = -k
            elif i >= depth - 1 and k > highest:
                vehicle = k
            if i >= depth - 1 and k > highest:
                highest = k
        if depth == work.count:
            work.depth = count
        work.count = count
        return self.floor(words, depth, vehicle, work) if vehicle > 0 else work.depth

    def floor(self, words: memoryview, depth: int, vehicle: int, work: Workspace) -> int:
        """Return how many items stay on the stack when this loose word is swapped down as far as possible.

        Needed words are negative in `words`. The word is attached to a larger loose one, which goes on in its place.
        """
        left = work.depth
        for i in range(depth - 1, 0, -1):
            if words[i] > vehicle:
                vehicle = words[i]
            elif words[i] < 0:
                if -words[i] > vehicle:
                    break
                left -= 1
        return left

    def arrange(self, gold: Gold, work: Workspace) -> bool:
        """Set up the trees of its arcs between the items; their roots hang on ROOT, item 0.

        Returns False if a head in the tree is not among the items.
        """
        for p in range(work.count):
            work.position[work.items[p]] = p
        for p in range(1, work.count):
            h = gold.head[work.items[p]]
            if h > gold.n:
                work.heads[p - 1] = 0
            else:
                q = work.position[h]
                if q >= work.count or work.items[q] != h:
                    return False
                work.heads[p - 1] = q
        work.tree.fill(work.heads, work.heads, 0, work.count - 1)
        return work.tree.is_tree

    def expect(self, gold: Gold, work: Workspace) -> None:
        """Remember that K builds its arcs from the configuration in `work`, where `copy_from` forgets it."""
        for k in range(gold.n + 1):
            work.state.remembered[k] = gold.head[k]

    def is_expected(self, s: State, gold: Gold, work: Workspace) -> bool:
        """Return whether this is the configuration, and these are the arcs, of the last `expect`."""
        size = s.end - s.front
        if s.n != work.state.n or s.depth != work.state.depth or size != work.state.end - work.state.front:
            return False
        for k in range(s.n + 1):
            if gold.head[k] != work.state.remembered[k] or s.head[k] != work.state.head[k]:
                return False
        for i in range(s.depth):
            if s.stack[i] != work.state.stack[i]:
                return False
        for i in range(size):
            if s.queue[s.front + i] != work.state.queue[work.state.front + i]:
                return False
        return True

    def next_move(self, s: State, gold: Gold, work: Workspace) -> int:
        """Return the first move of K if it builds all arcs of the tree between the items from here, else NONE."""
        self.gather(s, gold, s.n + 1, self.list_words(s, NONE, s.n + 1, work), work)
        if not self.arrange(gold, work):
            return NONE
        if not self.is_expected(s, gold, work) and not self.builds(gold, work.depth, UNLIMITED, work):
            return NONE
        t = work.depth - 1  # items are numbered in the order of the list
        if t > 1 and work.tree.head[t - 1] == t and work.tree.arity(t - 1) == 0:
            return LEFT
        if t > 0 and work.tree.head[t] == t - 1 and work.tree.arity(t) == 0 and (t > 1 or not self.single_root):
            return RIGHT
        swapped = t > 1 and work.tree.order[t] < work.tree.order[t - 1] and work.items[t] > work.items[t - 1]
        return SWAP if swapped else SHIFT

    def builds(self, gold: Gold, depth: int, effort: int, work: Workspace) -> bool:
        """Return whether K builds its arcs between the items, of which `depth` are on the stack.

        Stack and buffer are one linked list. t is the top of the stack, and `frontier` the last item that was ever on
        it. An item is settled if K has shifted the next one after a look at it and the item below it, and both are as
        they were. So K shifts settled items again without a look, and all of them at once if nothing `unsettled`
        stands between after[t] and the frontier. After so much effort the answer is False.
        """
        order, heads, words, end = work.tree.order, work.tree.head, work.items, work.count
        before, after = work.state.before, work.state.after
        missing, settled = work.state.marks, work.state.flags
        self.lay_out(depth, work)
        t = frontier = depth - 1
        unsettled = 0
        while effort > 0:
            effort -= 1
            if not settled[t]:
                b = before[t]
                if b > 0 and heads[b] == t and missing[b] == 0:  # LEFT
                    self.unlink(work.state, b)
                    missing[t] -= 1
                    settled[after[t]] = 0
                    continue
                if t > 0 and missing[t] == 0 and (heads[t] == b or gold.head[words[t]] > gold.n):  # RIGHT, or loose
                    frontier = b if frontier == t else frontier
                    self.unlink(work.state, t)
                    missing[heads[t]] -= 1
                    settled[b] = 0
                    t = b
                    continue
                if b > 0 and order[t] < order[b] and words[t] > words[b]:  # SWAP, as often as possible
                    if frontier == t:
                        frontier = b
                    else:
                        unsettled += 1
                    self.unlink(work.state, t)
                    while b > 0 and order[t] < order[b] and words[t] > words[b]:
                        unsettled += 1 - settled[b]
                        b = before[b]
                        effort -= 1
                    unsettled -= 1 - settled[after[b]]
                    self.link(work.state, t, b)
                    continue
                settled[t] = 1
            if after[t] == end:
                return t == 0
            if t == frontier:
                t = frontier = after[t]
            elif unsettled == 0 and settled[after[t]]:
                t = frontier
            else:
                t = after[t]
                if t != frontier:
                    unsettled -= 1 - settled[after[t]]
        return False

    def lay_out(self, depth: int, work: Workspace) -> None:
        """Link the items in their order. In the stack those pairs are settled with which K would do nothing."""
        order = work.tree.order
        heads = work.tree.head
        missing = work.state.marks
        for p in range(work.count):
            work.state.before[p] = p - 1
            work.state.after[p] = p + 1
            missing[p] = work.tree.arity(p)
            work.state.flags[p] = 0
        work.state.flags[work.count] = 0
        for p in range(1, depth - 1):
            linked = (heads[p] == p - 1 and missing[p] == 0) or (heads[p - 1] == p and missing[p - 1] == 0)
            turned = order[p] < order[p - 1] and work.items[p] > work.items[p - 1]
            work.state.flags[p] = not linked and not turned

    def unlink(self, state: State, p: int) -> None:
        """Take an item out of the list; what comes after it has another item below it."""
        b = state.before[p]
        q = state.after[p]
        state.after[b] = q
        state.before[q] = b
        state.flags[q] = 0

    def link(self, state: State, p: int, b: int) -> None:
        """Put an item back into the list, after b."""
        q = state.after[b]
        state.after[b] = p
        state.before[p] = b
        state.after[p] = q
        state.before[q] = p
        state.flags[q] = 0

    # Unwinding

    def budget(self, n: int) -> int:
        """Return how many steps are followed in a sentence of n words."""
        return WORK // ((n + 1) * (n + 1)) if n < 1 << 10 else 0

    def leads_on(self, system: ArcStandard, s: State, gold: Gold, work: Workspace) -> bool:
        """Return whether `step` leads on from the configuration in `work`, until K takes over or all is done."""
        nobody = s.n + 1
        for k in range(1, nobody):
            h = gold.head[k]
            if s.head[k] == NONE and 0 < h < nobody and s.head[h] != NONE:
                return False  # its head in the tree is gone
        budget = self.budget(s.n)
        while budget > 0 and not system.is_terminal(s):
            move = self.step(system, s, gold, work)
            if move == NONE:
                return False
            system.apply(s, move, 0, NONE)
            s.watch.report(32 * s.n)
            if self.is_open(s, gold, NONE, nobody, work):
                return True
            budget -= 1
        return system.is_terminal(s)

    def step(self, system: ArcStandard, s: State, gold: Gold, work: Workspace) -> int:
        """Return the next move, NONE if there is none. All arcs that are left to build must have both words."""
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
        """Return whether its arcs could be built after SWAP if words could be swapped and linked anywhere.

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
                    obstacles = self.obstacles(s, gold, i, work)
                    if obstacles != NONE and (chosen == NONE or obstacles < least):
                        chosen = i
                        least = obstacles
                        if obstacles == 0:
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
        past = 0
        if i < j:
            for p in range(i + 1, j):
                if work.items[p] < d:
                    if work.items[p] > h:
                        return NONE
                    past += 1
        else:
            for p in range(j + 1, i):
                if work.items[p] > d:
                    if work.items[p] < h or h == 0:
                        return NONE
                    past += 1
        if past > 0 and s.marks[h] > 1:
            return past + 2 * s.n
        if past > 0 and gold.head[h] <= s.n:
            return past + s.n
        return past

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
