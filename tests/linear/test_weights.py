"""Weights during training against a dictionary: sums, rows that grow from sparse to dense, averages over all steps."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.compare import check_same
from reference.perceptron import AveragedWeights, single

from dodona.linear.weights import Weights

Change = tuple[int, int, float]  # feature, action, amount


def train_both(actions: int, steps: list[list[Change]]) -> tuple[Weights, AveragedWeights]:
    compiled, naive = Weights(actions), AveragedWeights()
    for changes in steps:
        compiled.step(changes)
        naive.step()
        for change in changes:
            naive.add(*change)
    return compiled, naive


def compare(compiled: Weights, naive: AveragedWeights) -> None:
    check_same(compiled, naive)
    features = sorted({feature for feature, _ in naive.now})
    assert compiled.features == len(features)
    together = [naive.score(features, action) for action in range(compiled.actions)]
    assert compiled.scores(np.array(features, np.uint64)) == together


def random_steps(chance: random.Random, features: int, actions: int, count: int, unit: int = 8) -> list[list[Change]]:
    """Eighths or whole numbers, so that sums are exact; some steps change nothing."""
    return [
        [
            (chance.randint(1, features), chance.randrange(actions), chance.randint(-8, 8) / unit)
            for _ in range(chance.choice((0, 1, 5)))
        ]
        for _ in range(count)
    ]


@pytest.mark.parametrize("actions", [1, 3, 8, 9, 10, 50, 200])
@pytest.mark.parametrize("features", [1, 4, 60])
@pytest.mark.parametrize("unit", [1, 8], ids=["whole", "eighths"])
def test_sums_and_averages(unit: int, features: int, actions: int) -> None:
    """Up to 8 entries a row is sparse, or a fifth of the actions; then it is dense. Freed rows are used again. Whole
    numbers are added in another order."""
    chance = random.Random(features * actions)
    compare(*train_both(actions, random_steps(chance, features, actions, 400, unit)))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.integers(1, 30),
    st.lists(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 29), st.sampled_from((-1.0, 0.5, 1.0))))),
)
def test_any_sequence(actions: int, steps: list[list[Change]]) -> None:
    kept = [[change for change in changes if change[1] < actions] for changes in steps]
    compare(*train_both(actions, kept))


def test_numbers_that_are_rounded_are_added_in_the_order_of_the_features() -> None:
    """1e8 + 1 is rounded to 1e8; the third feature is dense, and would be first where the order is free."""
    weights = Weights(40)
    weights.step([(1, 0, 1e8), (2, 0, 1.0), (3, 0, -1e8), *((3, action, 0.5) for action in range(1, 40))])
    assert weights.scores(np.array([1, 2, 3], np.uint64)) == [0.0] + [0.5] * 39
    assert weights.scores(np.array([3, 1, 2], np.uint64)) == [1.0] + [0.5] * 39


def test_more_features_than_expected() -> None:
    """The table and the pools grow, and everything is found where it was moved."""
    count, actions = 70_000, 12
    compiled = Weights(actions)
    keys = np.random.default_rng(1).permutation(np.arange(1, count + 1, dtype=np.uint64) * np.uint64(977))
    names = keys.tolist()
    compiled.step((key, i % actions, 1.0) for i, key in enumerate(names))
    compiled.step(())  # a row of 2 becomes one of 4, for every third feature
    compiled.step((key, (i + j) % actions, 2.0) for i, key in enumerate(names) if i % 3 == 0 for j in (1, 2))
    compiled.step((key, a, 4.0) for i, key in enumerate(names) if i % 30 == 0 for a in range(actions))  # dense
    assert compiled.features == count
    expected = np.zeros((count, actions))
    numbers = np.arange(count)
    expected[numbers, numbers % actions] = 1
    third = numbers[::3]
    expected[third, (third + 1) % actions] = expected[third, (third + 2) % actions] = 2
    average = (expected == 1) * 3 / 4 + (expected == 2) * 2 / 4  # for three of four steps, and for one
    expected[::30] += 4
    for i in range(0, count, 611):
        assert compiled.scores(keys[i : i + 1]) == expected[i].tolist()
    assert compiled.scores(keys[:3001]) == expected[:3001].sum(axis=0).tolist()
    found_keys, found_actions, found = compiled.averages()
    table = np.zeros((count, actions))
    table[np.argsort(keys)[np.searchsorted(np.sort(keys), found_keys)], found_actions] = found
    assert (table == average).all()


def test_averages_by_hand() -> None:
    """Five steps. One weight is raised by 1 in the second, by 2 in the fourth; the steps begin with 0 0 1 1 3.

    A weight that comes in the last step has done nothing yet; one that was taken back stays a part of the past.
    """
    weights = Weights(2)
    for changes in ([], [(7, 0, 1.0), (8, 1, 6.0)], [(8, 1, -6.0)], [(7, 0, 2.0)], [(9, 1, 5.0)]):
        weights.step(changes)
    keys, actions, values = weights.averages()
    assert keys.tolist() == [7, 8]
    assert actions.tolist() == [0, 1]
    assert values.tolist() == pytest.approx([(0 + 0 + 1 + 1 + 3) / 5, 6 / 5])
    assert weights.scores(np.array([7, 9], np.uint64)) == [3.0, 5.0]


def test_bad_changes() -> None:
    with pytest.raises(ValueError, match="feature 0"):
        Weights(2).step([(0, 0, 1.0)])
    with pytest.raises(ValueError, match="action 2"):
        Weights(2).step([(1, 2, 1.0)])


@pytest.mark.parametrize("actions", [1, 3, 9, 50])
@pytest.mark.parametrize("most", [0, 1, 7, 30, 59, 60, 100])
def test_the_smaller_features_are_forgotten(actions: int, most: int) -> None:
    """They are as if they had never been updated; the others, sparse and dense ones, go on as they were."""
    chance = random.Random(actions)
    steps = random_steps(chance, 60, actions, 600)
    compiled, naive = train_both(actions, steps)
    sizes = dict.fromkeys({feature for feature, _ in naive.now}, 0.0)
    for (feature, _), total in naive.sums.items():
        sizes[feature] = max(sizes[feature], single(abs(total) / naive.steps))
    ranked = sorted(sizes.values(), reverse=True)
    least = ranked[most] if most < len(ranked) else -1.0
    compiled.forget(most)
    for feature, action in list(naive.now):
        if sizes[feature] <= least:
            del naive.now[feature, action]
            naive.sums.pop((feature, action), None)
    assert compiled.features == sum(size > least for size in sizes.values()) <= max(most, 0)
    for changes in [[], *random_steps(chance, 60, actions, 300)]:
        compiled.step(changes)
        naive.step()
        for change in changes:
            naive.add(*change)
    compare(compiled, naive)
