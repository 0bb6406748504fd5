"""Arcs that may be annotation errors: a parser that has not seen the sentence is sure of another head or relation."""

from collections.abc import Sequence
from dataclasses import dataclass

from dodona.data import Sentence
from dodona.evaluation.calibration import confidences

__all__ = ["Suspect", "suspects"]


@dataclass(frozen=True)
class Suspect:
    """A word, and both of its arcs; `sentence` is counted from 0, `word` from 1."""

    confidence: float
    sentence: int
    word: int
    annotated_head: int
    annotated_label: str
    predicted_head: int
    predicted_label: str


def suspects(gold: Sequence[Sentence], parsed: Sequence[Sentence]) -> list[Suspect]:
    """Return all arcs that differ, those of which the parser is most sure first.

    `parsed` has the same sentences with `Confidence=` in MISC.
    """
    sure = iter(confidences(parsed).tolist())
    found = []
    for i, (one, other) in enumerate(zip(gold, parsed, strict=True)):
        arcs = zip(one.gold_heads(), one.labels, other.gold_heads(), other.labels, strict=True)
        for d, (head, label, other_head, other_label) in enumerate(arcs, start=1):
            confidence = next(sure)
            if (head, label) != (other_head, other_label):
                found.append(Suspect(confidence, i, d, head, label, other_head, other_label))
    return sorted(found, key=lambda each: (-each.confidence, each.sentence, each.word))
