"""Confidence: how probable it is that an arc and its label are correct, from what the parser knows about them.

The probability of the action that built an arc is not the probability that the arc is correct: scores may be too bold,
long arcs are wrong more often than short ones, and in a doubtful sentence everything is. Nor is the share of a beam
that agrees on the arc, because all trees outside the beam are missing. A logistic regression on these few numbers
(Platt 1999), followed by a monotone curve (isotonic regression, Zadrozny and Elkan 2002), corrects that. `calibrate`
fits both, and the temperatures of the scores, to data that the parser was not trained on.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dodona.data import Sentence
from dodona.data.ud import UNIVERSAL_TAGS
from dodona.errors import FormatError, OptionError

if TYPE_CHECKING:
    from dodona.parser.parser import Parser

__all__ = [
    "INPUTS",
    "NEEDED",
    "Calibration",
    "CalibrationExample",
    "Evidence",
    "calibrate",
    "check_temperature",
    "fit_calibration",
    "fit_logistic",
    "fit_temperature",
    "hold_back",
    "inputs_of",
    "sigmoid",
]

Numbers = NDArray[np.float64]

NEEDED = ("action", "sentence", "distance", "late", "bias")  # older models have only these
INPUTS = (*NEEDED, "root", "agreement", "both", *(f"upos={tag}" for tag in UNIVERSAL_TAGS))
SURE = 0.999  # probabilities are clipped to it: beyond it, scores do not tell correct arcs from wrong ones
AGREED = 0.99  # and the agreement of a beam to this: beyond it, the few trees of a beam say no more
LARGEST = 1e6
COLDEST = 1e-6
MAX_POINTS = 64

RIDGE = 1.0  # keeps the weights finite where all arcs are correct, or a threshold separates them, or a tag is rare
MAX_STEPS = 100  # of the regression
WEIGHT_DECIMALS = 6  # the same weights, whatever the order in which a computer adds up the same data
KNOTS = 12  # points of the curve at most
ARCS_OF_A_POINT = 100  # at least
PRIOR = 20  # arcs that count as if they were as the regression says
GAP = 1e-3  # between two points at least
EDGE = 1e-6  # no point is nearer to 0 or 1

CANDIDATES = np.geomspace(1, 100_000, 81)  # temperatures of the scores of derivations
BEAM = 8  # width for which a model is calibrated that was trained without a beam
WORDS = 20_000  # that are parsed at most: more do not make it better, and training should not take longer for it
FEW = 5_000  # words to compare temperatures on, and that are held back at most
ENOUGH = 20_000  # words of a treebank of which a part can be held back
LOSS_DECIMALS = 6  # of losses that are compared
TEMPERATURES = (20.0, 30.0, 45.0, 70.0, 100.0, 150.0)  # the more actions a linear model has, the lower

ROWS = {tag: i for i, tag in enumerate(UNIVERSAL_TAGS)}
ONE_OF = np.vstack([np.eye(len(UNIVERSAL_TAGS)), np.zeros(len(UNIVERSAL_TAGS))])  # the last row is for any other tag


class Evidence(NamedTuple):
    """What is known about the arcs of a parsed sentence."""

    raw: Sequence[float] | Numbers
    """The `confidence` that `GreedySearch` fills in: the mean logarithm, then a probability for each word."""
    heads: Sequence[int]
    upos: Sequence[str]
    agreement: Sequence[float] | Numbers | None = None
    """For each word the share of the final beam that agrees on its arc; None without a beam."""


CalibrationExample = tuple[Evidence, Sequence[bool] | NDArray[np.bool_]]
"""A parsed sentence, and for each word whether its head and label are correct."""


@dataclass(frozen=True)
class Calibration:
    """The weights of

    action      the logit of the probability of the action that built the arc; 0 for a late word
    sentence    the mean logarithm of the probabilities of all actions of the sentence
    distance    the logarithm of the distance between head and dependent; 0 for words under ROOT
    late        1 for a word that no action has attached, so that it hangs on ROOT in the end
    bias        1
    root        1 for a word under ROOT
    agreement   the logit of the share of the beam that agrees on the arc; 0 without a beam
    both        action times agreement: where the beam agrees, the action tells less, or more
    upos=TAG    1 for a word with this tag

    and points of the curve from their sum to the logit of the confidence: linear between two points, and with a slope
    of 1 beyond them. By default the action's probability is taken as it is.
    """

    weights: Mapping[str, float] = field(default_factory=lambda: {"action": 1.0})
    curve: tuple[tuple[float, float], ...] = ()

    def apply(self, evidence: Evidence) -> list[float]:
        """Return for each word how probable it is that its head and label are correct."""
        weights = [self.weights.get(name, 0.0) for name in INPUTS]
        confidence: list[float] = sigmoid(self.bend(inputs_of(evidence) @ np.array(weights))).tolist()
        return confidence

    def bend(self, sums: Numbers) -> Numbers:
        """Return the logits that the curve has for weighted sums of inputs."""
        if not self.curve:
            return sums
        x, y = np.array(self.curve).T
        inside = np.clip(sums, x[0], x[-1])
        bent: Numbers = np.interp(inside, x, y) + (sums - inside)
        return bent

    def description(self) -> dict[str, Any]:
        """Return weights and curve by their names, for a model file."""
        kept = {name: self.weights.get(name, 0.0) for name in INPUTS if name in NEEDED or name in self.weights}
        return kept | ({"curve": [list(point) for point in self.curve]} if self.curve else {})

    @classmethod
    def from_description(cls, description: Any, where: str = "calibration") -> "Calibration":
        """Restore what `description` has returned; `where` is named in errors."""
        if not isinstance(description, dict) or not set(NEEDED) <= set(description) <= {*INPUTS, "curve"}:
            expected = f"a number each for {', '.join(NEEDED)}, and perhaps for other inputs, and a curve"
            raise FormatError(f"{where}: {description!r}; expected {expected}")
        weights = {name: _number(value, f"{where}: {name}") for name, value in description.items() if name != "curve"}
        return cls(weights, _check_curve(description["curve"], where) if "curve" in description else ())


def inputs_of(evidence: Evidence) -> Numbers:
    """Return a row for each word, a column for each of INPUTS."""
    values, above = np.asarray(evidence.raw, dtype=np.float64), np.asarray(evidence.heads, dtype=np.int64)
    n = len(above)
    late = values[1:] == 0
    distance = np.where(above == 0, 1, np.abs(above - np.arange(1, n + 1)))
    inputs = np.zeros((n, len(INPUTS)))
    inputs[:, 0] = _logit(np.where(late, 0.5, values[1:]), SURE)
    inputs[:, 1] = values[0]
    inputs[:, 2] = np.log(np.maximum(distance, 1))
    inputs[:, 3] = late
    inputs[:, 4] = 1
    inputs[:, 5] = above == 0
    if evidence.agreement is not None:
        inputs[:, 6] = _logit(np.asarray(evidence.agreement, dtype=np.float64), AGREED)
        inputs[:, 7] = inputs[:, 0] * inputs[:, 6]
    inputs[:, 8:] = ONE_OF[[ROWS.get(tag, -1) for tag in evidence.upos]]
    return inputs


def sigmoid(values: Numbers) -> Numbers:
    return 0.5 + 0.5 * np.tanh(values / 2)  # does not overflow


def _logit(probability: Numbers, most: float) -> Numbers:
    clipped = np.clip(probability, 1 - most, most)
    logits: Numbers = np.log(clipped / (1 - clipped))
    return logits


def _number(value: Any, where: str) -> float:
    if type(value) not in (int, float) or not abs(value) <= LARGEST:  # nor NaN
        raise FormatError(f"{where} {value!r}; expected a number up to {LARGEST:.0f}")
    return float(value)


def _check_curve(points: Any, where: str) -> tuple[tuple[float, float], ...]:
    if not isinstance(points, list) or not 2 <= len(points) <= MAX_POINTS:
        raise FormatError(f"{where}: curve {points!r}; expected 2 to {MAX_POINTS} points, two numbers each")
    curve = []
    for point in points:
        if not isinstance(point, list) or len(point) != 2:
            raise FormatError(f"{where}: curve with {point!r}; expected two numbers for each point")
        curve.append((_number(point[0], f"{where}: curve with"), _number(point[1], f"{where}: curve with")))
    if any(after[0] <= before[0] or after[1] < before[1] for before, after in pairwise(curve)):
        raise FormatError(f"{where}: curve {points!r}; expected points that rise")
    return tuple(curve)


def check_temperature(value: Any) -> float:
    """Return the temperature of a model file, by which scores are divided before they become probabilities."""
    if type(value) not in (int, float) or not COLDEST <= value <= 1 / COLDEST:
        raise OptionError(f"temperature {value!r}; expected a number from {COLDEST} to {1 / COLDEST}")
    return float(value)


def fit_calibration(examples: Iterable[CalibrationExample]) -> Calibration:
    """Return the weights that minimize the log loss plus RIDGE / 2 times their squares, and a curve.

    Without any word, the default is returned.
    """
    rows, verdicts = [np.zeros((0, len(INPUTS)))], [np.zeros(0)]
    for evidence, correct in examples:
        rows.append(inputs_of(evidence))
        verdicts.append(np.asarray(correct, dtype=np.float64))
    inputs, right = np.concatenate(rows), np.concatenate(verdicts)
    if not len(inputs):
        return Calibration()
    # a beam's inputs for a beam only, and no weights for tags that do not occur
    used = np.abs(inputs).max(axis=0) > 0
    weights = np.zeros(len(INPUTS))
    weights[used] = np.round(fit_logistic(inputs[:, used], right), WEIGHT_DECIMALS)
    kept = used | np.isin(INPUTS, NEEDED)
    named = dict(zip(np.array(INPUTS)[kept].tolist(), weights[kept].tolist(), strict=True))
    return Calibration(named, _fit_curve(inputs @ weights, right))


def fit_logistic(inputs: Numbers, right: Numbers) -> Numbers:
    """Return the weights that minimize the log loss plus RIDGE / 2 times their squares, by Newton's method."""
    weights = np.zeros(inputs.shape[1])
    loss = _loss(weights, inputs, right)
    for _ in range(MAX_STEPS):
        sure = sigmoid(inputs @ weights)
        slope = inputs.T @ (sure - right) + RIDGE * weights
        curvature = (inputs.T * (sure * (1 - sure))) @ inputs + RIDGE * np.eye(len(weights))
        step = np.linalg.solve(curvature, slope)
        while (less := _loss(weights - step, inputs, right)) > loss and np.abs(step).max() > 1e-12:
            step /= 2  # too far: the loss is convex, so a shorter step in the same direction lowers it
        weights, loss = weights - step, less
        if np.abs(step).max() < 1e-9:
            break
    return weights


