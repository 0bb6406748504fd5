"""The calibration of greedy parses: formulas written out, the fit against gradient descent, the error on drawn data."""

import json
import random
from math import exp, isfinite, log, log1p
from typing import Any

import numpy as np
import pytest

from dodona import FormatError, Sentence
from dodona.components.confidence import INPUTS, RIDGE, Calibration, fit_calibration
from dodona.evaluation import compare
from dodona.evaluation.calibration import reliability

Example = tuple[list[float], list[int], list[bool]]
BOLD = Calibration((0.4, 3.0, -0.7, 0.9, 0.8))
"""What is true in drawn data."""


def inputs(raw: list[float], heads: list[int]) -> list[list[float]]:
    rows = []
    for k, (p, h) in enumerate(zip(raw[1:], heads, strict=True), start=1):
        clipped = min(0.999, max(0.001, p))
        logit = 0.0 if p == 0 else log(clipped / (1 - clipped))
        rows.append([logit, raw[0], log(abs(h - k)) if h > 0 else 0.0, float(p == 0), 1.0])
    return rows


def applied(weights: tuple[float, ...], raw: list[float], heads: list[int]) -> list[float]:
    sums = [sum(w * x for w, x in zip(weights, row, strict=True)) for row in inputs(raw, heads)]
    return [1 / (1 + exp(-total)) for total in sums]


def drawn(seed: int, sentences: int, truth: Calibration = BOLD) -> list[Example]:
    chance = random.Random(seed)
    found = []
    for _ in range(sentences):
        n = chance.randint(1, 20)
        heads = [chance.choice([h for h in range(n + 1) if h != k]) for k in range(1, n + 1)]
        raw = [0.0 if chance.random() < 0.05 else 1 / (1 + exp(-chance.gauss(3, 3))) for _ in range(n)]
        raw.insert(0, -abs(chance.gauss(0, 0.2)))
        found.append((raw, heads, [chance.random() < p for p in applied(truth.weights, raw, heads)]))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_the_formula(seed: int) -> None:
    chance = random.Random(seed)
    weights = tuple(chance.uniform(-2, 2) for _ in INPUTS)
    for raw, heads, _ in drawn(seed, 10):
        expected = applied(weights, raw, heads)
        assert Calibration(weights).apply(raw, heads) == pytest.approx(expected)
        assert Calibration(weights).apply(np.array(raw), heads) == pytest.approx(expected)
    assert Calibration(weights).apply([0.0], []) == []


def test_by_default_the_probability_of_the_action() -> None:
    assert Calibration().apply([-0.3, 0.8, 0.25, 1.0, 0.0], [2, 0, 1, 0]) == pytest.approx([0.8, 0.25, 0.999, 0.5])
    assert fit_calibration([]) == Calibration()
    assert fit_calibration([([0.0], [], [])]) == Calibration()


def loss_and_slope(weights: list[float], examples: list[Example]) -> tuple[float, list[float]]:
    loss = sum(RIDGE / 2 * w * w for w in weights)
    slope = [RIDGE * w for w in weights]
    for raw, heads, correct in examples:
        for row, right in zip(inputs(raw, heads), correct, strict=True):
            total = sum(w * x for w, x in zip(weights, row, strict=True))
            loss += log1p(exp(-abs(total))) + max(total, 0) - right * total
            for i, x in enumerate(row):
                slope[i] += (1 / (1 + exp(-total)) - right) * x
    return loss, slope


def descent(examples: list[Example]) -> list[float]:
    """Plain gradient descent: downhill until it is flat; a step that leads uphill is halved."""
    weights, rate = [0.0] * len(INPUTS), 0.01
    loss, slope = loss_and_slope(weights, examples)
    for _ in range(20_000):
        lower = [w - rate * g for w, g in zip(weights, slope, strict=True)]
        after = loss_and_slope(lower, examples)
        if after[0] > loss:
            rate /= 2
            continue
        weights, (loss, slope), rate = lower, after, 1.1 * rate
        if max(map(abs, slope)) < 1e-5:
            break
    return weights


