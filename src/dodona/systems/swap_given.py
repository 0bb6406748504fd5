"""Given arcs in swap-standard: does one continuation, K, build all of them from a configuration?

A word is *needed* as long as a given arc from or to it is still to be built, and *complete* when it has all its given
dependents. A word that is not needed is *loose*: wherever it is s0 or s1, it can be attached to the other. So it stands
in nobody's way. The needed words on the stack and in the buffer are the *items*, one list in this order.

K adds a given arc as soon as it can, else it swaps towards the inorder of the items' trees, else it shifts. Pairs that
were swapped before stay as they are. What stands deep in the stack K may not reach again. But a loose word that is
larger than the words below it can be swapped down past them first. This puts them back into the buffer, in their order,
and K starts from there.

Where K fails, other words may still help: see `swap_unwinding`.
"""

from dodona.transitions.gold import Gold
from dodona.transitions.moves import LEFT, NONE, RIGHT, SHIFT, SWAP
from dodona.transitions.state import State
from dodona.transitions.workspace import Workspace

EFFORT = 1 << 12  # steps that K is followed after a transition, and 4 more a word: to the end up to sixty words
UNLIMITED = (1 << 31) - 1


class GivenArcs:
    """The rule K; immutable, so threads may share it."""

    def __init__(self, single_root: bool) -> None:
        self.single_root = single_root

    def is_open(self, s: State, gold: Gold, move: int, removed: int, work: Workspace) -> bool:
        """Return whether K builds all given arcs after the move, at once or when a loose word was swapped down first.

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
        """Set up the trees of the given arcs between the items; their roots hang on ROOT, item 0.

        Returns False if a given head is not among the items.
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
        """Remember that K builds the given arcs from the configuration in `work`, where `copy_from` forgets it."""
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
        """Return the first move of K if it builds all given arcs between the items from here, else NONE."""
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
        """Return whether K builds the given arcs between the items, of which `depth` are on the stack.

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
