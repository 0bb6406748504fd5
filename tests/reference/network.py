"""The network without dropout, word by word and configuration by configuration, in plain numpy of double precision."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import exp, log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from reference.float_encoder import run

Floats = NDArray[np.float64]
Weights = Mapping[str, Floats]


def word_input(p: Weights, form: Sequence[int], tag: Sequence[int], vectors: Floats | None) -> Floats:
    """What the first layer reads for a word. `form` is vocabulary, vector, subwords; 0 among the last is none."""
    word, vector, *subwords = form
    some = [p["subword"][number] for number in subwords if number > 0]
    mean = sum(some) / len(some) if some else np.zeros(p["subword"].shape[1])
    parts = np.zeros(p["tag"].shape[1])
    for number in tag:
        if number > 0:
            parts = parts + p["tag"][number]
    x = p["input.bias"] + p["word"][word] @ p["input.word"] + mean @ p["input.subword"] + parts @ p["input.tag"]
    return np.asarray(x if vectors is None else x + vectors[vector] @ p["input.vector"])


def layers(p: Weights, x: Floats, width: int, count: int) -> list[Floats]:
    """What each layer says of the words of a sentence."""
    found = []
    for layer in range(count):
        forward = run(x, p, f"layer{layer}.forward", width)
        backward = run(x[::-1], p, f"layer{layer}.backward", width)[::-1]
        x = np.hstack([forward, backward])
        found.append(x)
    return found


def contributions(p: Weights, encoded: Floats) -> Floats:
    """What a word adds to the hidden layer, at all positions."""
    return np.asarray(encoded @ p["positions"])


def ends(p: Weights) -> Floats:
    """The same of ROOT and nobody."""
    return np.array([np.tanh(p[name]) @ p["positions"] for name in ("root", "nobody")])


def tag_losses(p: Weights, seen: Sequence[Floats], gold: Sequence[Sequence[int]]) -> float:
    """For each kind of tags the mean of the losses of the words whose tag is known; all kinds together."""
    total = 0.0
    for kind, tags in enumerate(gold):
        lost = []
        for encoded, tag in zip(seen, tags, strict=True):
            if tag >= 0:
                scores = encoded @ p[f"head{kind}"] + p[f"head{kind}.bias"]
                lost.append(log(sum(exp(score) for score in scores)) - scores[tag])
        total += sum(lost) / len(lost) if lost else 0.0
    return total


def step_loss(p: Weights, rows: Floats, steps: Any) -> float:
    """The sum over the configurations of: log-sum of legal actions at all sites, minus log-sum of correct ones."""
    units = len(p["hidden.bias"])
    legal: dict[int, float] = defaultdict(float)
    correct: dict[int, float] = defaultdict(float)
    for words, labels, verdicts, step in zip(steps.words, steps.labels, steps.verdicts, steps.step_of, strict=True):
        hidden = p["hidden.bias"]
        for position, word in enumerate(words):
            hidden = hidden + rows[word, position * units : (position + 1) * units]
        for position, label in enumerate(labels):
            hidden = hidden + p["labels"][position, label]
        scores = np.maximum(hidden, 0) @ p["actions"] + p["actions.bias"]
        for score, verdict in zip(scores, verdicts, strict=True):
            if verdict >= 0:
                legal[step] += exp(score)
            if verdict == 1:
                correct[step] += exp(score)
    return sum(log(legal[step]) - log(correct[step]) for step in legal)
