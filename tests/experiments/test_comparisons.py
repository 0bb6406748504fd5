"""Means and tests over seeds and sentences."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from dodona.evaluation import approximate_randomization, wilcoxon
from dodona.experiments.comparisons import (
    mark_of,
    mean,
    randomization_p,
    seed_wilcoxon_p,
    sentence_wilcoxon_p,
    signed_rank_p,
)
from dodona.experiments.records import Record
from dodona.experiments.run import pack, unpack


def by_enumeration(differences: list[float]) -> float:
    """Two-sided p: all signs are equally likely."""
    numbers = [d for d in differences if d != 0]
    ranks = [sum(abs(e) < abs(d) for e in numbers) + (sum(abs(e) == abs(d) for e in numbers) + 1) / 2 for d in numbers]
    actual = sum(rank for rank, d in zip(ranks, numbers, strict=True) if d > 0)
    sums = [
        sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
        for signs in product((0, 1), repeat=len(ranks))
    ]
    lower, upper = (sum(test) / len(sums) for test in ([s <= actual for s in sums], [s >= actual for s in sums]))
    return min(1.0, 2 * min(lower, upper))


@pytest.mark.parametrize(
    "differences",
    [
        [1, 2, 3, 4, 5],
        [1, -2, 3, 4, 5],
        [3, 3, -3, 1],
        [0, 0, 2, -1],
        [1],
        [-1, -1, -1, -1, 2, 7],
        [5, 1, 1, -1, 1, 4, 2, -9],
    ],
)
def test_few_pairs_are_counted(differences: list[float]) -> None:
    assert signed_rank_p(differences) == pytest.approx(by_enumeration(differences))


def test_five_seeds_cannot_be_significant() -> None:
    assert signed_rank_p([1, 2, 3, 4, 5]) == 2 / 2**5
    assert signed_rank_p([0, 0]) == 1


def test_many_pairs_are_approximated() -> None:
    differences = [float(x) for x in np.random.default_rng(1).normal(0.3, 1, 40)]
    assert signed_rank_p(differences) == wilcoxon(differences).p
    some = differences[:25]
    assert signed_rank_p(some) == pytest.approx(wilcoxon(some).p, abs=0.02)


def record(seed: int, right: list[int]) -> Record:
    words = [10] * len(right)
    scores: dict[str, Any] = {"UAS": [sum(right), sum(words)]}
    sentences = {"UAS": pack(right), "words": pack(words)}
    part = {"all words": scores, "without punctuation": scores, "sentences": sentences}
    return Record({"seed": seed, "results": {"test": part}})


def test_only_seeds_of_both_are_compared() -> None:
    chance = np.random.default_rng(3)
    first = [record(seed, chance.integers(0, 9, 40).tolist()) for seed in (1, 2, 3)]
    second = [record(seed, chance.integers(1, 11, 40).tolist()) for seed in (3, 1)]
    a = first[0].sentences("test", "UAS") + first[2].sentences("test", "UAS")
    b = second[0].sentences("test", "UAS") + second[1].sentences("test", "UAS")
    assert randomization_p(first, second, "test", "UAS") == approximate_randomization(a, b)
    assert sentence_wilcoxon_p(first, second, "test", "UAS") == wilcoxon((a - b) / 10).p
    assert seed_wilcoxon_p(first, second, "test", "UAS") == 0.5  # two seeds, both better
    for test in (randomization_p, sentence_wilcoxon_p, seed_wilcoxon_p):
        assert test(first[1:2], second, "test", "UAS") is None


def test_means_and_marks() -> None:
    assert mean([record(1, [10, 5]), record(2, [5, 5])], "test", "UAS") == 62.5
    assert mean([], "test", "UAS") is None
    assert [mark_of(p) for p in (None, 0.5, 0.05, 0.049, 0.01, 0.001)] == ["", "", "", "†", "†", "‡"]


def test_packed_numbers_come_back() -> None:
    assert unpack(pack([0, 1, 65_535])).tolist() == [0, 1, 65_535]
    assert len(pack([7] * 2000)) < 100
