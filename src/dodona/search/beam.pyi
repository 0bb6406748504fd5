from array import array

from dodona.search.scorer import EncodedSentence, Scorer
from dodona.transitions.gold import Gold
from dodona.transitions.policy import Policy
from dodona.transitions.system import TransitionSystem

class Beam:
    system: TransitionSystem
    scorer: Scorer
    width: int
    size: int
    step: int
    def __init__(self, system: TransitionSystem, scorer: Scorer, width: int, traced: bool = False) -> None: ...
    def search(
        self,
        sentence: EncodedSentence,
        policy: Policy | None = None,
        gold: Gold | None = None,
        moves: array[int] | None = None,
        seconds: float = 0.0,
    ) -> None: ...
    def derivation(self, rank: int) -> array[int]: ...
    def results(self, most: int) -> list[tuple[float, list[int], list[int]]]: ...
