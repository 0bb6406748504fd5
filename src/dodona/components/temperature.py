"""How far scores must be apart to be sure: the temperature that makes a beam's confidence fit the truth."""

from collections.abc import Iterable

import numpy as np

from dodona.components.parser import Parser
from dodona.data import Sentence

__all__ = ["fit_temperature"]

CANDIDATES = np.geomspace(1, 100_000, 81)
SURE = 0.999  # what a beam that agrees completely is taken to say


def fit_temperature(parser: Parser, gold: Iterable[Sentence]) -> float:
    """Of many temperatures the one under which gold arcs are most likely, head and label together."""
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
