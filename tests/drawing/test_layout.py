"""Layouts: nothing overlaps, every edge passes every row once, and few lines cross."""

import random
from itertools import combinations, pairwise

import pytest

from dodona.drawing.graph import NEIGHBOUR_GAP, GraphLayout, fit_ascending, lay_out


def random_layout(seed: int) -> GraphLayout:
    chance = random.Random(seed)
    layers = [0, *sorted(chance.randrange(1, 7) for _ in range(8))]
    widths = [chance.uniform(20, 200) for _ in layers]
    edges = []
    for target in range(1, len(layers)):
        above = [i for i in range(target) if layers[i] < layers[target]]
        edges += [(chance.choice(above), target, chance.uniform(10, 80)) for _ in range(chance.choice([1, 1, 2]))]
    return lay_out(layers, widths, edges)


@pytest.mark.parametrize("seed", range(8))
def test_no_two_places_of_a_row_overlap(seed: int) -> None:
    layout = random_layout(seed)
    for row in layout.rows:
        for one, other in pairwise(row):
            assert other.x - one.x >= (one.width + other.width) / 2 + NEIGHBOUR_GAP - 1e-6
        for place in row:
            assert place.x - place.width / 2 >= -1e-6
            assert place.x + place.width / 2 <= layout.width + 1e-6


@pytest.mark.parametrize("seed", range(8))
def test_edges_pass_every_row_once_and_have_their_label_below_the_source(seed: int) -> None:
    layout = random_layout(seed)
    for chain in layout.chains:
        assert [place.row for place in chain] == list(range(chain[0].row, chain[-1].row + 1))
        assert chain[0] in layout.nodes
        assert chain[-1] in layout.nodes
        assert all(any(place is other for other in layout.rows[place.row]) for place in chain)
        assert all(place.width == 0 for place in chain[2:-1])


def crossings(layout: GraphLayout) -> int:
    """Pairs of lines between two rows that are in one order above and in the other below."""
    count = 0
    for row in layout.rows:
        lines = [(place.x, other.x) for place in row for other in place.below]
        count += sum((a - c) * (b - d) < 0 for (a, b), (c, d) in combinations(lines, 2))
    return count


def test_a_tree_and_two_twisted_strands_need_no_crossing() -> None:
    layers = [0, 1, 1, 2, 2, 2, 2]
    assert (
        crossings(lay_out(layers, [50.0] * 7, [(0, 2, 9), (0, 1, 9), (1, 6, 9), (2, 3, 9), (1, 4, 9), (2, 5, 9)])) == 0
    )
    assert (
        crossings(
            lay_out([0, 1, 1, 2, 2, 3], [50.0] * 6, [(0, 1, 9), (0, 2, 9), (1, 4, 9), (2, 3, 9), (3, 5, 9), (4, 5, 9)])
        )
        == 0
    )


def test_sorting_takes_crossings_away() -> None:
    """The order in which nodes are given is the first order; what is found must be better on average."""
    unsorted = sum(_crossings_as_given(seed) for seed in range(8))
    assert sum(crossings(random_layout(seed)) for seed in range(8)) < 0.6 * unsorted


def _crossings_as_given(seed: int) -> int:
    layout = random_layout(seed)
    places = [*layout.nodes, *(place for chain in layout.chains for place in chain[1:-1])]
    number = {id(place): i for i, place in enumerate(places)}
    for row in layout.rows:
        for place in row:
            place.x = number[id(place)]
    return crossings(layout)


def test_a_single_line_is_straight() -> None:
    layout = lay_out([0, 1, 4], [30.0, 80.0, 10.0], [(0, 1, 20.0), (1, 2, 40.0)])
    assert len({round(place.x, 6) for row in layout.rows for place in row}) == 1
    assert layout.width == 80


@pytest.mark.parametrize("seed", range(30))
def test_the_nearest_non_decreasing_numbers(seed: int) -> None:
    """The formula of isotonic regression: the greatest, over beginnings, of the least means over ends."""
    chance = random.Random(seed)
    n = chance.randrange(1, 9)
    values = [float(chance.randrange(-5, 6)) for _ in range(n)]
    weights = [float(chance.randrange(1, 4)) for _ in range(n)]

    def mean(begin: int, end: int) -> float:
        pairs = list(zip(values, weights, strict=True))[begin:end]
        return sum(v * w for v, w in pairs) / sum(w for _, w in pairs)

    expected = [max(min(mean(j, k + 1) for k in range(i, n)) for j in range(i + 1)) for i in range(n)]
    assert fit_ascending(values, weights) == pytest.approx(expected)


def test_the_same_graph_gives_the_same_layout() -> None:
    assert [place.x for place in random_layout(3).nodes] == [place.x for place in random_layout(3).nodes]


def test_edges_lead_downwards() -> None:
    with pytest.raises(ValueError, match="expected one downwards"):
        lay_out([0, 0], [1.0, 1.0], [(0, 1, 1.0)])
    assert lay_out([], [], []).width == 0
