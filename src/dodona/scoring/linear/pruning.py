"""Weights between a component and its model file: four arrays, checked before they are believed."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dodona.errors import FormatError
from dodona.scoring.linear.frozen import FrozenWeights, freeze, rows_are_sound, weight_bits, without_weak_features
from dodona.scoring.linear.weights import Weights

__all__ = ["arrays_of_size", "checked_weights", "frozen_arrays"]

NAMES = ("marks", "counts", "rows", "wide")
LARGE = 100_000  # features
SMALL = 0.75  # a weight; one early update is worth 1


def frozen_arrays(weights: Weights) -> dict[str, NDArray[Any]]:
    """The averaged weights of a model whose updates are whole numbers.

    A large model loses its small weights, and the features whose largest weights are smaller than those of all others:
    half of it, and nothing that can be measured.
    """
    keys, actions, values = weights.averages()
    if len(_begins(keys)) > LARGE:
        kept = np.abs(values) >= SMALL
        keys, actions, values = keys[kept], actions[kept], values[kept]
        strengths = np.sort(np.maximum.reduceat(np.abs(values), _begins(keys)))
        if len(strengths) > LARGE:
            keys, actions, values = without_weak_features(keys, actions, values, float(strengths[-LARGE]))
    return dict(zip(NAMES, freeze(keys, actions, values, weights.actions), strict=True))


def arrays_of_size(weights: Weights, size: int) -> dict[str, NDArray[Any]]:
    """As many averaged weights as fit into so many bytes, the largest ones.

    Most weights of a large model are small and the trace of a single update; without them it is faster, too.
    """
    keys, actions, values = weights.averages()
    magnitudes = np.sort(np.abs(values))
    most = len(values)
    while True:
        kept = np.abs(values) >= magnitudes[-most] if most else np.zeros(len(values), dtype=bool)
        arrays = dict(zip(NAMES, freeze(keys[kept], actions[kept], values[kept], weights.actions), strict=True))
        taken = sum(array.nbytes for array in arrays.values())
        if taken <= size or not most:
            return arrays
        most = int(most * 0.98 * size / taken)


def _begins(keys: NDArray[Any]) -> NDArray[Any]:
    """Where each feature's weights begin; no key is 0."""
    return np.flatnonzero(np.diff(keys, prepend=np.uint64(0)))


def checked_weights(where: str, actions: int, arrays: Mapping[str, NDArray[Any]]) -> FrozenWeights:
    """The compiled loops trust the arrays, so nothing in them may point outside."""
    missing = [name for name in NAMES if name not in arrays]
    if missing:
        raise FormatError(f"{where}: no array {missing[0]!r}; expected the weights of a model")
    marks, counts, rows, wide = (arrays[name] for name in NAMES)
    row_kind = "<u2" if weight_bits(actions) < 16 else "<u4"
    kinds = [array.dtype.str for array in (marks, counts, rows, wide)]
    if kinds != ["<u4", "|u1", row_kind, "<i2"] or len(wide) % actions or not len(counts):
        raise FormatError(f"{where}: weights of another kind than expected")
    if int(counts.sum(dtype="int64")) != len(marks) or not rows_are_sound(
        rows.view("<u2"), 1 if row_kind == "<u2" else 2, len(marks), len(wide) // actions, actions
    ):
        raise FormatError(f"{where}: the weights do not fit the {actions} classes of the model")
    return FrozenWeights(actions, marks, counts, rows, wide)
