"""The quantized encoder: bit for bit the naive one, with every kernel, in every batch, from any thread and any file."""

import platform
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from reference import quantized_encoder as reference
from reference.float_encoder import encode as float_encode
from reference.float_encoder import random_weights

from dodona.neural.encoder import Dense, Encoder, Network, kernels, quantize, run_step

Arrays = dict[str, NDArray[Any]]
SIZES = [(1, 1, 1), (3, 5, 2), (16, 16, 1), (19, 17, 3), (37, 6, 2), (70, 33, 2), (64, 48, 1)]  # inputs, width, layers
EXTREME = np.array([-128, -127, -1, 0, 1, 127], np.int8)


def random_arrays(seed: int, inputs: int, width: int, layers: int, extreme: bool = False) -> Arrays:
    """Scales such that gates are neither all open nor all shut."""
    chance = np.random.default_rng(seed)
    arrays: Arrays = {"input.scale": np.array([0.02], np.float32)}
    for layer in range(layers):
        for direction in ("forward", "backward"):
            name = f"layer{layer}.{direction}"
            for part, depth in (("input", 2 * width if layer else inputs), ("recurrent", width)):
                count = 4 * width * depth
                numbers = chance.choice(EXTREME, count) if extreme else chance.integers(-127, 128, count)
                arrays[f"{name}.{part}"] = numbers.astype(np.int8)
                scales = chance.random(4 * width) * 4 / (127 * np.sqrt(depth))
                arrays[f"{name}.{part}_scales"] = scales.astype(np.float32)
            arrays[f"{name}.bias"] = chance.normal(size=4 * width).astype(np.float32)
    return arrays


