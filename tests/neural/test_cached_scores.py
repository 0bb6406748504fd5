"""Cached scores of the hidden layer are its scores, bit for bit."""

import numpy as np
import pytest
from numpy.typing import NDArray

from dodona.neural.positions import Positions
from dodona.neural.scorer import Contributions, HiddenLayer
from dodona.search.beam import Beam
from dodona.search.greedy import GreedySearch
from dodona.systems.registry import SYSTEMS, build

POSITIONS = {
    "arc-eager": "stack",
    "nonmonotonic": "stack",
    "arc-hybrid": "hybrid",
    "arc-standard": "standard",
    "swap-standard": "standard",
    "covington": "covington",
    "easy-first": "easy-first",
}
LABELS = ("a", "b", "root")
UNITS = 6


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_search_finds_the_same(name: str) -> None:
    """The same array holds one sentence after the other, so nodes with the same numbers are other words."""
    chance = np.random.default_rng(3)

    def drawn(*shape: int) -> NDArray[np.float32]:
        return chance.standard_normal(shape).astype(np.float32)

    core = build(name, LABELS, {}).core
    positions = Positions.load(POSITIONS[name])
    shapes = ((len(positions.labels), len(LABELS) + 1, UNITS), (UNITS,), (UNITS, core.actions), (core.actions,))
    parts = [drawn(*shape) for shape in shapes]
    plain, cached = HiddenLayer(positions, *parts), HiddenLayer(positions, *parts, cached=True)
    assert plain.normalized
    rows = np.zeros((14, len(positions.words) * UNITS), np.float32)
    beams = [Beam(core, scorer, 6) for scorer in (plain, cached)] if SYSTEMS[name].has_beam else []
    searches = [GreedySearch(core, scorer) for scorer in (plain, cached)]
    for n in (1, 5, 5, 5, 12, 3):
        rows[:] = drawn(*rows.shape)
        sentence = Contributions(n, rows, 2, 0, 1)
        for beam in beams:
            beam.search(sentence)
        found = [beam.results(6) for beam in beams]
        assert found[:1] == found[1:]
        one, other = (search.parse(sentence) for search in searches)
        assert one == other
