"""What the gold tree knows, against the definitions."""

from itertools import product

import pytest

from dodona.research.verification import all_trees, is_projective
from dodona.transitions.derivations import gold_tree


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
def test_trees_are_told_from_other_graphs(n: int) -> None:
    trees = set(all_trees(n))
    for heads in product(range(n + 1), repeat=n):
        assert gold_tree(list(heads), [0] * n).is_tree == (heads in trees)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_projectivity(n: int) -> None:
    for heads in all_trees(n):
        assert gold_tree(list(heads), [0] * n).is_projective == is_projective(heads)


def test_number_of_projective_trees() -> None:
    """1, 3, 12, 55, 273: the number of non-crossing trees rooted at the left."""
    assert [sum(map(is_projective, all_trees(n))) for n in range(1, 6)] == [1, 3, 12, 55, 273]


def test_projective_order() -> None:
    gold = gold_tree([2, 0, 6, 5, 2, 5], [0] * 6)
    assert sorted(range(7), key=lambda k: gold.order[k]) == [0, 1, 2, 4, 5, 3, 6]