def _loss(weights: Numbers, inputs: Numbers, right: Numbers) -> float:
    values = inputs @ weights
    return float((np.logaddexp(0, values) - right * values).sum() + RIDGE / 2 * (weights @ weights))


def _fit_curve(sums: Numbers, right: Numbers) -> tuple[tuple[float, float], ...]:
    """Return the points of a rising curve: arcs are grouped by their sums, and a group that is right less often than
    the one below it is merged with it (pool adjacent violators).

    Each group has PRIOR arcs more for which the regression is believed, so neither all nor none are right.
    """
    count = min(KNOTS, len(sums) // ARCS_OF_A_POINT)
    if count < 2:
        return ()
    groups: list[Numbers] = []  # how many arcs, the total of their sums, how many are right
    for part in np.array_split(np.argsort(sums, kind="stable"), count):
        arcs, believed = len(part), PRIOR * sigmoid(sums[part]).mean()
        group = np.array([arcs, sums[part].sum(), (right[part].sum() + believed) * arcs / (arcs + PRIOR)])
        if groups and _mean([group], 1) - _mean(groups[-1:], 1) < GAP:
            group = groups.pop() + group
        groups.append(group)
    if len(groups) < 2:
        return ()
    pools: list[list[Numbers]] = []
    for group in groups:
        pools.append([group])
        while len(pools) > 1 and _mean(pools[-2], 2) > _mean(pools[-1], 2):
            last = pools.pop()
            pools[-1] += last
    shares = [(_mean([group], 1), min(max(_mean(pool, 2), EDGE), 1 - EDGE)) for pool in pools for group in pool]
    return tuple((round(x, WEIGHT_DECIMALS), round(float(np.log(y / (1 - y))), WEIGHT_DECIMALS)) for x, y in shares)


def _mean(groups: list[Numbers], column: int) -> float:
    """Return the mean over the arcs of these groups of their sums (column 1), or of how many are right (2)."""
    total = np.sum(groups, axis=0)
    return float(total[column] / total[0])


def fit_temperature(parser: "Parser", gold: Iterable[Sentence]) -> float:
    """Return the candidate that minimizes the log loss of the confidences of the best tree's arcs, correct or not."""
    loss = np.zeros(len(CANDIDATES))
    for sentence in gold:
        ends = parser.ends(sentence)
        scores = np.array([score for score, _, _ in ends])
        masses = np.exp((scores - scores[0])[None, :] / CANDIDATES[:, None])
        masses /= masses.sum(axis=1, keepdims=True)
        _, heads, labels = ends[0]
        for k, truth in enumerate(zip(sentence.gold_heads(), sentence.labels, strict=True)):
            arc = heads[k], labels[k]
            agreeing = np.array([(other_heads[k], other_labels[k]) == arc for _, other_heads, other_labels in ends])
            confidence = np.clip(masses @ agreeing, 1 - SURE, SURE)
            loss -= np.log(confidence if arc == truth else 1 - confidence)
    return float(CANDIDATES[loss.argmin()])


def calibrate(parser: "Parser", gold: Sequence[Sentence]) -> None:
    """Fit the parser's confidence to gold trees, with the tags that it will see; the sentences are not changed."""
    some = sample_evenly(gold, WORDS)
    if parser.options.beam > 1:
        parser.temperature = fit_temperature(parser, some)
    if parser.options.scorer == "linear":  # the scores of a network are logarithms of probabilities already
        parser.action_temperature = _action_temperature(parser, sample_evenly(gold, FEW))
    parser.calibration = fit_calibration(parser.examples(some, 1))
    if parser.has_beam:
        width = parser.options.beam if parser.options.beam > 1 else BEAM
        parser.beam_calibration = fit_calibration(parser.examples(some, width))


def sample_evenly(sentences: Sequence[Sentence], most: int) -> Sequence[Sentence]:
    """Return sentences from all over, with about this many words at most: every k-th one."""
    words = sum(map(len, sentences))
    return sentences[:: max(1, -(-words // most))]


def hold_back(sentences: Sequence[Sentence]) -> set[int]:
    """Return the numbers of the sentences that are not trained on if there are no others to calibrate on.

    One in twenty, with 5,000 words together at most, of a treebank that is large enough; only those with a whole tree.
    """
    words = sum(map(len, sentences))
    if words < ENOUGH:
        return set()
    step = max(20, -(-words // FEW))
    chosen = range(step - 1, len(sentences), step)
    return {i for i in chosen if None not in sentences[i].heads}


def _action_temperature(parser: "Parser", gold: Sequence[Sentence]) -> float:
    """Return the temperature under which greedy parses can be calibrated best."""

    def loss(temperature: float) -> float:
        parser.action_temperature = temperature
        examples = list(parser.examples(gold, 1))
        return round(log_loss(fit_calibration(examples), examples), LOSS_DECIMALS)

    return min(TEMPERATURES, key=loss)


def log_loss(calibration: Calibration, examples: Sequence[CalibrationExample]) -> float:
    """Return the sum of the negative logarithms of the probabilities of what is true."""
    total = 0.0
    for evidence, correct in examples:
        sure = np.array(calibration.apply(evidence))
        total -= float(np.log(np.where(correct, sure, 1 - sure)).sum())
    return total
