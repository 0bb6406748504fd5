"""Frozen weights against dictionaries of rounded numbers, for few and for very many actions."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from reference.quantized import bits_of, expected_layout, layout, quantized, sound, sums

from dodona.linear.frozen import WEIGHTS, FrozenWeights, check_weights, freeze, rows_are_sound, weight_bits
from dodona.pipeline import modelfile

ACTIONS = [3, 40, 104, 256, 257, 300, 1024, 1025, 3000]
Model = list[tuple[int, int, float]]  # feature, action, weight; sorted
Arrays = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


def random_model(actions: int, seed: int) -> Model:
    """Features with few, many and all actions; most weights small, some too large for the bits of a pair."""
    chance = random.Random(seed)
    model = []
    for key in sorted({chance.randrange(1, 1 << 64) for _ in range(600)}):
        size = min(actions, chance.choice([1, 1, 2, 3, 5, 40, actions // 3, actions // 3 + 1, actions]))
        for action in sorted(chance.sample(range(actions), max(1, size if chance.random() < 0.1 else size % 7))):
            weight = chance.gauss(0, 1) * (60 if chance.random() < 0.0005 else 1)
            model.append((key, action, 0.001 * weight if chance.random() < 0.2 else weight))
    return model


def frozen(model: Model, actions: int) -> Arrays:
    keys = np.array([key for key, _, _ in model], np.uint64)
    numbers = np.array([action for _, action, _ in model], np.uint16)
    return freeze(keys, numbers, np.array([weight for _, _, weight in model], np.float64), actions)


@pytest.mark.parametrize("actions", ACTIONS)
def test_sums_are_those_of_the_rounded_weights(actions: int, tmp_path: Path) -> None:
    model = random_model(actions, seed=actions)
    arrays = frozen(model, actions)
    numbers = quantized(model, actions)
    assert 0 < len(numbers) < len(model)
    rows = layout(actions, *arrays)
    assert rows == expected_layout(numbers, actions)
    assert {is_wide for is_wide, _ in rows.values()} == {False, True}
    modelfile.save(tmp_path / "my.model", {}, dict(zip(WEIGHTS, arrays, strict=True)))
    _, loaded = modelfile.load(tmp_path / "my.model")
    known = sorted({key for key, _, _ in model})
    chance = random.Random(1)
    for weights in (FrozenWeights(actions, *arrays), check_weights("my.model", actions, loaded)):
        for _ in range(40):
            keys = chance.choices(known, k=chance.randint(0, 60)) + [chance.randrange(1, 1 << 64) for _ in range(5)]
            assert weights.scores(np.array(keys, np.uint64)) == sums(numbers, keys, actions)


@pytest.mark.parametrize("actions", [3, 70, 300])
def test_so_many_features_that_16_bits_overflow(actions: int) -> None:
    """Every row is dense and has the largest weights; a wide row, repeated, exceeds 16 bits alone."""
    chance = random.Random(actions)
    keys = sorted({chance.randrange(1, 1 << 64) for _ in range(300)})
    model = [(key, action, -1.0 if action == 1 else 1.0) for key in keys for action in range(actions)]
    model = [(key, action, 50 * weight if key == keys[0] else weight) for key, action, weight in model]
    numbers = quantized(model, actions)
    weights = FrozenWeights(actions, *frozen(model, actions))
    for asked in (keys[:255], keys[:256], keys, [keys[0]] * 260):
        assert weights.scores(np.array(asked, np.uint64)) == sums(numbers, asked, actions)


def test_rows_of_every_kind_are_summed() -> None:
    """In memory rows have up to four or eight pairs, many, or are dense (a pair for each 16 actions) or wide."""
    sizes = {
        actions if is_wide else len(row)
        for actions in (1024, 3000)
        for is_wide, row in layout(actions, *frozen(random_model(actions, seed=actions), actions)).values()
    }
    for smallest, largest in ((1, 4), (5, 8), (9, 1024 // 16), (3000 // 16 + 1, 1000), (1024, 3000)):
        assert any(smallest <= size <= largest for size in sizes)


@pytest.mark.parametrize(
    ("actions", "bits"), [(1, 8), (3, 8), (256, 8), (257, 7), (512, 7), (513, 6), (1024, 6), (1025, 16), (65_535, 16)]
)
def test_bits_of_a_weight(actions: int, bits: int) -> None:
    assert weight_bits(actions) == bits_of(actions) == bits


def test_the_scale_leaves_one_weight_in_ten_thousand_out() -> None:
    """Of 20,001 weights, two are larger than the quantile, and the third is 127."""
    weights = [1000.0, 999.0, 2.0] + [1.0] * 19_998
    chance = random.Random(3)
    keys = sorted({chance.randrange(1, 1 << 64) for _ in range(len(weights))})
    model = [(key, 0, weight) for key, weight in zip(keys, weights, strict=True)]
    found = FrozenWeights(40, *frozen(model, 40))
    first = [found.scores(np.array([key], np.uint64))[0] for key in keys[:4]]
    assert first == [32767, 32767, 127, 64]


def test_half_a_number_is_rounded_to_the_even_one_and_what_is_smaller_is_gone() -> None:
    scaled = [127.0, 3.5, 2.5, 0.5001, 0.5, 0.4999, -0.5, -2.5, -3.5, -127.0]
    model = [((n + 1) << 58 | 2 * n, 0, weight) for n, weight in enumerate(scaled)]
    weights = FrozenWeights(3, *frozen(model, 3))
    found = [weights.scores(np.array([key], np.uint64))[0] for key, _, _ in model]
    assert found == [127, 4, 2, 1, 0, 0, 0, -2, -4, -127]
    assert len(frozen(model, 3)[0]) == 7


def test_a_model_without_weights() -> None:
    weights = FrozenWeights(40, *frozen([], 40))
    assert weights.scores(np.array([1, 1 << 40], np.uint64)) == [0] * 40


def test_features_that_all_fall_into_one_bucket_are_refused() -> None:
    with pytest.raises(ValueError, match="not spread evenly"):
        frozen([(2 * n + 1, 0, 1.0) for n in range(300)], 40)


@pytest.mark.parametrize("actions", [3, 300, 3000])
def test_rows_are_sound_only_as_defined(actions: int) -> None:
    """One number changed at random, at the end or in the middle, or the number of rows off by one."""
    fingerprints, _, rows, wide = frozen(random_model(actions, seed=7)[:400], actions)
    long_pairs = rows.dtype == np.uint32
    plain, step = rows.view(np.uint16), 2 if long_pairs else 1
    counts = len(fingerprints), len(wide) // actions
    assert rows_are_sound(plain, step, *counts, actions)
    chance = random.Random(5)
    verdicts = []
    for _ in range(1500):
        damaged = plain.copy()
        place = chance.randrange(len(damaged))
        if chance.random() < 0.5:
            place -= place % step
        damaged[place] = chance.choice([0, 1, 2, 0xFFFF, int(damaged[place]) + 1 & 0xFFFF, chance.randrange(1 << 16)])
        damaged = damaged[: len(damaged) - chance.choice([0, 0, 0, step])]
        count, wides = counts[0] + chance.choice([0, 0, 0, -1, 1]), max(0, counts[1] + chance.choice([0, 0, -1]))
        verdicts.append(rows_are_sound(damaged, step, count, wides, actions))
        assert verdicts[-1] == sound(damaged.tolist(), long_pairs, count, wides, actions)
    assert {True, False} == set(verdicts)
