"""Cycles, projectivity and bottom-up order by their definitions, for all lists of heads of up to four words."""

from itertools import product

import pytest
from reference.lifting import ancestors, arc_is_projective

from dodona import TreeError
from dodona.data.trees import check_tree, find_cycle, is_projective, order_bottom_up
from dodona.research.verification import all_trees


def cycle_from(heads: tuple[int | None, ...], d: int) -> list[int] | None:
    """The cycle that a word leads into, from the first of its words on the way; None if it leads to an end."""
    way = [d]
    while (h := heads[way[-1] - 1]) not in (0, None):
        assert h is not None
        if h in way:
            return way[way.index(h) :]
        way.append(h)
    return None


@pytest.mark.parametrize("n", range(5))
def test_cycles_in_all_lists_of_heads(n: int) -> None:
    """Words may hang on themselves, and may have no head."""
    for heads in product([None, *range(n + 1)], repeat=n):
        cycles = [(d, cycle) for d in range(1, n + 1) if (cycle := cycle_from(heads, d)) is not None]
        assert find_cycle(heads) == (cycles[0] if cycles else None)


@pytest.mark.parametrize("n", range(5))
def test_what_is_a_tree(n: int) -> None:
    trees = set(all_trees(n))
    for heads in product(range(-1, n + 2), repeat=n):
        if heads in trees:
            assert check_tree(heads) == list(heads)
        else:
            with pytest.raises(TreeError, match=r"word \d has head|contain a cycle"):
                check_tree(heads)


@pytest.mark.parametrize("n", range(6))
def test_projectivity_and_order_of_all_trees(n: int) -> None:
    for tree in all_trees(n):
        assert is_projective(tree) == all(arc_is_projective(tree, d) for d in range(1, n + 1))
        order = order_bottom_up(tree)
        assert sorted(order) == list(range(1, n + 1))
        place = {k: i for i, k in enumerate([*order, 0])}
        assert all(place[d] < place[h] for d in order for h in ancestors(tree, d))
