"""The quantized encoder one word after the other, in numpy: products in 64-bit integers, gates in float32.

Every float operation is one of numpy on float32, in the order that the compiled encoder promises; so both must give the
same bits.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Bytes = NDArray[np.int8]
MOST = np.float32(127)
END = np.float32(6.9)
ABOVE = [np.float32(number) for number in (3.98521335e-06, 2.288584545e-03, 1.231513839e-01, 9.999961229e-01)]
BELOW = [np.float32(number) for number in (1.436149722e-04, 2.112613556e-02, 4.564712462e-01, 1.0)]
HALF = np.float32(0.5)


def between(x: Floats, most: np.float32) -> Floats:
    """A NaN becomes the low end, because no comparison with it is true."""
    x = np.where(x > -most, x, -most)
    return np.where(x < most, x, most)


def tanh(x: Floats) -> Floats:
    x = between(x, END)
    square = x * x
    above, below = (coefficients[0] * np.ones_like(x) for coefficients in (ABOVE, BELOW))
    for number in ABOVE[1:]:
        above = above * square + number
    for number in BELOW[1:]:
        below = below * square + number
    return np.asarray((x * above) / below)


def sigmoid(x: Floats) -> Floats:
    return HALF * tanh(HALF * x) + HALF


def rounded(x: Floats) -> Bytes:
    return np.rint(between(x, MOST)).astype(np.int8)


def products(row: Bytes, weights: Bytes, outputs: int) -> Floats:
    """Exact, then rounded to float32 once."""
    return (weights.reshape(outputs, len(row)).astype(np.int64) @ row.astype(np.int64)).astype(np.float32)


def one_step(inputs: Floats, states: Floats, scales: tuple[Floats, Floats, Floats], c: Floats) -> tuple[Floats, Bytes]:
    """(c, h) after a step, from the sums of products of the four gates."""
    input_scales, recurrent_scales, bias = scales
    z = inputs * input_scales + bias
    z = z + states * recurrent_scales
    i, f, g, o = z.reshape(4, len(c))
    c = sigmoid(f) * c + sigmoid(i) * tanh(g)
    return c, rounded((sigmoid(o) * tanh(c)) * MOST)


def run(inputs: Bytes, arrays: Mapping[str, NDArray[Any]], name: str, input_scale: np.float32, width: int) -> Bytes:
    """One direction over one sentence, in the order of `inputs`."""
    input_scales = arrays[f"{name}.input_scales"] * input_scale
    recurrent_scales = arrays[f"{name}.recurrent_scales"] * (np.float32(1) / MOST)
    h, c = np.zeros(width, np.int8), np.zeros(width, np.float32)
    outputs = []
    for row in inputs:
        inputs_to_gates = products(row, arrays[f"{name}.input"], 4 * width)
        states_to_gates = products(h, arrays[f"{name}.recurrent"], 4 * width)
        c, h = one_step(inputs_to_gates, states_to_gates, (input_scales, recurrent_scales, arrays[f"{name}.bias"]), c)
        outputs.append(h)
    return np.array(outputs, np.int8).reshape(len(inputs), width)


def encode(x: Floats, lengths: list[int], arrays: Mapping[str, NDArray[Any]], width: int, layers: int) -> list[Bytes]:
    """The outputs of every layer; each sentence on its own."""
    (scale,) = arrays["input.scale"]
    with np.errstate(all="ignore"):
        inputs = rounded(x * (np.float32(1) / scale))
        found = []
        for layer in range(layers):
            rows, begin = [np.zeros((0, 2 * width), np.int8)], 0
            for length in lengths:
                sentence = inputs[begin : begin + length]
                forward = run(sentence, arrays, f"layer{layer}.forward", scale, width)
                backward = run(sentence[::-1], arrays, f"layer{layer}.backward", scale, width)[::-1]
                rows.append(np.concatenate((forward, backward), axis=1))
                begin += length
            inputs, scale = np.concatenate(rows), np.float32(1) / MOST
            found.append(inputs)
    return found


def dense(values: Bytes, weights: Bytes, scales: Floats, bias: Floats) -> Floats:
    scales = scales * (np.float32(1) / MOST)
    rows = [products(row, weights, len(scales)) * scales + bias for row in values]
    return np.array(rows, np.float32).reshape(len(values), len(scales))
