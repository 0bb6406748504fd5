"""Calibration of a trained parser on gold trees that it was not trained on, greedy and with a beam."""

from collections.abc import Sequence

import numpy as np

from dodona.components.calibration_fit import Example, fit_calibration
from dodona.components.confidence import Calibration
from dodona.components.parser import Parser
from dodona.components.temperature import fit_temperature
from dodona.data import Sentence

__all__ = ["calibrate", "held_back"]

BEAM = 8  # width for which a model is calibrated that was trained without a beam
WORDS = 20_000  # that are parsed at most: more do not make it better, and training should not take longer for it
FEW = 5_000  # words to compare temperatures on, and that are held back at most
ENOUGH = 20_000  # words of a treebank of which a part can be held back
DECIMALS = 6  # of losses that are compared
TEMPERATURES = (20.0, 30.0, 45.0, 70.0, 100.0, 150.0)  # the more actions a linear model has, the lower


def calibrate(parser: Parser, gold: Sequence[Sentence]) -> None:
    """Fit the parser's confidence to gold trees, with the tags that it will see; the sentences are not changed."""
    some = spread(gold, WORDS)
    if parser.options.beam > 1:
        parser.temperature = fit_temperature(parser, some)
    if parser.options.scorer == "linear":  # the scores of a network are logarithms of probabilities already
        parser.action_temperature = _action_temperature(parser, spread(gold, FEW))
    parser.calibration = fit_calibration(parser.examples(some, 1))
    if parser.has_beam:
        width = parser.options.beam if parser.options.beam > 1 else BEAM
        parser.beam_calibration = fit_calibration(parser.examples(some, width))


def spread(sentences: Sequence[Sentence], most: int) -> Sequence[Sentence]:
    """Return sentences from all over, with about this many words at most: every k-th one."""
    words = sum(map(len, sentences))
    return sentences[:: max(1, -(-words // most))]


def held_back(sentences: Sequence[Sentence]) -> set[int]:
    """Return the numbers of the sentences that are not trained on if there are no others to calibrate on.

    One in twenty, with 5,000 words together at most, of a treebank that is large enough; only those with a whole tree.
    """
    words = sum(map(len, sentences))
    if words < ENOUGH:
        return set()
    step = max(20, -(-words // FEW))
    chosen = range(step - 1, len(sentences), step)
    return {i for i in chosen if None not in sentences[i].heads}


def _action_temperature(parser: Parser, gold: Sequence[Sentence]) -> float:
    """Return the temperature under which greedy parses can be calibrated best."""
    losses = []
    for temperature in TEMPERATURES:
        parser.action_temperature = temperature
        examples = list(parser.examples(gold, 1))
        losses.append(round(log_loss(fit_calibration(examples), examples), DECIMALS))
    return TEMPERATURES[losses.index(min(losses))]


def log_loss(calibration: Calibration, examples: Sequence[Example]) -> float:
    """Return the sum of the negative logarithms of the probabilities of what is true."""
    total = 0.0
    for evidence, correct in examples:
        sure = np.array(calibration.apply(evidence))
        total -= float(np.log(np.where(correct, sure, 1 - sure)).sum())
    return total
