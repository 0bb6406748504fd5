"""A model of a given size: the largest weights, and no fewer than in a smaller model."""

import random
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dodona.linear.frozen import FrozenWeights, freeze, freeze_weights
from dodona.linear.weights import Weights

Place = tuple[int, int]  # feature, action


def random_weights(actions: int, seed: int) -> Weights:
    """Most features with a weight or two; some with so many that their row is wide until it is pruned."""
    chance = random.Random(seed)
    weights = Weights(actions)
    for _ in range(1500):
        key = chance.randrange(1, 1 << 64)
        size = chance.choice([1, 1, 2, 2, 3, 4, actions // 2, actions])
        places = chance.sample(range(actions), min(size, actions))
        weights.step((key, action, chance.choice([-1, 1]) * chance.expovariate(1)) for action in places)
    weights.step([])
    return weights


def arrays_of_size(weights: Weights, size: int) -> dict[str, NDArray[Any]]:
    """In bytes, not megabytes."""
    return freeze_weights(weights, (size + 0.5) / 1e6)


def kept(weights: Weights, size: int) -> set[Place]:
    frozen = FrozenWeights(weights.actions, *arrays_of_size(weights, size).values())
    features = np.unique(weights.averages()[0])
    return {
        (int(key), action)
        for key in features
        for action, score in enumerate(frozen.scores(np.array([key], np.uint64)))
        if score
    }


def taken(weights: Weights, size: int) -> int:
    return sum(array.nbytes for array in arrays_of_size(weights, size).values())


def whole_size(weights: Weights) -> int:
    return sum(array.nbytes for array in freeze(*weights.averages(), weights.actions))


@pytest.mark.parametrize("actions", [3, 40, 300])
def test_what_is_kept_fits_and_is_the_largest_there_is(actions: int) -> None:
    weights = random_weights(actions, seed=actions)
    whole = whole_size(weights)
    magnitudes = {(int(k), int(a)): abs(float(w)) for k, a, w in zip(*weights.averages(), strict=True)}
    for size in np.linspace(100, whole, 12, dtype=int).tolist():
        assert taken(weights, size) <= size
        found = kept(weights, size)
        smallest = min((magnitudes[place] for place in found), default=np.inf)
        assert all(magnitude <= smallest for place, magnitude in magnitudes.items() if place not in found)


@pytest.mark.parametrize("actions", [3, 40, 300])
def test_much_of_the_size_is_used(actions: int) -> None:
    weights = random_weights(actions, seed=actions)
    whole = whole_size(weights)
    for size in np.linspace(whole // 10, whole, 12, dtype=int).tolist():
        assert taken(weights, size) > 0.7 * size


@pytest.mark.parametrize("actions", [3, 40, 300])
def test_where_all_fits_all_is_kept(actions: int) -> None:
    weights = random_weights(actions, seed=actions)
    whole = freeze(*weights.averages(), actions)
    for found, expected in zip(arrays_of_size(weights, whole_size(weights)).values(), whole, strict=True):
        assert np.array_equal(found, expected)


def test_where_nothing_fits_nothing_is_kept() -> None:
    weights = random_weights(40, seed=1)
    arrays = arrays_of_size(weights, 8)
    assert len(arrays["fingerprints"]) == len(arrays["rows"]) == len(arrays["wide"]) == 0
    assert FrozenWeights(40, *arrays.values()).scores(np.array([1], np.uint64)) == [0] * 40


@pytest.mark.parametrize("actions", [3, 40, 300])
def test_a_larger_size_never_drops_what_a_smaller_one_kept(actions: int) -> None:
    """Sizes that are a tenth of the whole model apart."""
    weights = random_weights(actions, seed=actions)
    grows(weights, np.linspace(100, 1.02 * whole_size(weights), 11, dtype=int).tolist())


def grows(weights: Weights, sizes: Iterable[int]) -> None:
    before: set[Place] = set()
    for size in sizes:
        found = kept(weights, size)
        assert found >= before, size
        before = found
