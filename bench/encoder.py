"""The quantized encoder with random weights: `python bench/encoder.py`, no treebank needed.

Words per CPU second on one core for each kernel and several sizes, in batches of 64 sentences that are about as long as
those of English; best of several runs. The encoder and the dense layer over its outputs, and both together.
"""

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dodona.neural.encoder import Dense, Encoder, Network, kernels, quantize

SIZES = (
    (256, 160, 2, 1280),
    (256, 192, 3, 1280),
    (256, 256, 3, 1280),
)  # inputs, width, layers, outputs of the dense layer
BATCH = 64
RUNS = 20


def lengths_like_english(generator: np.random.Generator) -> NDArray[np.int32]:
    """Mean 17, a few long ones."""
    return np.clip(np.rint(generator.gamma(2.2, 17 / 2.2, BATCH)), 1, 80).astype(np.int32)


def random_network(
    generator: np.random.Generator, inputs: int, width: int, layers: int
) -> dict[str, NDArray[np.int8] | NDArray[np.float32]]:
    arrays: dict[str, NDArray[np.int8] | NDArray[np.float32]] = {"input.scale": np.full(1, 0.03, np.float32)}
    for layer in range(layers):
        for direction in ("forward", "backward"):
            name = f"layer{layer}.{direction}"
            for part, depth in (("input", 2 * width if layer else inputs), ("recurrent", width)):
                matrix = generator.normal(0, 2 / np.sqrt(depth), (depth, 4 * width)).astype(np.float32)
                arrays[f"{name}.{part}"], arrays[f"{name}.{part}_scales"] = quantize(matrix)
            arrays[f"{name}.bias"] = np.zeros(4 * width, np.float32)
    return arrays


def seconds(job: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(RUNS):
        begin = time.thread_time()
        job()
        best = min(best, time.thread_time() - begin)
    return best


def main() -> None:
    generator = np.random.default_rng(1)
    lengths = lengths_like_english(generator)
    words = int(lengths.sum())
    print(f"batches of {BATCH} sentences, {words} words; words per CPU second")
    for inputs, width, layers, outputs in SIZES:
        arrays = random_network(generator, inputs, width, layers)
        weights, scales = quantize(generator.normal(0, 1, (2 * width, outputs)).astype(np.float32))
        x = generator.normal(0, 1, (words, inputs)).astype(np.float32)
        for kernel in kernels():
            encoder = Encoder(Network(arrays, inputs=inputs, width=width, layers=layers, kernel=kernel))
            dense = Dense(weights, scales, np.zeros(outputs, np.float32), 2 * width, kernel)
            top = encoder.encode(x, lengths)[-1]
            encoding = seconds(lambda encoder=encoder, x=x: encoder.encode(x, lengths))  # type: ignore[misc]
            projecting = seconds(lambda dense=dense, top=top: dense.apply(top))  # type: ignore[misc]
            print(
                f"{inputs} x {width} x {layers}, dense {outputs}, {kernel:>10}: encoder {words / encoding:>8,.0f},"
                f" dense {words / projecting:>8,.0f}, both {words / (encoding + projecting):>8,.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
