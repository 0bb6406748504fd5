"""How much a score varies over the folds of a cross-validation."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from dodona.data import Sentence
from dodona.evaluation.attachment import attachment, compare
from dodona.evaluation.conll18 import evaluate

__all__ = ["SCORES", "Spread", "scores_of", "spread", "unpredicted"]

FULL_LAS = "LAS with subtypes"
SCORES = ("UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS", FULL_LAS, "CLAS", "MLAS", "BLEX")
NEEDS = {"XPOS": "xpos", "UFeats": "feats", "Lemmas": "lemmas", "UPOS": "upos", "MLAS": "upos", "BLEX": "lemmas"}


@dataclass(frozen=True)
class Spread:
    """`deviation` is the standard deviation of a sample: the sum of squares is divided by one less than the folds."""

    mean: float
    deviation: float
    least: float
    greatest: float


def spread(scores: Iterable[float | None]) -> Spread | None:
    """Return the spread of two or more scores; None if one of them is missing."""
    found = list(scores)
    values = [score for score in found if score is not None]
    if len(values) < len(found):
        return None
    return Spread(fmean(values), stdev(values), min(values), max(values))


def unpredicted(gold: Iterable[Sentence], predicted: Collection[str]) -> set[str]:
    """Return the names of scores that say nothing: their column is not among the predicted, or empty in gold."""
    columns = set(NEEDS.values()) & set(predicted)
    filled = {column for sentence in gold for column in columns if not sentence.lacks(column)}
    return {name for name, column in NEEDS.items() if column not in filled}


def scores_of(
    gold: Sequence[Sentence], system: Sequence[Sentence], without: Collection[str] = ()
) -> dict[str, float | None]:
    """Return SCORES in percent for a parse of the same words: those of CoNLL 2018, and LAS with full labels.

    Those named in `without` are None.
    """
    found = {name: score.f1 for name, score in evaluate(gold, system).items()}
    found[FULL_LAS] = attachment(compare(gold, system))["LAS"].accuracy
    return {name: None if name in without else 100 * found[name] for name in SCORES}
