from array import array

from dodona.core.features import Words
from dodona.core.gold import Gold
from dodona.core.judging import Judge
from dodona.core.scorer import Scorer
from dodona.core.system import TransitionSystem

class Beam:
    system: TransitionSystem
    scorer: Scorer
    width: int
    size: int
    step: int
    def __init__(self, system: TransitionSystem, scorer: Scorer, width: int, traced: bool = False) -> None: ...
    def search(
        self, words: Words, judge: Judge | None = None, gold: Gold | None = None, moves: array[int] | None = None
    ) -> None: ...
    def results(self, most: int) -> list[tuple[float, list[int], list[int]]]: ...
