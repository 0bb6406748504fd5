"""Lifting makes any tree projective and leaves projective ones alone."""

from systems.search import all_trees, is_projective

from dodona.data import projectivized


def test_every_tree_becomes_projective() -> None:
    for tree in all_trees(5):
        lifted = tuple(projectivized(tree))
        assert is_projective(lifted)
        if is_projective(tree):
            assert lifted == tree


def test_one_lift_is_enough_here() -> None:
    assert projectivized([2, 4, 4, 0, 7, 7, 2, 4]) == [2, 4, 4, 0, 7, 7, 4, 4]
