"""Swap-standard with given arcs in sentences that are too long for a search: no dead ends, whatever is preferred."""

import random
from collections.abc import Iterator

import pytest

from dodona.systems.swap_standard import SwapStandard
from dodona.transitions import derivations
from dodona.transitions.gold import Gold
from dodona.transitions.moves import LEFT, NONE, RIGHT, SHIFT, SWAP
from dodona.transitions.policy import Policy
from dodona.transitions.state import State

EAGER = {SHIFT: 1, SWAP: 1, LEFT: 9, RIGHT: 9}
LATE = {SHIFT: 9, SWAP: 1, LEFT: 2, RIGHT: 2}
RESTLESS = {SHIFT: 3, SWAP: 9, LEFT: 1, RIGHT: 1}


def random_part(n: int, share: float, chance: random.Random) -> list[int]:
    """A part of a random tree with one root: each word hangs on one before it, in a random order of words."""
    order = chance.sample(range(1, n + 1), n)
    heads = {d: chance.choice(order[:i]) if i > 0 else 0 for i, d in enumerate(order)}
    return [heads[d] if chance.random() < share else NONE for d in range(1, n + 1)]


def costs_on_the_way(
    system: SwapStandard, policy: Policy, part: list[int], weights: dict[int, int], chance: random.Random
) -> Iterator[tuple[State, Gold, list[int]]]:
    """Take random actions of no cost to the end; the arcs must be there then."""
    gold = derivations.gold_tree(part, [NONE] * len(part))
    s = derivations.start(system, len(part))
    moves = [move for move, _ in derivations.actions(system)]
    while not system.is_terminal(s):
        costs = policy.list_costs(s, gold)
        yield s, gold, costs
        free = [moves[a] for a, cost in enumerate(costs) if cost == 0]
        assert free, part
        move = chance.choices(free, [weights[move] for move in free])[0]
        system.apply(s, move, 0, 0)
    assert all(h in (NONE, s.head[d]) for d, h in enumerate(part, start=1))


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("weights", [EAGER, LATE, RESTLESS])
def test_there_is_always_a_way_on(single_root: bool, weights: dict[int, int]) -> None:
    system = SwapStandard(1, single_root)
    policy = Policy(system, "constraints")
    chance = random.Random(11)
    for n in [*range(6, 30, 2), 60, 100]:
        for share in (0.2, 0.6, 1.0):
            for _ in costs_on_the_way(system, policy, random_part(n, share, chance), weights, chance):
                pass


@pytest.mark.parametrize("single_root", [False, True])
def test_there_is_always_a_way_on_where_it_takes_too_long_to_look_at_all_others(single_root: bool) -> None:
    system = SwapStandard(1, single_root)
    chance = random.Random(12)
    for _ in costs_on_the_way(system, Policy(system, "constraints"), random_part(260, 0.6, chance), LATE, chance):
        pass


@pytest.mark.parametrize("single_root", [False, True])
def test_costs_do_not_depend_on_what_was_asked_before(single_root: bool) -> None:
    """The same with a new workspace, and after a question about other arcs."""
    system = SwapStandard(1, single_root)
    policy = Policy(system, "constraints")
    chance = random.Random(13)
    for n in (8, 12, 40):
        for _ in range(4):
            other = derivations.gold_tree(random_part(n, 0.9, chance), [NONE] * n)
            for s, gold, costs in costs_on_the_way(system, policy, random_part(n, 0.7, chance), LATE, chance):
                assert Policy(system, "constraints").list_costs(s, gold) == costs
                assert policy.list_costs(s, other) == Policy(system, "constraints").list_costs(s, other)
                assert policy.list_costs(s, gold) == costs


def test_words_that_no_given_arc_needs_help() -> None:
    """With 0 → 1 and 0 → 3 given, 2 is loose: on top of the stack it can be swapped with 1, and 3 be attached."""
    system = SwapStandard(1)
    s = derivations.start(system, 3)
    for move in (SHIFT, SHIFT, SHIFT, SWAP, SWAP, SHIFT):
        system.apply(s, move, 0, 0)
    assert [s.stack[i] for i in range(s.depth)] == [0, 3, 1]
    costs = Policy(system, "constraints").list_costs(s, derivations.gold_tree([0, NONE, 0], [NONE] * 3))
    assert [move for (move, _), cost in zip(derivations.actions(system), costs, strict=True) if cost == 0] == [SHIFT]
