"""Gold trees of which a part is not known."""

from itertools import product

import pytest

from dodona.transitions.derivations import gold_tree
from dodona.transitions.moves import NONE


def has_cycle(heads: tuple[int, ...]) -> bool:
    for k in range(1, len(heads) + 1):
        for _ in heads:
            k = heads[k - 1] if k > 0 else k
        if k > 0:
            return True
    return False


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
def test_a_tree_has_no_cycle_and_knows_every_head(n: int) -> None:
    for heads in product(range(NONE, n + 1), repeat=n):
        gold = gold_tree(list(heads), [NONE] * n)
        assert gold.is_tree == (not has_cycle(heads) and NONE not in heads), heads


def test_dependents_are_counted_from_a_word_on() -> None:
    for heads in product(range(NONE, 5), repeat=4):
        gold = gold_tree(list(heads), [NONE] * 4)
        for h in range(5):
            dependents = [d for d in range(1, 5) if heads[d - 1] == h]
            assert (gold.arity(h), gold.leftmost(h)) == (len(dependents), min(dependents, default=5))
            for k in range(6):
                assert gold.dependents_from(h, k) == sum(d >= k for d in dependents), (heads, h, k)
