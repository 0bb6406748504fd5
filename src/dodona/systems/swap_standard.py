"""SwapStandard (Nivre 2009): arc-standard that reorders the words, with the oracles of Björkelund and Nivre (2015).

    SHIFT    (σ, b|β, A)      ⇒  (σ|b, β, A)
    LEFT:l   (σ|s1|s0, β, A)  ⇒  (σ|s0, β, A ∪ {s0 →l s1})      s1 ≠ ROOT
    RIGHT:l  (σ|s1|s0, β, A)  ⇒  (σ|s1, β, A ∪ {s1 →l s0})
    SWAP     (σ|s1|s0, β, A)  ⇒  (σ|s0, s1|β, A)                0 < s1 < s0 in the sentence

Start ([ROOT], [1..n]), end ([ROOT], []). SWAP's precondition ensures termination. Any tree can be built once its
words are in projective order; every oracle here swaps two words only towards that order.

    eager    arcs first, then SWAP as soon as the order allows it (Nivre 2009)
    lazy     SWAP waits while s0 and b0 are in the same maximal projective component (Nivre et al. 2009; E8)
    minimal  as few swaps as possible, by search
    nd-sw    arcs first; then SWAP, and SHIFT too wherever the tree stays reachable
    nd-all   all moves that keep the tree reachable, swapping towards that order only
"""

from array import array

from dodona.systems.arc_standard import RULES as ARC_STANDARD_RULES
from dodona.systems.arc_standard import ArcStandard
from dodona.systems.swap_constraints import SwapConstraints
from dodona.transitions.gold import Gold
from dodona.transitions.moves import BUFFER, LEFT, NONE, RIGHT, SHIFT, SWAP
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem, Workspace

RULES = ARC_STANDARD_RULES | {"SWAP": "needs two words on the stack that stand in sentence order (0 < s1 < s0)"}
FORK, DEAD = -2, -3  # in the search of MINIMAL: both SHIFT and SWAP are possible, and no move is
SLOTS = 1 << 14  # slots of its table of visited configurations


class SwapStandard(ArcStandard):
    def __init__(self, labels: int, single_root: bool = False) -> None:
        TransitionSystem.__init__(self, labels, single_root, (SHIFT, SWAP), (LEFT, RIGHT))
        self.constraints = SwapConstraints(single_root)

    def start(self, s: State, n: int) -> None:
        ArcStandard.start(self, s, n)
        s.shift()

    def legal(self, s: State, move: int, site: int) -> bool:
        if move == SWAP:
            return s.depth > 2 and s.s1() < s.s0()
        return ArcStandard.legal(self, s, move, site)

    def apply(self, s: State, move: int, site: int, label: int) -> None:
        if move == SWAP:
            s0 = s.s0()
            s1 = s.s1()
            s.depth -= 1
            s.stack[s.depth - 1] = s0
            s.front -= 1
            s.queue[s.front] = s1
            s.place[s1] = BUFFER
        else:
            ArcStandard.apply(self, s, move, site, label)

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
        """Return LEFT or RIGHT if it adds a gold arc to a word that has all its dependents, else NONE."""
        move = ArcStandard.canonical(self, s, gold, 0)
        return NONE if move == SHIFT else move

    def can_swap(self, s: State, gold: Gold) -> bool:
        """Return whether s0 comes before s1 in projective order."""
        return s.depth > 2 and gold.order[s.s0()] < gold.order[s.s1()]

    def can_finish(self, s: State, gold: Gold) -> bool:
        """Follow the eager oracle to the end; returns whether it builds the gold tree."""
        while not self.is_terminal(s):
            s.steps += 1
            s.watch.report(16)
            move = self.can_link(s, gold)
            if move == NONE:
                if self.can_swap(s, gold):
                    if s.s0() < s.s1():
                        return False  # they were swapped before
                    move = SWAP
                elif s.front < s.end:
                    move = SHIFT
                else:
                    return False
            self.apply(s, move, 0, NONE)
        return True

    def can_shift(self, s: State, gold: Gold, work: State) -> bool:
        """Algorithm 2: return whether the tree is still reachable after SHIFT."""
        if s.front == s.end:
            return False
        work.watch.report(32 * s.n)
        work.copy_from(s)
        work.shift()
        return self.can_finish(work, gold)

    def correct_moves(self, s: State, gold: Gold, work: Workspace, links_too: bool) -> int:
        """Return the moves that keep the gold tree reachable, as a set of bits: ND-ALL, or ND-SW without the choice
        between an arc and SHIFT (`links_too` false). Only called where the tree is reachable."""
        move = self.can_link(s, gold)
        if move == NONE and self.can_swap(s, gold):
            move = SWAP
        if move == NONE:
            return 1 << SHIFT
        if (move == SWAP or links_too) and self.can_shift(s, gold, work.state):
            return 1 << move | 1 << SHIFT
        return 1 << move

    def cost(self, s: State, gold: Gold, move: int, site: int) -> int:
        """No exact cost is known; see `correct_moves` and `penalties`."""
        return self.unknown_cost()

    def penalties(self, s: State, gold: Gold, site: int, carried: int, work: Workspace, out: memoryview) -> None:
        """Write 0 for the actions after which all arcs of a partial tree are known to stay reachable, else more."""
        self.constraints.penalties(self, s, gold, site, carried, work, out)

    def penalty(self, s: State, gold: Gold, move: int, site: int, work: Workspace) -> int:
        """Return 0 if all arcs of a partial tree are known to stay reachable after the move, else 1."""
        return self.constraints.penalty(self, s, gold, move, site, work)

    def find_components(self, gold: Gold, work: State) -> None:
        """Compute the maximal projective components: the subtrees that arc-standard builds without SWAP."""
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

    def prepare(self, gold: Gold, lazy: bool) -> None:
        """Make `canonical` LAZY on this gold tree, or EAGER, the default: every word is its own component."""
        if lazy:
            self.find_components(gold, State(gold.n))
        else:
            for k in range(gold.n + 1):
                gold.component[k] = k

    def is_unique(self, gold: Gold) -> bool:
        """Return whether the tree has a unique derivation under ND-ALL."""
        s = State(gold.n)
        work = Workspace(gold.n)
        self.start(s, gold.n)
        while not self.is_terminal(s):
            moves = self.correct_moves(s, gold, work, True)
            if moves & (moves - 1):
                return False
            self.apply(s, self.canonical(s, gold, 0), 0, NONE)
        return True

    def reaches(self, s: State, gold: Gold, work: Workspace) -> bool:
        """Return whether every arc so far is gold, and the eager oracle reaches the gold tree."""
        for k in range(1, gold.n + 1):
            if s.head[k] != NONE and (s.head[k] != gold.head[k] or gold.wrong_label(s.head[k], k, s.label[k])):
                return False
        work.state.copy_from(s)
        return self.can_finish(work.state, gold)


