"""What a policy says is right, against what the system says of moves, costs and preferences."""

import random
from collections.abc import Iterator

import pytest

from dodona.research.verification import Tree, all_trees, projective_trees
from dodona.systems.registry import SYSTEMS, build
from dodona.transitions import derivations
from dodona.transitions.gold import Gold
from dodona.transitions.moves import NONE, REDUCE, SHIFT
from dodona.transitions.policy import Policy, leaves_a_choice
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem

LABELS = ("a", "b", "root")
N = 4
DYNAMIC = [
    (name, options)
    for name, entry in SYSTEMS.items()
    if "dynamic" in entry.oracles
    for options in ([{"reduce_label": "predicted"}, {"reduce_label": "remembered"}] if name == "nonmonotonic" else [{}])
]
SWAP = build("swap-standard", LABELS, {}).core


def trees(name: str, chance: random.Random, count: int) -> list[Tree]:
    return chance.sample(projective_trees(N) if SYSTEMS[name].projective else all_trees(N), count)


def labelled(tree: Tree, chance: random.Random) -> Gold:
    """Words on ROOT have the root label: some systems can give them no other."""
    return derivations.gold_tree(list(tree), [LABELS.index("root") if h == 0 else chance.randrange(2) for h in tree])


def walk(system: TransitionSystem, chance: random.Random) -> Iterator[tuple[State, int]]:
    """The configurations of a random derivation, each with one of its sites."""
    s = derivations.start(system, N)
    while not system.is_terminal(s):
        yield s, chance.choice(derivations.sites(system, s))
        options = [(m, site) for site in derivations.sites(system, s) for m in derivations.legal_moves(system, s, site)]
        system.apply(s, *chance.choice(options), chance.randrange(len(LABELS)))


def expected(system: TransitionSystem, s: State, gold: Gold, moves: list[int], site: int = 0) -> list[int]:
    """0 for these moves, with the gold label if they add a gold arc that has one; 1 for all else that is legal."""
    legal = derivations.legal_moves(system, s, site)
    found = []
    for move, label in derivations.actions(system):
        if move not in legal:
            found.append(NONE)
            continue
        d = system.dependent_of(s, move, site)
        after = derivations.copy(s)
        system.apply(after, move, site, label)
        is_gold_arc = d <= N and label != NONE and after.head[d] == gold.head[d] and gold.label[d] != NONE
        found.append(0 if move in moves and not (is_gold_arc and label != gold.label[d]) else 1)
    return found


def preferred(system: TransitionSystem, s: State, gold: Gold, costs: list[int]) -> list[int]:
    """Section 6 of Honnibal, Goldberg and Johnson (2013): of what costs nothing, what is preferred, if anything is."""
    free = [a for a, cost in enumerate(costs) if cost == 0]
    better = [a for a in free if system.prefers(s, gold, *derivations.actions(system)[a])]
    return [1 if a in free and better and a not in better else cost for a, cost in enumerate(costs)]


@pytest.mark.parametrize("oracle", ["nondeterministic", "dynamic"])
@pytest.mark.parametrize(("name", "options"), DYNAMIC)
def test_costs_are_the_systems_costs_but_for_what_it_prefers(name: str, options: dict[str, str], oracle: str) -> None:
    system = build(name, LABELS, options).core
    policy = Policy(system, oracle)
    chance = random.Random(1)
    narrowed = empty = 0
    for tree in trees(name, chance, 12):
        gold = labelled(tree, chance)
        for _ in range(12):
            for s, site in walk(system, chance):
                carried = chance.randrange(len(LABELS)) if options.get("reduce_label") == "remembered" else NONE
                costs = derivations.costs(system, s, gold, site, carried)
                wanted = preferred(system, s, gold, costs) if name == "nonmonotonic" else costs
                assert policy.list_costs(s, gold, site, carried=carried) == wanted
                narrowed += wanted != costs
                empty += 0 in costs and not any(
                    cost == 0 and system.prefers(s, gold, *derivations.actions(system)[a])
                    for a, cost in enumerate(costs)
                )
    if name == "nonmonotonic":
        assert narrowed > 0
        assert empty > 0


