from array import array

import numpy as np
from numpy.typing import NDArray

from dodona.search.scorer import EncodedSentence, Scorer
from dodona.transitions.gold import Gold
from dodona.transitions.policy import Policy
from dodona.transitions.system import TransitionSystem

class GreedySearch:
    system: TransitionSystem
    scorer: Scorer
    def __init__(self, system: TransitionSystem, scorer: Scorer) -> None: ...
    def parse(
        self,
        sentence: EncodedSentence,
        policy: Policy | None = None,
        gold: Gold | None = None,
        confidence: array[float] | NDArray[np.float64] | None = None,
        temperature: float = 1.0,
        seconds: float = 0.0,
    ) -> tuple[list[int], list[int]]: ...
    def parse_all(self, sentences: list[EncodedSentence], late: int) -> list[tuple[array[int], array[int]]]: ...
    def follow(
        self,
        sentence: EncodedSentence,
        derivation: array[int],
        confidence: array[float] | NDArray[np.float64],
        temperature: float = 1.0,
        policy: Policy | None = None,
        gold: Gold | None = None,
    ) -> tuple[list[int], list[int]]: ...
