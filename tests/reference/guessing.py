"""The loss of guessed words, guess by guess, in plain numpy of double precision."""

from collections.abc import Sequence
from math import exp, log, sqrt

import numpy as np
from reference.network import Floats, Weights, layers


def encode(p: Weights, forms: Sequence[Sequence[int]], width: int, count: int) -> Floats:
    """The states of the top layer, for a sentence of forms: vocabulary, vector, subwords."""
    x = []
    for word, _, *subwords in forms:
        some = [p["subword"][number] for number in subwords if number > 0]
        mean = sum(some) / len(some) if some else np.zeros(p["subword"].shape[1])
        x.append(p["word"][word] @ p["input.word"] + mean @ p["input.subword"] + p["input.bias"])
    return layers(p, np.array(x), width, count)[-1]


def guess_loss(p: Weights, state: Floats, word: int, weights: dict[int, float]) -> float:
    """The loss of one guess. Each word but the right one counts as many times as `weights` says."""
    hidden = state @ p["guess.hidden"] + p["guess.hidden.bias"]
    # GELU, by its usual approximation
    hidden = np.array([x / 2 * (1 + np.tanh(sqrt(2 / np.pi) * (x + 0.044715 * x**3))) for x in hidden])
    scores = p["guess.word"] @ hidden + p["guess.bias"]
    total = exp(scores[word]) + sum(times * exp(scores[other]) for other, times in weights.items() if other != word)
    return log(total) - float(scores[word])