@pytest.mark.parametrize("seed", range(3))
def test_newton_ends_where_gradient_descent_ends(seed: int) -> None:
    examples = drawn(seed, 6)
    assert list(fit_calibration(examples).weights) == pytest.approx(descent(examples), abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_at_the_minimum_the_loss_is_flat(seed: int) -> None:
    examples = drawn(seed, 100)
    _, slope = loss_and_slope(list(fit_calibration(examples).weights), examples)
    assert max(map(abs, slope)) < 0.01


def test_the_truth_is_found_again() -> None:
    assert fit_calibration(drawn(1, 4000)).weights == pytest.approx(BOLD.weights, abs=0.25)


def error(calibration: Calibration, examples: list[Example]) -> float:
    """The expected calibration error; a wrong arc is one with another label."""
    gold, system, sure = [], [], []
    for raw, heads, correct in examples:
        words = ["oak"] * len(heads)
        tree = [0, *[1] * (len(heads) - 1)]
        gold.append(Sentence.from_words(words, heads=tree, labels=["a"] * len(heads)))
        system.append(Sentence.from_words(words, heads=tree, labels=["a" if right else "b" for right in correct]))
        sure += calibration.apply(raw, heads)
    return reliability(compare(gold, system), np.array(sure)).error


def test_a_fit_on_some_sentences_calibrates_others() -> None:
    test = drawn(2, 1000)
    fitted = fit_calibration(drawn(3, 1000))
    assert error(Calibration(), test) > 0.15
    assert error(fitted, test) < 0.02


SEPARATED: list[Example] = [([-0.1, 0.999, 0.2, 0.998, 0.1], [2, 0, 2, 2], [True, False, True, False])] * 50


@pytest.mark.parametrize("correct", [True, False, None])
def test_separation_does_not_blow_up(correct: bool | None) -> None:
    """All arcs right, all wrong, or a threshold between the two: without a ridge the weights would be infinite."""
    examples = [
        (raw, heads, verdicts if correct is None else [correct] * len(verdicts)) for raw, heads, verdicts in SEPARATED
    ]
    found = fit_calibration(examples)
    assert all(isfinite(weight) and abs(weight) < 20 for weight in found.weights)
    for raw, heads, verdicts in examples[:1]:
        for sure, right in zip(found.apply(raw, heads), verdicts, strict=True):
            assert 0 < sure < 1
            assert sure > 0.9 if right else sure < 0.1


def test_one_word() -> None:
    assert fit_calibration([([-0.5, 0.5], [0], [True])]).apply([-0.5, 0.5], [0])[0] > 0.5


def test_numbers_far_out_stay_probabilities() -> None:
    (sure,) = Calibration((1e6, 1e6, 1e6, 1e6, 1e6)).apply([-1e9, 0.5], [0])
    assert sure == 0.0


def test_there_and_back() -> None:
    found = fit_calibration(drawn(4, 30))
    assert Calibration.from_description(json.loads(json.dumps(found.description()))) == found
    assert list(found.description()) == list(INPUTS)
    whole = Calibration.from_description(dict.fromkeys(INPUTS, 1))
    assert whole == Calibration((1.0,) * 5)


GOOD: dict[str, Any] = Calibration().description()


@pytest.mark.parametrize(
    "bad",
    [
        None,
        [],
        {},
        {**GOOD, "more": 1.0},
        dict.fromkeys(INPUTS[1:], 1.0),
        *({**GOOD, "bias": value} for value in (None, "1", True, [1.0], float("nan"), float("inf"), -1e7, 10**400)),
    ],
)
def test_bad_descriptions(bad: Any) -> None:
    with pytest.raises(FormatError, match=r"^model, parser: .*expected a number"):
        Calibration.from_description(bad, "model, parser")


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="3 weights; expected 5"):
        Calibration((1.0, 2.0, 3.0))
    with pytest.raises(ValueError, match="2 raw numbers for 2 words; expected 3"):
        Calibration().apply([0.5, 0.5], [0, 1])
    with pytest.raises(ValueError, match="1 verdicts for 2 words"):
        fit_calibration([([-0.1, 0.5, 0.5], [0, 1], [True])])
