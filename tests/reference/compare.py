"""What two learners, a compiled and a naive one, must agree on."""

from functools import partial

import numpy as np
import pytest
from reference.features import View
from reference.perceptron import AveragedWeights, Features

from dodona import Sentence
from dodona.linear.weights import Weights
from dodona.transitions.state import State


def features_of(sentence: Sentence, templates: list[str]) -> Features:
    """The features of its configurations, by the naive extractor."""
    return partial(_names, sentence, templates)


def _names(sentence: Sentence, templates: list[str], s: State, site: int) -> list[int]:
    return View.of(s, sentence, site).names(templates)


def check_same(compiled: Weights, naive: AveragedWeights) -> None:
    """The weights to the last bit, their averages as well as single precision can tell."""
    assert compiled.now == naive.steps
    for feature in {feature for feature, _ in naive.now}:
        row = compiled.scores(np.array([feature], np.uint64))
        assert row == [naive.now.get((feature, action), 0.0) for action in range(compiled.actions)]
    keys, actions, values = (column.tolist() for column in compiled.averages())
    pairs = list(zip(keys, actions, strict=True))
    assert pairs == sorted(set(pairs))
    assert 0 not in values
    found = dict(zip(pairs, values, strict=True))
    wanted = naive.averages()
    for key in found.keys() | wanted.keys():
        assert found.get(key, 0.0) == pytest.approx(wanted.get(key, 0.0), rel=1e-5, abs=1e-6), key
