"""How far confidence can be believed: `python bench/confidence.py DIAGRAM.svg MODEL DEV TEST [MODEL DEV TEST …]`.

Calibrates each model on DEV, parses TEST greedily and with a beam of 8, both with the tags that they have, and prints
the expected calibration error in the bins of `dodona evaluate` and in ten bins of equal width, and which share of the
errors is found by reading the least sure 5, 10, 20 and 50 % of the words. The diagram has the mean over all TEST.
"""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dodona import read
from dodona.data.files import output
from dodona.evaluation import compare
from dodona.evaluation.calibration import SHARES, confidences, count_found_errors, reliability
from dodona.evaluation.diagrams import curve_diagram
from dodona.parser.confidence import BEAM, calibrate
from dodona.parser.parser import Parser, Request
from dodona.pipeline.pipeline import Pipeline

POINTS = [k / 50 for k in range(51)]


def equal_bins(confidence: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """Return the expected calibration error in ten bins of equal width."""
    number = np.minimum(9, (10 * confidence).astype(int))
    sums = np.bincount(number, weights=confidence - right, minlength=10)
    return float(np.abs(sums).sum() / max(1, len(confidence)))


def measured(parser: Parser, test: Path, width: int) -> tuple[str, list[float], list[float]]:
    """Return a line of numbers, and the shares of errors found at POINTS, by words and by sentences."""
    gold = list(read(test))
    parsed = list(Pipeline(parser).parse([each.copy() for each in gold], Request(width, confidence=True)))
    sure, comparison = confidences(parsed), compare(gold, parsed)
    error = 100 * (reliability(comparison, sure).error or 0)
    equal = 100 * equal_bins(sure, comparison.arc_right)
    shares = [100 * one.in_words.accuracy for one in count_found_errors(comparison, sure, SHARES)]
    curve = count_found_errors(comparison, sure, POINTS)
    line = f"{error:8.2f}{equal:8.2f}   " + "".join(f"{share:6.1f}" for share in shares)
    return line, [one.in_words.accuracy for one in curve], [one.in_sentences.accuracy for one in curve]


def main() -> None:
    diagram, *files = sys.argv[1:]
    curves: list[tuple[list[float], list[float]]] = []
    print(f"{'':34}{'error':>8}{'equal':>8}   " + "".join(f"{100 * share:5.0f}%" for share in SHARES))
    for model, dev, test in zip(*[iter(files)] * 3, strict=True):
        parser = Pipeline.load(model).parser
        calibrate(parser, list(read(dev)))
        for width in (1, BEAM):
            line, words, sentences = measured(parser, Path(test), width)
            print(f"{Path(test).name[:22]:22} beam {width:<7}{line}", flush=True)
            if width == 1:
                curves.append((words, sentences))
    words, sentences = np.mean(np.array(curves), axis=0)
    means = {"words": words.tolist(), "whole sentences": sentences.tolist()}
    lines = {name: list(zip(POINTS, mean, strict=True)) for name, mean in means.items()}
    title = f"errors found, mean of {len(curves)} test parts"
    with output(diagram) as out:
        out.write(curve_diagram(lines, title))


if __name__ == "__main__":
    if len(sys.argv) < 5 or len(sys.argv) % 3 != 2:
        sys.exit(__doc__)
    main()
