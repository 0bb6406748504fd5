"""The significance tests against published cases, exact enumeration and their definitions."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.scored import treebank

from dodona import MismatchError, OptionError
from dodona.evaluation import Rate, approximate_randomization, compare, differences, wilcoxon

COUNTS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=40)


def columns(pairs: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [a for a, _ in pairs], [b for _, b in pairs]


def test_randomization_approaches_the_exact_test() -> None:
    first, second = [9, 7, 5, 8, 6, 9, 4, 8, 7, 6], [7, 7, 4, 9, 3, 8, 4, 5, 6, 6]
    difference = np.subtract(first, second)
    sums = [abs(int(np.dot(signs, difference))) for signs in product((1, -1), repeat=len(difference))]
    exact = float(np.mean(np.array(sums) >= abs(difference.sum())))
    assert approximate_randomization(first, second, shuffles=200_000) == pytest.approx(exact, abs=0.003)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(COUNTS, st.integers(0, 5))
def test_randomization_is_deterministic_symmetric_and_never_zero(pairs: list[tuple[int, int]], seed: int) -> None:
    first, second = columns(pairs)
    p = approximate_randomization(first, second, shuffles=99, seed=seed)
    assert p == approximate_randomization(first, second, shuffles=99, seed=seed)
    assert p == approximate_randomization(second, first, shuffles=99, seed=seed)
    assert 0.01 <= p <= 1


def test_equal_systems_need_no_shuffle() -> None:
    assert approximate_randomization([3, 1, 2], [3, 1, 2], shuffles=10**15) == 1.0
    assert approximate_randomization([], [], shuffles=10**15) == 1.0


def test_randomization_does_not_depend_on_the_size_of_its_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(3)
    first, second = generator.integers(0, 20, (2, 200))
    p = approximate_randomization(first, second, shuffles=1000)
    monkeypatch.setattr("dodona.evaluation.significance.BATCH", 1000)
    assert approximate_randomization(first, second, shuffles=1000) == p


def test_randomization_keeps_its_value_for_a_seed() -> None:
    first, second = np.arange(60) % 7, np.arange(60) % 6
    assert [approximate_randomization(first, second, shuffles=999, seed=seed) for seed in (1, 2)] == [0.246, 0.239]


def test_equal_systems() -> None:
    assert approximate_randomization([3, 4], [3, 4]) == 1
    assert wilcoxon([0, 0]).p == 1


def test_no_shuffles() -> None:
    with pytest.raises(OptionError, match="0 shuffles; expected at least 1"):
        approximate_randomization([1], [2], shuffles=0)


def test_wilcoxon_on_darwins_maize() -> None:
    """Fisher (1935): cross- against self-fertilized plants, in eighths of an inch."""
    difference = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    result = wilcoxon(difference)
    assert (result.statistic, result.differing) == (24, 15)
    assert result.p == pytest.approx(0.0408881329)  # z = (24 − 60) / √310


def test_wilcoxon_with_ties_and_zeros() -> None:
    """Ten pairs with one zero and three ties: ranks 1.5, 3, 5, … ; W = 18 of 45."""
    first = [125, 115, 130, 140, 140, 115, 140, 125, 140, 135]
    second = [110, 122, 125, 120, 140, 124, 123, 137, 135, 145]
    result = wilcoxon(np.subtract(first, second))
    assert (result.statistic, result.differing) == (18, 9)
    variance = 9 * 10 * 19 / 24 - (2**3 - 2) / 48
    assert result.p == pytest.approx(normal_tail(4.5 / variance**0.5))


def normal_tail(z: float) -> float:
    """Both tails, by summing the density."""
    x = np.linspace(-z, z, 200_001)
    return float(1 - np.trapezoid(np.exp(-(x**2) / 2), x) / np.sqrt(2 * np.pi))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(COUNTS)
def test_wilcoxon_is_as_defined(pairs: list[tuple[int, int]]) -> None:
    """A rank is how many differences are smaller, and half of those that are as large, itself included."""
    found = [a - b for a, b in pairs if a != b]
    ranks = [sum(abs(e) < abs(d) for e in found) + (sum(abs(e) == abs(d) for e in found) + 1) / 2 for d in found]
    signs = sum(rank for rank, d in zip(ranks, found, strict=True) if d > 0)
    result = wilcoxon(np.subtract(*columns(pairs)))
    assert result.differing == len(found)
    assert result.statistic == min(signs, sum(ranks) - signs)
    # under the null each rank has either sign with the same probability
    deviation = sum(rank**2 / 4 for rank in ranks) ** 0.5
    assert result.p == pytest.approx(normal_tail(abs(signs - sum(ranks) / 2) / deviation) if found else 1, abs=1e-8)


def test_two_systems_against_gold() -> None:
    gold = ["oak/NOUN/0/root leaf/NOUN/1/flat"] * 20
    worse = ["oak/NOUN/0/root leaf/NOUN/1/obj"] * 15 + gold[15:]
    perfect, flawed = (compare(treebank(*gold), treebank(*system)) for system in (gold, worse))
    found = differences(perfect, flawed)
    assert found["UAS"].randomization_p == found["UAS"].wilcoxon.p == 1
    assert (found["LAS"].first, found["LAS"].second) == (Rate(40, 40), Rate(25, 40))
    assert found["UAS"].first == found["UAS"].second == Rate(40, 40)
    assert found["LAS"].wilcoxon.differing == 15
    assert found["LAS"].randomization_p < 0.001  # 2 of 2¹⁵ ways to swap are as uneven
    assert found["LAS"].wilcoxon.p < 0.001


def test_equal_differences_are_tied_whatever_the_length_of_the_sentence() -> None:
    """0.7 − 0.4, 0.8 − 0.5 and 0.5 − 0.2 are not quite equal in floating point."""
    words = "oak/NOUN/0/root " + " ".join(["leaf/NOUN/1/flat"] * 9)
    gold = treebank(words, words, words)

    def flawed(wrong: list[int]) -> list[str]:
        return [words.replace("/flat", "/obj", n) for n in wrong]

    first, second = (compare(gold, treebank(*flawed(wrong))) for wrong in ([3, 5, 5], [6, 2, 8]))
    result = differences(first, second)["LAS"].wilcoxon
    assert result.statistic == 2  # ranks 2, 2, 2; one of them negative


def test_systems_compared_with_different_gold() -> None:
    one, other = treebank("oak/NOUN/0/root"), treebank("oak/NOUN/0/root leaf/NOUN/1/flat")
    with pytest.raises(MismatchError, match="1 and 2 words"):
        differences(compare(one, one), compare(other, other))
