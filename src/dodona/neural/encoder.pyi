from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

def quantize(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]: ...
def kernels() -> list[str]: ...
def trains_in_16_bits() -> bool: ...

class Network:
    inputs: int
    width: int
    layers: int
    kernel: str
    def __init__(
        self, arrays: Mapping[str, NDArray[Any]], *, inputs: int, width: int, layers: int, kernel: str | None = None
    ) -> None: ...

class Encoder:
    network: Network
    def __init__(self, network: Network) -> None: ...
    def encode(self, x: NDArray[np.float32], lengths: NDArray[np.int32]) -> list[NDArray[np.int8]]: ...

class Dense:
    inputs: int
    outputs: int
    kernel: str
    def __init__(
        self,
        weights: NDArray[np.int8],
        scales: NDArray[np.float32],
        bias: NDArray[np.float32],
        inputs: int,
        kernel: str | None = None,
    ) -> None: ...
    def apply(self, values: NDArray[np.int8]) -> NDArray[np.float32]: ...

def run_step(
    kernel: str | None,
    inputs: NDArray[np.int32],
    recurrent: NDArray[np.int32],
    scales: tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]],
    cells: NDArray[np.float32],
) -> tuple[NDArray[np.float32], NDArray[np.int8]]: ...
