"""What holds for all systems and options, proven by exhaustive search on small sentences and random on longer ones."""

import pickle
import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.variants import DYNAMIC, LABELS, VARIANTS, Variant

from dodona import Configuration, System
from dodona.research.verification import Tree, TreeAndLabels, compare_costs, explore, follow, steps
from dodona.systems.registry import SYSTEMS

every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)
every_dynamic = pytest.mark.parametrize("variant", DYNAMIC, ids=str)


@every_variant
@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
def test_all_paths_end_in_exactly_the_intended_trees(variant: Variant, n: int) -> None:
    system = variant.make()
    graph = explore(system, n)  # asserts that there is no dead end
    parses = {tuple(system.tree(graph.configurations[i])[0]) for i in graph.terminals()}
    assert parses == set(variant.trees(n))


@pytest.mark.parametrize(
    ("variant", "n"),
    [
        pytest.param(variant, n, marks=[pytest.mark.slow] * (n == 5))
        for variant in DYNAMIC
        for n in (1, 2, 3, 4, 5)
        if n < 5 or variant != ("covington", (("single_root", False),))  # ten million comparisons
    ],
    ids=str,
)
def test_cost_is_the_exhaustive_loss_difference(variant: Variant, n: int) -> None:
    trees = list(variant.trees(n))
    if n == 5 and variant.name == "covington":
        trees = trees[::6]  # millions of comparisons
    result = compare_costs(variant.make(), n, [(tree, None) for tree in trees])
    assert not result.wrong, result.wrong[:3]
    assert result.comparisons >= 1


@every_dynamic
@pytest.mark.parametrize("n", [1, 2, 3])
def test_labelled_cost_is_the_exhaustive_loss_difference(variant: Variant, n: int) -> None:
    golds: list[TreeAndLabels] = [(tree, labels) for tree in variant.trees(n) for labels in product(LABELS, repeat=n)]
    result = compare_costs(variant.make(LABELS), n, golds)
    assert not result.wrong, result.wrong[:3]
    assert result.comparisons >= 1


@every_variant
@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5])
def test_static_derivation_rebuilds_the_tree_at_no_cost(variant: Variant, n: int) -> None:
    system = variant.make()
    for tree in variant.trees(n):
        for oracle in [name for name in system.entry.oracles if name in ("static", "eager", "lazy", "minimal")]:
            c = system.initial(n)
            for transition in system.static(tree, oracle=oracle):
                if "dynamic" in system.entry.oracles:
                    assert transition in system.zero_cost(c, tree)
                else:
                    assert transition in system.correct(c, tree)
                system.apply(c, transition)
            assert system.tree(c)[0] == list(tree)


@every_variant
def test_static_derivation_carries_the_gold_labels(variant: Variant) -> None:
    system = variant.make(LABELS)
    # ROOT's arcs may be left to the end, where they get the root label whatever gold says
    tree, labels = (2, 0, 2), ["a", "root", "a"]
    c = system.initial(3)
    for transition in system.static(tree, labels):
        system.apply(c, transition)
    assert system.tree(c) == ([2, 0, 2], labels)


def random_walk(system: System, n: int, chance: random.Random) -> list[Configuration]:
    path = [system.initial(n)]
    while not system.is_terminal(path[-1]):
        path.append(follow(system, path[-1], chance.choice(list(steps(system, path[-1])))))
    return path


def least_loss(
    system: System, c: Configuration, tree: Tree, labels: list[str | None], memo: dict[tuple[object, ...], int]
) -> int:
    """By memoised search over all ways to go on."""
    key = c.key
    if key not in memo:
        if system.is_terminal(c):
            arcs = zip(c.heads, tree, c.labels, labels, strict=True)
            memo[key] = sum(h != gold_h or l != gold_l for h, gold_h, l, gold_l in arcs)
        else:
            following = (follow(system, c, step) for step in steps(system, c))
            memo[key] = min(least_loss(system, d, tree, labels, memo) for d in following)
    return memo[key]


@every_dynamic
@pytest.mark.parametrize(("inventory", "most"), [(None, 7), (LABELS, 4)], ids=["unlabelled", "labelled"])
@settings(max_examples=12, deadline=None, derandomize=True)
@given(n=st.integers(5, 8), seed=st.integers(0, 2**32), back=st.integers(1, 7))
def test_costs_of_longer_sentences_against_memoised_search(
    variant: Variant, inventory: tuple[str, ...] | None, most: int, n: int, seed: int, back: int
) -> None:
    """TreeAndLabels is a parse that a random walk found, the configuration is a few steps before the end of another."""
    system = variant.make(inventory)
    chance = random.Random(seed)
    heads, labels = system.tree(random_walk(system, n, chance)[-1])
    path = random_walk(system, n, chance)
    c = path[max(0, len(path) - 1 - min(back, most))]
    gold = system.gold(heads, [l or "root" for l in labels] if inventory else None)
    memo: dict[tuple[object, ...], int] = {}
    before = least_loss(system, c, tuple(heads), labels, memo)
    for step in steps(system, c):
        true = least_loss(system, follow(system, c, step), tuple(heads), labels, memo) - before
        assert system.costs(c, gold, remembered=step[1])[step[0]] == true, (c, heads, labels, step)


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_description_goes_to_other_processes(name: str) -> None:
    assert pickle.loads(pickle.dumps(SYSTEMS[name])) == SYSTEMS[name]