def random_batch(seed: int, inputs: int, sentences: int, longest: int) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    chance = np.random.default_rng(seed)
    lengths = chance.integers(0, longest + 1, sentences).astype(np.int32)
    lengths[sentences // 2 :: 9] = 0
    return chance.normal(size=(int(lengths.sum()), inputs)).astype(np.float32), lengths


def encoder(arrays: Arrays, inputs: int, width: int, layers: int, kernel: str | None = None) -> Encoder:
    return Encoder(Network(arrays, inputs=inputs, width=width, layers=layers, kernel=kernel))


def assert_same(found: list[NDArray[np.int8]], expected: list[NDArray[np.int8]]) -> None:
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == np.int8
        np.testing.assert_array_equal(one, other)


def test_kernels_are_those_of_the_machine() -> None:
    assert kernels()[-1] == "portable"
    assert Network(random_arrays(1, 2, 2, 1), inputs=2, width=2, layers=1).kernel == kernels()[0]
    if sys.platform == "linux" and platform.machine() == "x86_64":
        flags = subprocess.run(
            ["grep", "-m1", "^flags", "/proc/cpuinfo"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        ).stdout.split()
        assert ("avx2" in kernels()) == ("avx2" in flags)
        assert ("avx512vnni" in kernels()) == ("avx512_vnni" in flags)


@pytest.mark.parametrize("extreme", [False, True], ids=["usual", "extreme"])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("kernel", kernels())
def test_same_bits_as_the_naive_encoder(kernel: str, sizes: tuple[int, int, int], extreme: bool) -> None:
    inputs, width, layers = sizes
    arrays = random_arrays(7, inputs, width, layers, extreme)
    x, lengths = random_batch(8, inputs, 17, 40)
    if extreme:
        x = np.sign(x) * np.float32(1000)
    expected = reference.encode(x, lengths.tolist(), arrays, width, layers)
    assert len(np.unique(expected[-1])) > 4, "a network that says nothing tests nothing"
    assert_same(encoder(arrays, *sizes, kernel).encode(x, lengths), expected)


@pytest.mark.parametrize("kernel", kernels())
def test_more_sentences_and_words_than_the_workspace_has(kernel: str) -> None:
    sizes = inputs, width, layers = 5, 3, 2
    arrays = random_arrays(3, *sizes)
    x, lengths = random_batch(4, inputs, 600, 4)
    assert_same(
        encoder(arrays, *sizes, kernel).encode(x, lengths), reference.encode(x, list(lengths), arrays, width, layers)
    )
    x, lengths = random_batch(5, inputs, 2, 1500)
    assert lengths.max() > 512
    assert_same(
        encoder(arrays, *sizes, kernel).encode(x, lengths), reference.encode(x, list(lengths), arrays, width, layers)
    )


@pytest.mark.parametrize("kernel", kernels())
def test_a_sentence_is_the_same_in_any_batch(kernel: str) -> None:
    sizes = 20, 18, 2
    one = encoder(random_arrays(11, *sizes), *sizes, kernel)
    x, lengths = random_batch(12, 20, 30, 40)
    whole = one.encode(x, lengths)
    ends = np.cumsum(lengths)
    parts = [x[end - length : end] for end, length in zip(ends, lengths, strict=True)]
    for part, end in zip(parts, ends, strict=True):
        alone = one.encode(part, np.array([len(part)], np.int32))
        assert_same(alone, [layer[end - len(part) : end] for layer in whole])
    turned = one.encode(np.concatenate(parts[::-1]), lengths[::-1].copy())
    begins = np.cumsum(lengths[::-1]) - lengths[::-1]
    for begin, end, length in zip(begins[::-1], ends, lengths, strict=True):
        assert_same([layer[begin : begin + length] for layer in turned], [layer[end - length : end] for layer in whole])


@pytest.mark.parametrize("kernel", kernels())
def test_no_words(kernel: str) -> None:
    one = encoder(random_arrays(1, 4, 3, 2), 4, 3, 2, kernel)
    for lengths in ([], [0], [0, 0, 0]):
        found = one.encode(np.zeros((0, 4), np.float32), np.array(lengths, np.int32))
        assert [layer.shape for layer in found] == [(0, 6), (0, 6)]


@pytest.mark.parametrize("kernel", kernels())
def test_inputs_that_are_no_numbers_or_huge(kernel: str) -> None:
    """A NaN is the smallest number; what is too large is the largest; both as in the reference."""
    sizes = inputs, width, layers = 35, 4, 2
    arrays = random_arrays(21, *sizes)
    values = np.array([np.nan, -np.nan, np.inf, -np.inf, 3e38, -3e38, 1e-45, -0.0, 0.01, 0.03, 0.05], np.float32)
    x = np.random.default_rng(2).choice(values, (50, inputs)).astype(np.float32)
    expected = reference.encode(x, [20, 30], arrays, width, layers)
    assert_same(encoder(arrays, *sizes, kernel).encode(x, np.array([20, 30], np.int32)), expected)
    nothing = np.full((1, inputs), np.nan, np.float32)
    least = np.full((1, inputs), -1e9, np.float32)
    one = encoder(arrays, *sizes, kernel)
    assert_same(one.encode(nothing, np.ones(1, np.int32)), one.encode(least, np.ones(1, np.int32)))


@pytest.mark.parametrize("kernel", kernels())
@pytest.mark.parametrize("scale", [3e38, 1e-45, -3e38], ids=str)
def test_weights_of_any_size_crash_nothing(kernel: str, scale: float) -> None:
    """Sums that are infinite, and NaN where infinities meet, give the same bits as in the reference."""
    sizes = inputs, width, layers = 9, 5, 2
    arrays = random_arrays(5, *sizes, extreme=True)
    arrays["input.scale"][:] = abs(scale)
    for name in arrays:
        if "scales" in name:
            arrays[name][:] = scale
    x, lengths = random_batch(6, inputs, 5, 9)
    with np.errstate(over="ignore"):
        x *= np.float32(abs(scale))
    expected = reference.encode(x, lengths.tolist(), arrays, width, layers)
    assert_same(encoder(arrays, *sizes, kernel).encode(x, lengths), expected)


@pytest.mark.parametrize("kernel", kernels())
@pytest.mark.parametrize(
    ("inputs", "outputs", "rows"), [(1, 1, 1), (5, 17, 3), (64, 64, 49), (31, 130, 100), (40, 3, 7)]
)
def test_dense_has_the_same_bits(kernel: str, inputs: int, outputs: int, rows: int) -> None:
    chance = np.random.default_rng(outputs)
    weights = chance.integers(-128, 128, outputs * inputs).astype(np.int8)
    scales = chance.random(outputs).astype(np.float32)
    bias = chance.normal(size=outputs).astype(np.float32)
    values = chance.integers(-128, 128, (rows, inputs)).astype(np.int8)
    dense = Dense(weights, scales, bias, inputs, kernel)
    assert (dense.inputs, dense.outputs, dense.kernel) == (inputs, outputs, kernel)
    expected = reference.dense(values, weights, scales, bias)
    np.testing.assert_array_equal(dense.apply(values).view(np.int32), expected.view(np.int32))
    np.testing.assert_array_equal(dense.apply(values[::2]), expected[::2])
    assert dense.apply(values[:0]).shape == (0, outputs)


@pytest.mark.parametrize("kernel", kernels())
@pytest.mark.parametrize("weight", [-128, -127, 127])
@pytest.mark.parametrize("value", [-128, -127, 127])
def test_the_largest_sums_are_exact(kernel: str, weight: int, value: int) -> None:
    inputs = 100_000
    dense = Dense(np.full(inputs, weight, np.int8), np.ones(1, np.float32), np.zeros(1, np.float32), inputs, kernel)
    expected = np.float32(weight * value * inputs) * (np.float32(1) / np.float32(127))
    assert dense.apply(np.full((1, inputs), value, np.int8)).tolist() == [[expected]]


@pytest.mark.parametrize("kernel", kernels())
def test_every_float_operation_is_done_in_its_order(kernel: str) -> None:
    """Outputs of 8 bits hide most of what another order, or a fused operation, changes. Millions of cells do not."""
    chance = np.random.default_rng(3)
    width = 2_000_003
    inputs, recurrent = (chance.integers(-1_000_000, 1_000_001, 4 * width).astype(np.int32) for _ in range(2))
    first, second = ((chance.random(4 * width) * 4e-6).astype(np.float32) for _ in range(2))
    scales = first, second, chance.normal(size=4 * width).astype(np.float32)
    cells = chance.normal(size=width).astype(np.float32)
    after, outputs = run_step(kernel, inputs, recurrent, scales, cells)
    floats = inputs.astype(np.float32), recurrent.astype(np.float32)
    expected, expected_outputs = reference.one_step(*floats, scales, cells)
    np.testing.assert_array_equal(after.view(np.int32), expected.view(np.int32))
    np.testing.assert_array_equal(outputs, expected_outputs)


def test_tanh() -> None:
    """The reference, which every kernel agrees with."""
    x = np.linspace(-10, 10, 2_000_001).astype(np.float32)
    y = reference.tanh(x)
    assert np.abs(y - np.tanh(x.astype(np.float64))).max() < 1.2e-6
    np.testing.assert_array_equal(y, -reference.tanh(-x))
    assert np.abs(y).max() < 1
    assert (np.maximum.accumulate(y) - y).max() < 5e-7, "falls only by the last bits"
    assert (np.diff(reference.tanh(np.linspace(-6, 6, 1201).astype(np.float32))) > 0).all()
    ends = reference.tanh(np.array([np.inf, -np.inf, np.nan, 6.9], np.float32))
    assert ends.tolist() == [ends[3], -ends[3], -ends[3], ends[3]]


def test_quantized_weights_are_off_by_half_a_scale_at_most() -> None:
    matrix = np.random.default_rng(1).normal(size=(30, 20)).astype(np.float32) * np.logspace(
        -6, 6, 20, dtype=np.float32
    )
    matrix[:, 7] = 0
    numbers, scales = quantize(matrix)
    assert (str(numbers.dtype), str(scales.dtype)) == ("int8", "float32")
    assert (numbers.shape, scales.shape) == ((600,), (20,))
    rows = numbers.reshape(20, 30)
    assert (np.abs(rows.astype(int)).max(axis=1) == np.where(np.arange(20) == 7, 0, 127)).all()
    assert (scales > 0).all()
    off = np.abs(rows * scales[:, None].astype(np.float64) - matrix.T)
    assert (off <= scales[:, None] * 0.5001).all()
    assert quantize(np.zeros((0, 3), np.float32))[1].tolist() == [1, 1, 1]
    for wrong in (np.zeros(3, np.float32), np.full((2, 2), np.nan, np.float32)):
        with pytest.raises(ValueError, match="expected"):
            quantize(wrong)


def test_quantization_changes_little() -> None:
    """Against the same network in float64 with the true functions."""
    inputs, width, layers = 40, 24, 2
    weights = random_weights(3, inputs, width, layers)
    arrays: Arrays = {"input.scale": np.array([4 / 127], np.float32)}
    for name, matrix in weights.items():
        if name.endswith("bias"):
            arrays[name] = matrix.astype(np.float32)
        else:
            arrays[name], arrays[f"{name}_scales"] = quantize(matrix.astype(np.float32))
    x, lengths = random_batch(9, inputs, 10, 30)
    found = encoder(arrays, inputs, width, layers).encode(x, lengths)
    expected = float_encode(x.astype(np.float64), lengths.tolist(), weights, width, layers)
    for layer, true in zip(found, expected, strict=True):
        off = np.abs(layer / 127 - true)
        assert true.std() > 0.2
        assert off.mean() < 0.01
        assert off.max() < 0.1


def test_threads_share_a_network() -> None:
    sizes = 30, 20, 2
    network = Network(random_arrays(1, *sizes), inputs=30, width=20, layers=2)
    x, lengths = random_batch(2, 30, 40, 20)
    expected = Encoder(network).encode(x, lengths)
    wrong: list[int] = []

    def work(number: int) -> None:
        one = Encoder(network)
        for _ in range(20):
            found = one.encode(x, lengths)
            if not all((a == b).all() for a, b in zip(found, expected, strict=True)):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert wrong == []
