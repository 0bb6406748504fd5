"""The calibration of confidence: formulas written out, the slope at the minimum, the error on drawn data."""

import json
import random
from collections.abc import Mapping
from itertools import pairwise
from math import exp, isfinite, log
from typing import Any

import numpy as np
import pytest

from dodona import FormatError, Sentence
from dodona.evaluation import compare
from dodona.evaluation.calibration import reliability
from dodona.parser.confidence import INPUTS, RIDGE, Calibration, CalibrationExample, Evidence, fit_calibration

TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
UPOS = TAGS.split()
OLD = {"action": 0.4, "sentence": 3.0, "distance": -0.7, "late": 0.9, "bias": 0.8}
BOLD = Calibration(OLD | {"root": 0.7, "agreement": 0.5, "both": -0.1, "upos=ADP": -1.5, "upos=NOUN": 0.5})
"""What is true in drawn data."""


def logit(p: float) -> float:
    return log(p / (1 - p))


def inputs(evidence: Evidence) -> list[dict[str, float]]:
    rows = []
    shares = [None] * len(evidence.heads) if evidence.agreement is None else list(evidence.agreement)
    raw = list(evidence.raw)
    for k, (p, h, tag, share) in enumerate(zip(raw[1:], evidence.heads, evidence.upos, shares, strict=True), start=1):
        row = {
            "action": 0.0 if p == 0 else logit(min(0.999, max(0.001, p))),
            "sentence": raw[0],
            "distance": log(abs(h - k)) if h > 0 else 0.0,
            "late": float(p == 0),
            "bias": 1.0,
            "root": float(h == 0),
            "agreement": 0.0 if share is None else logit(min(0.99, max(0.01, share))),
        }
        row["both"] = row["action"] * row["agreement"]
        rows.append(row | {f"upos={other}": float(other == tag) for other in UPOS})
    return rows


def bent(curve: tuple[tuple[float, float], ...], total: float) -> float:
    """From point to point in a straight line; further out as far from the last point as the sum is."""
    if not curve:
        return total
    if total <= curve[0][0]:
        return curve[0][1] + total - curve[0][0]
    for (x, y), (x2, y2) in pairwise(curve):
        if total <= x2:
            return y + (y2 - y) * (total - x) / (x2 - x)
    return curve[-1][1] + total - curve[-1][0]


def applied(calibration: Calibration, evidence: Evidence) -> list[float]:
    sums = [sum(w * row[name] for name, w in calibration.weights.items()) for row in inputs(evidence)]
    return [1 / (1 + exp(-bent(calibration.curve, total))) for total in sums]


def drawn(seed: int, sentences: int, truth: Calibration = BOLD, beam: bool = True) -> list[CalibrationExample]:
    chance = random.Random(seed)
    found: list[CalibrationExample] = []
    for _ in range(sentences):
        n = chance.randint(1, 20)
        heads = [chance.choice([h for h in range(n + 1) if h != k]) for k in range(1, n + 1)]
        raw = [0.0 if chance.random() < 0.05 else 1 / (1 + exp(-chance.gauss(3, 3))) for _ in range(n)]
        raw.insert(0, -abs(chance.gauss(0, 0.2)))
        shares = [chance.choice([1.0, chance.random()]) for _ in heads] if beam else None
        evidence = Evidence(raw, heads, chance.choices([*UPOS[:9], "_"], k=n), shares)
        found.append((evidence, [chance.random() < p for p in applied(truth, evidence)]))
    return found


CURVE = ((-2.0, -1.5), (0.0, -0.5), (1.0, -0.5), (4.0, 2.0))


@pytest.mark.parametrize("seed", range(5))
def test_the_formula(seed: int) -> None:
    chance = random.Random(seed)
    weights = {name: chance.uniform(-2, 2) for name in INPUTS}
    for calibration in (Calibration(weights), Calibration(weights, CURVE), Calibration({"bias": 1.0}, CURVE)):
        for evidence, _ in [*drawn(seed, 10), *drawn(seed, 10, beam=False)]:
            expected = applied(calibration, evidence)
            assert calibration.apply(evidence) == pytest.approx(expected)
            assert calibration.apply(evidence._replace(raw=np.array(evidence.raw))) == pytest.approx(expected)
        assert calibration.apply(Evidence([0.0], [], [])) == []


def test_by_default_the_probability_of_the_action() -> None:
    evidence = Evidence([-0.3, 0.8, 0.25, 1.0, 0.0], [2, 0, 1, 0], ["NOUN", "_", "X", "VERB"])
    assert Calibration().apply(evidence) == pytest.approx([0.8, 0.25, 0.999, 0.5])
    assert fit_calibration([]) == Calibration()
    assert fit_calibration([(Evidence([0.0], [], []), [])]) == Calibration()


