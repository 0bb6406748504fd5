"""Evaluation of parses: scores, error analysis, significance of differences, calibration."""

from dodona.evaluation.attachment import (
    Comparison,
    LengthBin,
    Rate,
    attachment,
    by_distance,
    by_length,
    by_relation,
    compare,
)
from dodona.evaluation.conll18 import METRICS, Score, Scores, evaluate
from dodona.evaluation.significance import Difference, Wilcoxon, approximate_randomization, differences, wilcoxon

__all__ = [
    "METRICS", "Comparison", "Difference", "LengthBin", "Rate", "Score", "Scores", "Wilcoxon",
    "approximate_randomization", "attachment", "by_distance", "by_length", "by_relation", "compare", "differences",
    "evaluate", "wilcoxon",
]  # fmt: skip
