"""A bidirectional LSTM in float64 with the true tanh and sigmoid: what the quantized encoder stands for."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def random_weights(seed: int, inputs: int, width: int, layers: int) -> dict[str, Floats]:
    """Matrices [inputs, 4 * width] by the names of the model's arrays."""
    chance = np.random.default_rng(seed)
    weights = {}
    for layer in range(layers):
        for direction in ("forward", "backward"):
            name = f"layer{layer}.{direction}"
            depth = 2 * width if layer else inputs
            weights[f"{name}.input"] = chance.normal(0, 1.5 / np.sqrt(depth), (depth, 4 * width))
            weights[f"{name}.recurrent"] = chance.normal(0, 1 / np.sqrt(width), (width, 4 * width))
            weights[f"{name}.bias"] = chance.normal(0, 0.5, 4 * width)
    return weights


def sigmoid(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-x)))


def run(inputs: Floats, weights: Mapping[str, Floats], name: str, width: int) -> Floats:
    h, c, outputs = np.zeros(width), np.zeros(width), np.zeros((len(inputs), width))
    for time, row in enumerate(inputs):
        z = row @ weights[f"{name}.input"] + h @ weights[f"{name}.recurrent"] + weights[f"{name}.bias"]
        i, f, g, o = z.reshape(4, width)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = outputs[time] = sigmoid(o) * np.tanh(c)
    return outputs


def encode(x: Floats, lengths: list[int], weights: Mapping[str, Floats], width: int, layers: int) -> list[Floats]:
    found = []
    for layer in range(layers):
        rows, begin = [], 0
        for length in lengths:
            sentence = x[begin : begin + length]
            forward = run(sentence, weights, f"layer{layer}.forward", width)
            backward = run(sentence[::-1], weights, f"layer{layer}.backward", width)[::-1]
            rows.append(np.concatenate((forward, backward), axis=1))
            begin += length
        x = np.concatenate(rows)
        found.append(x)
    return found
