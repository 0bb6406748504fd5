"""Lifting, the labels of the four encodings, and the search for heads, against their definitions."""

import random

import pytest
from data.test_projectivity import random_tree
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.lifting import arc_is_projective, encoded, lifted, lowered

from dodona.data import ENCODINGS, deprojectivize, projectivize
from dodona.data.trees import lift, nonprojective_dependents
from dodona.research.verification import all_trees


def labels_of(n: int, kinds: str, seed: int) -> list[str]:
    chance = random.Random(seed)
    return [chance.choice(kinds) for _ in range(n)]


@pytest.mark.parametrize("n", range(6))
@pytest.mark.parametrize("kinds", ["ab", "abcde"])
def test_every_small_tree(n: int, kinds: str) -> None:
    for number, tree in enumerate(all_trees(n)):
        labels = labels_of(n, kinds, number)
        for encoding in ENCODINGS:
            found = projectivize(tree, labels, encoding)
            assert found == encoded(tree, labels, encoding)
            assert deprojectivize(*found, encoding) == lowered(*found, encoding)


@pytest.mark.parametrize("n", range(6, 13))
def test_random_trees(n: int) -> None:
    """Forty of each length, nearly without order."""
    for seed in range(40):
        tree = random_tree(n, seed)
        labels = labels_of(n, "abc", seed)
        assert lift(tree) == lifted(tree)
        assert nonprojective_dependents(tree) == [d for d in range(1, n + 1) if not arc_is_projective(tree, d)]
        for encoding in ENCODINGS:
            found = projectivize(tree, labels, encoding)
            assert found == encoded(tree, labels, encoding)
            assert deprojectivize(*found, encoding) == lowered(*found, encoding)


NAMES = st.builds(
    "{}{}{}".format, st.sampled_from("ab"), st.sampled_from(["", "↑", "↑a", "↑b"]), st.sampled_from(["", "↓"])
)


@settings(deadline=None, derandomize=True, max_examples=400)
@given(st.integers(1, 12), st.integers(0, 10**6), st.data(), st.sampled_from(ENCODINGS[1:]))
def test_whatever_labels_a_parser_gives(n: int, seed: int, data: st.DataObject, encoding: str) -> None:
    tree = random_tree(n, seed)
    names = data.draw(st.lists(NAMES, min_size=n, max_size=n))
    assert deprojectivize(tree, names, encoding) == lowered(tree, names, encoding)
