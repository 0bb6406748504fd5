"""Arrays of a model file may be anything: an encoder takes only what it can run, and says what it expected."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dodona.neural.encoder import Dense, Encoder, Network, kernels

INPUTS, WIDTH, LAYERS = 3, 2, 2


def arrays() -> dict[str, NDArray[Any]]:
    found: dict[str, NDArray[Any]] = {"input.scale": np.ones(1, np.float32)}
    for layer, depth in enumerate((INPUTS, 2 * WIDTH)):
        for direction in ("forward", "backward"):
            name = f"layer{layer}.{direction}"
            found[f"{name}.input"] = np.ones(4 * WIDTH * depth, np.int8)
            found[f"{name}.recurrent"] = np.ones(4 * WIDTH * WIDTH, np.int8)
            for part in ("input_scales", "recurrent_scales", "bias"):
                found[f"{name}.{part}"] = np.ones(4 * WIDTH, np.float32)
    return found


def network(found: dict[str, Any], **options: Any) -> Network:
    return Network(found, **{"inputs": INPUTS, "width": WIDTH, "layers": LAYERS, **options})


@pytest.mark.parametrize("name", arrays())
def test_each_array_is_checked(name: str) -> None:
    good = arrays()
    network(good)
    array = good[name]
    other = np.float64 if array.dtype == np.float32 else np.uint8
    wrong: list[Any] = [array[:-1], np.append(array, array[:1]), array.astype(other), array.reshape(1, -1)]
    wrong += [array.tolist(), None, array[:0], array.astype(array.dtype.newbyteorder(">")) if array.itemsize > 1 else 3]
    if array.dtype == np.float32:
        wrong += [np.full_like(array, value) for value in (np.nan, np.inf, -np.inf)]
    for one in wrong:
        with pytest.raises(ValueError, match=f"^{name}: expected .*, found "):
            network(good | {name: one})
    without = {key: value for key, value in good.items() if key != name}
    with pytest.raises(ValueError, match=f"^{name}: expected "):
        network(without)


def test_a_scale_is_positive() -> None:
    for value in (0.0, -1.0):
        with pytest.raises(ValueError, match=r"^input.scale: expected a positive number, found "):
            network(arrays() | {"input.scale": np.array([value], np.float32)})


@pytest.mark.parametrize("name", ["inputs", "width", "layers"])
@pytest.mark.parametrize("value", [0, -1, 100_001, 1 << 30, 1 << 80])
def test_sizes_are_checked(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"^{name}: expected a number from 1 to [0-9]+, found {value}$"):
        network(arrays(), **{name: value})


def test_sizes_that_would_be_too_large_together() -> None:
    """4 * 50,000 * 100,000 is more than 32 bits hold."""
    with pytest.raises(ValueError, match=r"expected an array int8 \[20000000000\]"):
        network(arrays(), inputs=100_000, width=50_000)


def test_unknown_kernels_are_refused() -> None:
    for make in (
        lambda: network(arrays(), kernel="fast"),
        lambda: Dense(np.ones(1, np.int8), np.ones(1, np.float32), np.ones(1, np.float32), 1, "fast"),
    ):
        with pytest.raises(ValueError, match=rf"\({', '.join(kernels())}\), found 'fast'"):
            make()


def test_later_changes_of_the_arrays_change_nothing() -> None:
    found = arrays()
    one = Encoder(network(found))
    x, lengths = np.full((4, INPUTS), 9, np.float32), np.array([4], np.int32)
    before = one.encode(x, lengths)
    for array in found.values():
        array[:] = 0
    for a, b in zip(before, one.encode(x, lengths), strict=True):
        np.testing.assert_array_equal(a, b)


def test_arrays_that_cannot_be_written_or_are_not_in_one_piece() -> None:
    x, lengths = np.full((4, INPUTS), 9, np.float32), np.array([4], np.int32)
    expected = Encoder(network(arrays())).encode(x, lengths)
    strided = {name: np.repeat(array, 2)[::2] for name, array in arrays().items()}
    for array in strided.values():
        array.flags.writeable = False
    wide = np.repeat(x, 2, axis=1)[:, ::2]
    for a, b in zip(expected, Encoder(network(strided)).encode(wide, lengths), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("x", "lengths", "message"),
    [
        (np.zeros((2, INPUTS)), np.array([2], np.int32), "x: expected an array float32 of 2 dimensions"),
        (np.zeros(6, np.float32), np.array([2], np.int32), "x: expected an array float32 of 2 dimensions"),
        (np.zeros((2, INPUTS + 1), np.float32), np.array([2], np.int32), "x: expected 3 columns, found 4"),
        (np.zeros((2, INPUTS), np.float32), np.array([2]), "lengths: expected an array int32 of 1 dimension"),
        (np.zeros((2, INPUTS), np.float32), [2], "lengths: expected an array int32 of 1 dimension"),
        (np.zeros((2, INPUTS), np.float32), np.array([1], np.int32), "whose sum is 2, found"),
        (np.zeros((2, INPUTS), np.float32), np.array([3, -1], np.int32), "numbers from 0 whose sum is 2, found"),
        (np.zeros((0, INPUTS), np.float32), np.array([2**31 - 1, 2**31 - 1, 2], np.int32), "whose sum is 0, found"),
    ],
)
def test_batches_are_checked(x: Any, lengths: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Encoder(network(arrays())).encode(x, lengths)


def test_dense_layers_are_checked() -> None:
    weights, scales, bias = np.ones(6, np.int8), np.ones(2, np.float32), np.ones(2, np.float32)
    dense = Dense(weights, scales, bias, 3)
    for wrong, name in (
        ((weights[:5], scales, bias, 3), "weights"),
        ((weights, scales, bias, 4), "weights"),
        ((weights, scales.reshape(1, 2), bias, 3), "scales"),
        ((weights, scales[:0], bias, 3), "outputs"),
        ((weights, None, bias, 3), "scales"),
        ((weights, scales, bias[:1], 3), "bias"),
        ((weights, scales, bias * np.float32(np.nan), 3), "bias"),
        ((weights, scales, bias, 0), "inputs"),
        ((weights, scales, bias, 1 << 40), "inputs"),
    ):
        with pytest.raises(ValueError, match=f"^{name}: expected .*, found "):
            Dense(*wrong)
    for values in (np.ones((2, 4), np.int8), np.ones(3, np.int8), np.ones((2, 3), np.float32), [[1, 2, 3]]):
        with pytest.raises(ValueError, match=r"^values: expected an array int8 \[any, 3\], found "):
            dense.apply(values)  # type: ignore[arg-type]
