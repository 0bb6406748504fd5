"""MINIMAL (Björkelund and Nivre 2015): the derivation of a tree with the fewest swaps, found by search."""

from array import array

from dodona.systems.swap_standard import SwapStandard
from dodona.transitions.gold import Gold
from dodona.transitions.moves import NONE, SHIFT, SWAP
from dodona.transitions.state import State

FORK, DEAD = -2, -3

SLOTS = 1 << 14  # slots of the table of visited configurations


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