@pytest.mark.parametrize("name", list(SYSTEMS))
def test_static_is_one_move_planned_or_canonical(name: str) -> None:
    system = build(name, LABELS, {}).core
    oracle = "eager" if name == "swap-standard" else "static"
    policy = Policy(system, oracle)
    chance = random.Random(2)
    for tree in trees(name, chance, 12):
        gold = labelled(tree, chance)
        s = derivations.start(system, N)
        for move, site, label in derivations.canonical_derivation(system, gold, None):
            assert policy.list_costs(s, gold, site) == expected(system, s, gold, [move], site)
            for planned in derivations.legal_moves(system, s, site):
                assert policy.list_costs(s, gold, site, planned) == expected(system, s, gold, [planned], site)
            system.apply(s, move, site, label)


@pytest.mark.parametrize("oracle", ["nd-sw", "nd-all"])
def test_sets_are_the_correct_moves_of_that_oracle(oracle: str) -> None:
    policy = Policy(SWAP, oracle, longest=N)
    chance = random.Random(3)
    choices = 0
    for tree in all_trees(N):
        gold = labelled(tree, chance)
        s = derivations.start(SWAP, N)
        while not SWAP.is_terminal(s):
            moves = derivations.correct_moves(SWAP, s, gold, oracle == "nd-all")
            assert policy.list_costs(s, gold) == expected(SWAP, s, gold, moves)
            choices += len(moves) > 1
            move = chance.choice(moves)
            SWAP.apply(s, move, 0, gold.label[SWAP.dependent_of(s, move, 0)])
    assert choices > 0


@pytest.mark.parametrize("oracle", ["nd-sw", "nd-all"])
def test_of_a_part_of_a_tree_everything_that_keeps_it_is_right(oracle: str) -> None:
    policy, given = Policy(SWAP, oracle, longest=N), Policy(SWAP, "constraints")
    chance = random.Random(4)
    for tree in chance.sample(all_trees(N), 40):
        part = [h if chance.random() < 0.5 else NONE for h in tree]
        part[chance.randrange(N)] = NONE
        gold = derivations.gold_tree(part, [NONE] * N)
        s = derivations.start(SWAP, N)
        while not SWAP.is_terminal(s):
            numbers = given.list_costs(s, gold)
            assert 0 in numbers
            assert policy.list_costs(s, gold) == numbers
            SWAP.apply(s, *chosen(numbers, chance))
        assert all(h in (NONE, s.head[d]) for d, h in enumerate(part, start=1))


def chosen(numbers: list[int], chance: random.Random) -> tuple[int, int, int]:
    """Move, site and label of an action that costs nothing."""
    move, label = derivations.actions(SWAP)[chance.choice([a for a, number in enumerate(numbers) if number == 0])]
    return move, 0, label


@pytest.mark.parametrize("name", list(SYSTEMS))
def test_labels_are_forbidden_for_the_words_with_a_given_head_alone(name: str) -> None:
    system = build(name, LABELS, {}).core
    forbidden = [LABELS.index("a"), LABELS.index("root")]
    strict, free = Policy(system, "constraints", forbidden=forbidden), Policy(system, "constraints")
    chance = random.Random(5)
    raised = 0
    for tree in trees(name, chance, 10):
        gold = derivations.gold_tree([h if chance.random() < 0.5 else NONE for h in tree], [NONE] * N)
        for s, site in walk(system, chance):
            base = free.list_costs(s, gold, site)
            wanted = list(base)
            for a, (move, label) in enumerate(derivations.actions(system)):
                known = gold.head[system.dependent_of(s, move, site)] <= N
                if base[a] != NONE and move not in (SHIFT, REDUCE) and label in forbidden and known:
                    wanted[a] += 1
                    raised += 1
            assert strict.list_costs(s, gold, site) == wanted
    assert raised > 0


def test_only_static_oracles_leave_no_choice() -> None:
    oracles = {oracle for entry in SYSTEMS.values() for oracle in entry.training_oracles}
    assert {oracle for oracle in oracles if not leaves_a_choice(oracle)} == {"static", "eager", "lazy", "minimal"}
