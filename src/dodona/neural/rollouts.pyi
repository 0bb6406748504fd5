from array import array

import numpy as np
from numpy.typing import NDArray

from dodona.neural.scorer import Contributions, HiddenLayer
from dodona.transitions.gold import Gold
from dodona.transitions.policy import Policy

Records = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int8], NDArray[np.int32]]

class Rollouts:
    policy: Policy
    scorer: HiddenLayer
    def __init__(
        self, policy: Policy, scorer: HiddenLayer, *, random_choice: bool = False, longest: int = 0, seed: int = 1
    ) -> None: ...
    def rescore(self, scorer: HiddenLayer) -> None: ...
    def reseed(self, seed: int) -> None: ...
    def follow(self, words: Contributions, gold: Gold, moves: array[int], explore: float) -> None: ...
    def count(self) -> tuple[int, int]: ...
    def records(self) -> Records: ...
