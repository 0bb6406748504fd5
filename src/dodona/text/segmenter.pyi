from typing import Any

from numpy.typing import NDArray

from dodona.scoring.linear.frozen import FrozenWeights
from dodona.scoring.linear.weights import Weights
from dodona.text.runs import Passage

class Segment:
    forms: list[str]
    starts: list[int]
    gaps: list[str]
    spaced: list[int]
    first: int
    lasts: list[int]
    ends_paragraph: bool
    text: str | None

class Segmenter:
    def __init__(self, weights: FrozenWeights) -> None: ...
    def segment(self, passage: Passage, final: bool) -> tuple[list[Segment], int]: ...
    def is_multiword(self, passage: Passage, sentence: int, first: int, last: int) -> bool: ...

class SegmentLearner:
    weights: Weights
    asked: int
    mistakes: int
    def __init__(self, rate: float) -> None: ...
    def sentence(self, passage: Passage, gold: NDArray[Any], first: int) -> None: ...
    def multiword(self, passage: Passage, sentence: int, first: int, last: int, gold: bool, is_rare: bool) -> None: ...
