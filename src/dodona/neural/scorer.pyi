import numpy as np
from numpy.typing import NDArray

from dodona.neural.positions import Positions
from dodona.search.scorer import EncodedSentence, Scorer

class Contributions(EncodedSentence):
    def __init__(
        self, n: int, rows: NDArray[np.float32], first: int, root: int, nobody: int, stride: int = 1
    ) -> None: ...

class HiddenLayer(Scorer):
    words: int
    labels: int
    units: int
    def __init__(
        self,
        positions: Positions,
        label_rows: NDArray[np.float32],
        bias: NDArray[np.float32],
        weights: NDArray[np.float32],
        action_bias: NDArray[np.float32],
        *,
        cached: bool = False,
    ) -> None: ...
