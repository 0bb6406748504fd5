"""Lifting makes any tree projective and leaves projective ones alone."""

import random

import pytest
from reference.lifting import arc_is_projective, lifted

from dodona import TreeError
from dodona.data import make_projective
from dodona.data.trees import lift, nonprojective_dependents
from dodona.research.verification import Tree, all_trees, is_projective


@pytest.mark.parametrize("n", range(6))
def test_every_tree_is_lifted_as_defined(n: int) -> None:
    for tree in all_trees(n):
        assert lift(tree) == lifted(tree)
        assert is_projective(tuple(make_projective(tree)))
        if is_projective(tree):
            assert make_projective(tree) == list(tree)


def random_tree(n: int, seed: int) -> Tree:
    """Words in random order, each hanging on an earlier one: nearly every arc is non-projective."""
    chance = random.Random(seed)
    order = chance.sample(range(1, n + 1), n)
    heads = [0] * n
    for i, d in enumerate(order[1:], start=1):
        heads[d - 1] = chance.choice(order[:i])
    return tuple(heads)


@pytest.mark.parametrize("seed", range(20))
def test_longer_trees_too(seed: int) -> None:
    tree = random_tree(30, seed)
    assert lift(tree) == lifted(tree)


def test_a_thousand_words_without_order() -> None:
    tree = random_tree(1000, seed=1)
    assert nonprojective_dependents(tree)
    assert not nonprojective_dependents(make_projective(tree))


def test_nonprojective_arcs_are_those_of_the_definition() -> None:
    for tree in all_trees(5):
        crossing = [d for d in range(1, 6) if not arc_is_projective(tree, d)]
        assert nonprojective_dependents(tree) == crossing


def test_one_lift_is_enough_here() -> None:
    assert make_projective([2, 4, 4, 0, 7, 7, 2, 4]) == [2, 4, 4, 0, 7, 7, 4, 4]


@pytest.mark.parametrize(("heads", "message"), [([2, 1], "cycle"), ([3, 0], "word 1 has head 3"), ([1], "not itself")])
def test_what_is_no_tree_is_an_error(heads: list[int], message: str) -> None:
    with pytest.raises(TreeError, match=message):
        make_projective(heads)