def plan(system: SwapStandard, gold: Gold, oracle: str, budget: int) -> list[int] | None:
    """Prepare a gold tree for one of the static oracles: EAGER, LAZY or MINIMAL.

    Returns the moves for MINIMAL, unless `budget` transitions are not enough. In this case, and for the other oracles,
    returns None, and `canonical` computes the moves one by one.
    """
    moves = fewest_swaps(system, gold, budget) if oracle == "minimal" else None
    system.prepare(gold, oracle != "eager")
    return moves


def fewest_swaps(system: SwapStandard, gold: Gold, budget: int) -> list[int] | None:
    """Return the moves of a derivation with the fewest swaps, or None if `budget` transitions were not enough."""
    s = State(gold.n)
    work = State(gold.n)
    system.find_components(gold, work)
    moves = array("i")
    system.start(s, gold.n)
    while not system.is_terminal(s):
        move = system.canonical(s, gold, 0)
        system.apply(s, move, 0, NONE)
        moves.append(move)
    if SWAP not in moves:
        return list(moves)
    trail = array("i", moves)
    seen = array("i", bytes(4 * 3 * SLOTS))
    length = minimize(system, s, gold, work, memoryview(moves), memoryview(trail), memoryview(seen), budget)
    return None if length == NONE else list(moves[:length])


def minimize(
    system: SwapStandard,
    s: State,
    gold: Gold,
    work: State,
    best: memoryview,
    trail: memoryview,
    seen: memoryview,
    budget: int,
) -> int:
    """MINIMAL: shorten the derivation in `best` to the fewest swaps, by depth-first search with bounded memory.

    The search assumes that taking a possible arc at once never needs an additional swap (see docs/proofs.md).
    So the only choice is between SHIFT and SWAP. SHIFT is tried first, and FORK in the trail marks that SWAP has
    not been tried yet. Backtracking replays the trail up to there. Returns the length, or NONE if the budget of
    transitions is exhausted.
    """
    length = len(best)
    least = (length - 2 * gold.n) // 2
    swaps = t = 0
    system.start(s, gold.n)
    while budget > 0:
        move = DEAD
        if system.is_terminal(s):
            least = swaps
            length = t
            for i in range(t):
                best[i] = SHIFT if trail[i] == FORK else trail[i]
        else:
            move = explore(system, s, gold, work, swaps + 1 < least)
            budget -= work.steps
            work.steps = 0
            if move == FORK and was_here(s, seen, swaps):
                move = DEAD
        if move == DEAD:
            while t > 0 and not (trail[t - 1] == FORK and swaps + 1 < least):
                t -= 1
                swaps -= trail[t] == SWAP
            if t == 0:
                return length
            t -= 1
            move = SWAP
            system.start(s, gold.n)
            for i in range(t):
                system.apply(s, SHIFT if trail[i] == FORK else trail[i], 0, NONE)
            budget -= t
            s.watch.report(16 * t)
        system.apply(s, SHIFT if move == FORK else move, 0, NONE)
        trail[t] = move
        t += 1
        swaps += move == SWAP
        budget -= 1
    return NONE


def was_here(s: State, seen: memoryview, swaps: int) -> bool:
    """Return whether this order of stack and buffer was reached before with no more swaps; stores it if not.

    `seen` is a hash table of fixed size: two 31-bit hashes and the swaps per slot; a new entry replaces the
    old one, which costs only time.
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


def explore(system: SwapStandard, s: State, gold: Gold, work: State, may_swap: bool) -> int:
    """Return the only possible move, FORK if both SHIFT and SWAP are possible, or DEAD if none is."""
    move = system.can_link(s, gold)
    if move != NONE:
        return move
    if not system.can_swap(s, gold):
        return SHIFT
    if system.can_shift(s, gold, work):
        return FORK if may_swap else SHIFT
    return SWAP if may_swap else DEAD
