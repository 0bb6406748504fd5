"""From float weights to 8 bits: what training writes into a model, and the encoder multiplies."""

import numpy as np
from numpy.typing import NDArray

LARGEST_BYTE = 127


def quantize(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return (weights, scales) of a matrix [inputs, outputs]: int8 [outputs * inputs], output by output, and float32
    [outputs].

    Each output has its own scale, chosen so that its largest weight is 127 or -127: a weight is off by half a scale at
    most. An output without any weight has the scale 1.
    """
    if matrix.ndim != 2:
        raise ValueError(f"expected a matrix [inputs, outputs], found {matrix.ndim} dimensions")
    if not np.isfinite(matrix).all():
        raise ValueError("expected finite weights, found one that is not")
    rows = np.ascontiguousarray(matrix.T, dtype=np.float64)
    scales = (np.abs(rows).max(axis=1, initial=0.0) / LARGEST_BYTE).astype(np.float32)
    scales[scales == 0] = 1
    numbers = np.clip(np.rint(rows / scales[:, None].astype(np.float64)), -LARGEST_BYTE, LARGEST_BYTE)
    return numbers.astype(np.int8).reshape(-1), scales
