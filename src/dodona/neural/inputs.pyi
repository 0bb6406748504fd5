from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

class EmbeddingTable:
    count: int
    width: int
    def __init__(self, values: NDArray[np.int8], scales: NDArray[np.float32]) -> None: ...

class Inputs:
    size: int
    def __init__(
        self,
        word: EmbeddingTable,
        subword: EmbeddingTable,
        vector: EmbeddingTable | None,
        tag: EmbeddingTable,
        weights: Sequence[NDArray[np.float32] | None],
        bias: NDArray[np.float32],
    ) -> None: ...
    def of_forms(self, numbers: NDArray[np.int32]) -> NDArray[np.float32]: ...
    def of_tags(self, tags: Sequence[Sequence[int]]) -> NDArray[np.float32]: ...