def slope_of_the_loss(weights: Mapping[str, float], examples: list[CalibrationExample]) -> dict[str, float]:
    """Of the log loss and the ridge, derived by hand. Both are convex, so where it is flat is the minimum."""
    slope = {name: RIDGE * w for name, w in weights.items()}
    for evidence, correct in examples:
        for row, right in zip(inputs(evidence), correct, strict=True):
            total = sum(w * row[name] for name, w in weights.items())
            for name in weights:
                slope[name] += (1 / (1 + exp(-total)) - right) * row[name]
    return slope


@pytest.mark.parametrize("beam", [True, False])
def test_at_the_minimum_the_loss_is_flat(beam: bool) -> None:
    examples = drawn(1, 100, beam=beam)
    found = fit_calibration(examples).weights
    assert ("agreement" in found, "both" in found) == (beam, beam), "only inputs that vary have weights"
    assert "upos=X" not in found, "nor tags that do not occur"
    slope = slope_of_the_loss(found, examples)
    assert max(map(abs, slope.values())) < 0.01


def test_the_truth_is_found_again() -> None:
    found = fit_calibration(drawn(1, 3000)).weights
    truth = {name: BOLD.weights.get(name, 0.0) for name in INPUTS}
    assert {name: found.get(name, 0.0) for name in INPUTS} == pytest.approx(truth, abs=0.3)


# The curve


