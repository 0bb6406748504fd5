"""Temperature scaling: the temperature that calibrates the confidence of a beam on development data."""

from collections.abc import Iterable

import numpy as np

from dodona.components.parser import Parser
from dodona.data import Sentence

__all__ = ["fit_temperature"]

CANDIDATES = np.geomspace(1, 100_000, 81)
SURE = 0.999  # confidences are clipped to it, so that a beam that agrees completely on a wrong arc has a finite loss


def fit_temperature(parser: Parser, gold: Iterable[Sentence]) -> float:
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
