"""From weights during training to the four arrays of a model file, pruned to a maximum size; and checks of such arrays
before use."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dodona.errors import FormatError
from dodona.linear.frozen import FrozenWeights, freeze, rows_are_sound, weight_bits
from dodona.linear.weights import Weights

__all__ = ["WEIGHTS", "checked_weights", "frozen_arrays"]

WEIGHTS = ("fingerprints", "counts", "rows", "wide")
"""The names of the arrays."""


def frozen_arrays(weights: Weights, megabytes: float) -> dict[str, NDArray[Any]]:
    """Return the largest averaged weights, as many as fit into the given size.

    Most weights of a large model are small and come from a single update; without them parsing is also faster.
    """
    size = int(1e6 * megabytes)
    keys, actions, values = weights.averages()
    magnitudes = np.sort(np.abs(values))
    most = len(values)
    while True:
        kept = np.abs(values) >= magnitudes[-most] if most else np.zeros(len(values), dtype=bool)
        arrays = dict(zip(WEIGHTS, freeze(keys[kept], actions[kept], values[kept], weights.actions), strict=True))
        taken = sum(array.nbytes for array in arrays.values())
        if taken <= size or not most:
            return arrays
        most = int(most * 0.98 * size / taken)


def checked_weights(where: str, actions: int, arrays: Mapping[str, NDArray[Any]]) -> FrozenWeights:
    """Check the arrays, which the compiled loops do not check: all indices must be valid."""
    missing = [name for name in WEIGHTS if name not in arrays]
    if missing:
        raise FormatError(f"{where}: no array {missing[0]!r}; expected the weights of a model")
    fingerprints, counts, rows, wide = (arrays[name] for name in WEIGHTS)
    row_kind = "<u2" if weight_bits(actions) < 16 else "<u4"
    kinds = [array.dtype.str for array in (fingerprints, counts, rows, wide)]
    if kinds != ["<u4", "|u1", row_kind, "<i2"] or len(wide) % actions or not len(counts):
        raise FormatError(f"{where}: weights of another kind than expected")
    if len(counts) > max(1, len(fingerprints)):  # each takes memory, and freeze makes half as many
        raise FormatError(f"{where}: {len(counts)} buckets for {len(fingerprints)} features; expected at most as many")
    if int(counts.sum(dtype="int64")) != len(fingerprints) or not rows_are_sound(
        rows.view("<u2"), 1 if row_kind == "<u2" else 2, len(fingerprints), len(wide) // actions, actions
    ):
        raise FormatError(f"{where}: the weights do not fit the {actions} classes of the model")
    return FrozenWeights(actions, fingerprints, counts, rows, wide)
