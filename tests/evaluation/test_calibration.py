"""Reliability by its definition: arcs sorted into bins one by one, on random data."""

import random

import numpy as np
import pytest

from dodona import FormatError, Sentence
from dodona.evaluation import Rate, compare
from dodona.evaluation.calibration import Bin, FoundErrors, confidences, count_found_errors, reliability

EDGES = [0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0]


def random_files(seed: int) -> tuple[list[Sentence], list[Sentence], list[tuple[float, bool]]]:
    """Gold, system with confidence, and for each word the confidence and whether head and label are right."""
    chance = random.Random(seed)
    gold, system, arcs = [], [], []
    for _ in range(chance.randint(1, 30)):
        n = chance.randint(1, 12)
        heads, labels = [*range(n)], [chance.choice(["nsubj", "nsubj:pass", "obj"]) for _ in range(n)]
        found = [0 if chance.random() < 0.2 else h for h in heads]
        names = [chance.choice(["nsubj", "obj"]) if chance.random() < 0.2 else label for label in labels]
        sure = [chance.choice([*EDGES, round(chance.random(), 4), round(chance.random() ** 0.1, 4)]) for _ in heads]
        arcs += [(c, h == g and l == m) for c, h, g, l, m in zip(sure, heads, found, labels, names, strict=True)]
        notes = [f"SpaceAfter=No|Confidence={c}" if chance.random() < 0.3 else f"Confidence={c}" for c in sure]
        gold.append(Sentence.from_words(["oak"] * n, heads=heads, labels=labels))
        system.append(Sentence.from_words(["oak"] * n, heads=found, labels=names, misc=notes))
    return gold, system, arcs


def bin_of(confidence: float) -> int:
    """The last edge that is not above."""
    return max(i for i, edge in enumerate(EDGES) if edge <= confidence)


@pytest.mark.parametrize("seed", range(20))
def test_bins_error_and_brier_score_are_as_defined(seed: int) -> None:
    gold, system, arcs = random_files(seed)
    assert confidences(system).tolist() == [confidence for confidence, _ in arcs]
    found = reliability(compare(gold, system), confidences(system))
    sorted_arcs: dict[int, list[tuple[float, bool]]] = {}
    for arc in arcs:
        sorted_arcs.setdefault(bin_of(arc[0]), []).append(arc)
    error = 0.0
    assert len(found.bins) == len(sorted_arcs)
    for one, (i, inside) in zip(found.bins, sorted(sorted_arcs.items()), strict=True):
        confidence = sum(c for c, _ in inside) / len(inside)
        accuracy = sum(right for _, right in inside) / len(inside)
        high = EDGES[i + 1] if i + 1 < len(EDGES) else 1.0
        assert (one.low, one.high, one.arcs) == (EDGES[i], high, len(inside))
        assert (one.confidence, one.accuracy) == pytest.approx((confidence, accuracy))
        error += len(inside) / len(arcs) * abs(confidence - accuracy)
    assert found.error == pytest.approx(error)
    assert found.brier == pytest.approx(sum((c - right) ** 2 for c, right in arcs) / len(arcs))


def test_worked_by_hand() -> None:
    """Two arcs of 0.9, one right: 0.4 apart. One of 1, right. So 2/3 of 0.4; squares 0.01 and 0.81."""
    gold = [Sentence.from_words(["a", "b", "c"], heads=[0, 1, 1], labels=["root", "obj", "obj"])]
    system = [
        Sentence.from_words(
            ["a", "b", "c"],
            heads=[0, 1, 2],
            labels=["root", "obj", "obj"],
            misc=["Confidence=1", "Confidence=0.9", "Confidence=0.9"],
        )
    ]
    found = reliability(compare(gold, system), confidences(system))
    assert found.bins == [Bin(0.9, 0.95, 2, 0.9, 0.5), Bin(1.0, 1.0, 1, 1.0, 1.0)]
    assert found.error == pytest.approx(0.8 / 3)
    assert found.brier == pytest.approx(0.82 / 3)


def test_no_words_at_all() -> None:
    found = reliability(compare([], []), np.zeros(0))
    assert (found.bins, found.error, found.brier) == ([], None, None)
    assert count_found_errors(compare([], []), np.zeros(0), [0.5]) == [FoundErrors(0.5, 0, Rate(0, 0), Rate(0, 0))]


@pytest.mark.parametrize("seed", range(20))
def test_errors_found_word_by_word_and_sentence_by_sentence(seed: int) -> None:
    gold, system, arcs = random_files(seed)
    numbers = [i for i, one in enumerate(gold) for _ in one.words]
    means = [
        sum(c for (c, _), k in zip(arcs, numbers, strict=True) if k == i) / len(one.words) for i, one in enumerate(gold)
    ]
    by_word = sorted(range(len(arcs)), key=lambda w: arcs[w][0])
    by_sentence = sorted(range(len(arcs)), key=lambda w: (means[numbers[w]], numbers[w], w))
    errors = sum(not right for _, right in arcs)
    for one in count_found_errors(compare(gold, system), confidences(system), [0.0, 0.05, 0.3, 0.5, 1.0]):
        assert one.words == round(one.share * len(arcs))
        for rate, order in ((one.in_words, by_word), (one.in_sentences, by_sentence)):
            assert rate == Rate(sum(not arcs[w][1] for w in order[: one.words]), errors)


@pytest.mark.parametrize(
    "misc", ["_", "Confidence=", "Confidence=1.01", "Confidence=-0.1", "Confidence=nan", "Confidence=1|Confidence=1"]
)
def test_a_confidence_that_is_none(misc: str) -> None:
    with pytest.raises(FormatError, match="expected Confidence= with a number from 0 to 1"):
        confidences([Sentence.from_words(["oak"], misc=[misc])])
