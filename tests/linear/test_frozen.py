"""Frozen weights: every feature is found, however crowded its group, and no other."""

import numpy as np
import pytest
from numpy.typing import NDArray

from dodona.linear.frozen import FrozenWeights, freeze

ACTIONS = 40
WEIGHT = 127  # of the largest weight, frozen


def frozen(keys: "NDArray[np.uint64]") -> FrozenWeights:
    """The n-th key has one weight, for action n % ACTIONS."""
    actions = (np.arange(len(keys)) % ACTIONS).astype(np.uint16)
    return FrozenWeights(ACTIONS, *freeze(keys, actions, np.ones(len(keys)), ACTIONS))


def expected(*numbers: int) -> list[int]:
    scores = [0] * ACTIONS
    for n in numbers:
        scores[n % ACTIONS] += WEIGHT
    return scores


def spread(count: int) -> "NDArray[np.uint64]":
    return np.sort(np.random.default_rng(1).integers(1, 1 << 63, count, dtype=np.uint64) * np.uint64(2))


def crowded(count: int) -> "NDArray[np.uint64]":
    """Two hundred in one bucket, in the midst of others or at the end of all."""
    together = (np.uint64(0x80000000) << np.uint64(32)) + np.arange(0, 400, 2, dtype=np.uint64)
    return np.sort(np.concatenate((spread(count), together, together | np.uint64(0x7FFFFFFF << 32))))


@pytest.mark.parametrize("keys", [spread(1), spread(9), spread(20_000), crowded(0), crowded(1000)], ids=len)
def test_each_feature_is_found_and_no_other(keys: "NDArray[np.uint64]") -> None:
    weights = frozen(keys)
    for n in range(0, len(keys), 1 + len(keys) // 500):
        assert weights.scores(keys[n : n + 1]) == expected(n)
        assert weights.scores(keys[n : n + 1] ^ np.uint64(1 << 20)) == expected()
    assert weights.scores(keys) == expected(*range(len(keys)))
    assert weights.scores(keys[:0]) == expected()


def test_of_features_that_look_alike_the_first_is_found() -> None:
    """Marks are half of a name, so two can be the same; more of a damaged file can."""
    keys = np.array([2, 4, 6], np.uint64)
    fingerprints, counts, rows, wide = freeze(keys, np.arange(3, dtype=np.uint16), np.ones(3), ACTIONS)
    alike = FrozenWeights(ACTIONS, np.full_like(fingerprints, fingerprints[0]), counts, rows, wide)
    assert alike.scores(keys[:1]) == expected(0)
    assert alike.scores(keys[1:]) == expected()