def shares(sums: list[float], right: list[bool]) -> list[tuple[float, float]]:
    """Isotonic regression by its definition: of a group, the largest mean that begins anywhere below, if it ends at the
    smallest place above; twenty arcs more for each group are as the regression says."""
    order = sorted(range(len(sums)), key=lambda i: sums[i])
    count = min(12, len(sums) // 100)
    sizes = [len(part) for part in np.array_split(np.arange(len(sums)), count)]
    groups = []
    for size in sizes:
        part, order = order[:size], order[size:]
        believed = sum(1 / (1 + exp(-sums[i])) for i in part) / size
        groups.append((sum(sums[i] for i in part) / size, (sum(right[i] for i in part) + 20 * believed) / (size + 20)))
    found = []
    for k, (place, _) in enumerate(groups):
        means = [
            [sum(g * s for (_, g), s in zip(groups[i : j + 1], sizes[i : j + 1], strict=True)) / sum(sizes[i : j + 1])
             for j in range(k, len(groups))]
            for i in range(k + 1)
        ]  # fmt: skip
        found.append((place, max(map(min, means))))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_the_curve_is_the_isotonic_one(seed: int) -> None:
    """Drawn so that the regression is wrong, and so that groups must be merged."""
    chance = random.Random(seed)
    examples: list[CalibrationExample] = []
    for _ in range(150):
        raw = [-0.1, *(1 / (1 + exp(-chance.gauss(1, 2))) for _ in range(10))]
        correct = [chance.random() < (0.9 if p > 0.6 else 0.5 if p > 0.2 else 0.7) for p in raw[1:]]
        examples.append((Evidence(raw, [0] * 10, ["X"] * 10), correct))
    found = fit_calibration(examples)
    sums = [sum(w * row[name] for name, w in found.weights.items()) for known, _ in examples for row in inputs(known)]
    expected = shares(sums, [bool(right) for _, correct in examples for right in correct])
    assert len(found.curve) == len(expected) == 12
    assert [x for x, _ in found.curve] == pytest.approx([x for x, _ in expected], abs=1e-5)
    assert [1 / (1 + exp(-y)) for _, y in found.curve] == pytest.approx([y for _, y in expected], abs=1e-5)
    assert len({y for _, y in found.curve}) < 12, "no group was merged in this case"


def test_few_arcs_have_no_curve_and_equal_ones_neither() -> None:
    assert fit_calibration(drawn(0, 15)).curve == ()
    same: list[CalibrationExample] = [(Evidence([-0.1, 0.7], [0], ["X"]), [i % 3 > 0]) for i in range(900)]
    found = fit_calibration(same)
    assert found.curve == ()
    assert found.apply(same[0][0]) == pytest.approx([2 / 3], abs=0.01)


def error(calibration: Calibration, examples: list[CalibrationExample]) -> float:
    """The expected calibration error; a wrong arc is one with another label."""
    gold, system, sure = [], [], []
    for evidence, correct in examples:
        n = len(evidence.heads)
        words = ["oak"] * n
        tree = [0, *[1] * (n - 1)]
        gold.append(Sentence.from_words(words, heads=tree, labels=["a"] * n))
        system.append(Sentence.from_words(words, heads=tree, labels=["a" if right else "b" for right in correct]))
        sure += calibration.apply(evidence)
    found = reliability(compare(gold, system), np.array(sure)).error
    assert found is not None
    return found


def test_a_fit_on_some_sentences_calibrates_others() -> None:
    test = drawn(2, 1000)
    fitted = fit_calibration(drawn(3, 1000))
    assert error(Calibration(), test) > 0.15
    assert error(fitted, test) < 0.02


def test_the_curve_mends_what_the_regression_cannot_say() -> None:
    """Here the arcs in the middle are as good as the best."""
    crooked = Calibration(OLD, ((-3.0, -2.0), (0.0, -2.0), (0.5, 3.0), (5.0, 3.1)))
    fitted = fit_calibration(drawn(3, 1000, crooked))
    test = drawn(2, 1000, crooked)
    assert error(fitted, test) < 0.03
    assert error(Calibration(fitted.weights), test) > 0.05


RAW = Evidence([-0.1, 0.999, 0.2, 0.998, 0.1], [2, 0, 2, 2], ["NOUN"] * 4)
VERDICTS = [True, False, True, False]


@pytest.mark.parametrize("correct", [True, False, None])
def test_separation_does_not_blow_up(correct: bool | None) -> None:
    """All arcs right, all wrong, or a threshold between the two: without a ridge the weights would be infinite."""
    verdicts = VERDICTS if correct is None else [correct] * 4
    found = fit_calibration([(RAW, verdicts)] * 50)
    assert all(isfinite(weight) and abs(weight) < 20 for weight in found.weights.values())
    for sure, right in zip(found.apply(RAW), verdicts, strict=True):
        assert 0 < sure < 1
        assert sure > 0.85 if right else sure < 0.15


def test_one_word() -> None:
    one = Evidence([-0.5, 0.5], [0], ["X"])
    assert fit_calibration([(one, [True])]).apply(one)[0] > 0.5


def test_numbers_far_out_stay_probabilities() -> None:
    (sure,) = Calibration(dict.fromkeys(INPUTS, 1e6)).apply(Evidence([-1e9, 0.5], [0], ["X"]))
    assert sure == 0.0


def test_there_and_back() -> None:
    for examples in (drawn(4, 30), drawn(4, 30, beam=False), drawn(4, 5)):
        found = fit_calibration(examples)
        assert Calibration.from_description(json.loads(json.dumps(found.description()))) == found
    assert set(fit_calibration(drawn(4, 30)).description()) <= {*INPUTS, "curve"}


def test_an_older_description_has_five_numbers() -> None:
    assert Calibration.from_description(OLD) == Calibration(OLD)
    assert Calibration.from_description(dict.fromkeys(OLD, 1)).apply(RAW) == pytest.approx(
        applied(Calibration(dict.fromkeys(OLD, 1.0)), RAW)
    )


GOOD: dict[str, Any] = Calibration().description()
STRANGE = (None, "1", True, [1.0], float("nan"), float("inf"), -1e7, 10**400)


@pytest.mark.parametrize(
    "bad",
    [
        None,
        [],
        {},
        {**GOOD, "more": 1.0},
        {name: 1.0 for name in GOOD if name != "late"},
        *({**GOOD, "bias": value} for value in STRANGE),
        *({**GOOD, "upos=X": value} for value in STRANGE),
        *({**GOOD, "curve": [[0.0, 0.0], [1.0, value]]} for value in STRANGE),
    ],
)
def test_bad_descriptions(bad: Any) -> None:
    with pytest.raises(FormatError, match=r"^model, parser: .*expected a number"):
        Calibration.from_description(bad, "model, parser")


@pytest.mark.parametrize(
    "curve",
    [
        None,
        [],
        {},
        [[0.0, 0.0]],
        [[float(i), 0.0] for i in range(65)],
        [0.0, 1.0],
        [[0.0, 0.0], [1.0]],
        [[0.0, 0.0], [0.0, 1.0]],
        [[0.0, 0.0], [1.0, -0.1]],
    ],
)
def test_bad_curves(curve: Any) -> None:
    with pytest.raises(FormatError, match=r"^model, parser: curve .*expected (2 to 64 |two numbers|points that rise)"):
        Calibration.from_description({**GOOD, "curve": curve}, "model, parser")
