"""Lists of small numbers as short strings: the correct words of thousands of sentences fit into a line of a record."""

import base64
import zlib

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["packed", "unpacked"]


def packed(numbers: ArrayLike) -> str:
    return base64.b64encode(zlib.compress(np.asarray(numbers).astype("<u2").tobytes(), 9)).decode()


def unpacked(text: str) -> NDArray[np.int64]:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), "<u2").astype(np.int64)
