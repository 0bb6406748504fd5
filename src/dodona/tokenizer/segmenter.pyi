from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from dodona.linear.frozen import FrozenWeights
from dodona.linear.weights import Weights

TOKEN: int
SENTENCE: int
MULTIWORD: int
NEVER: int
ASK: int
ALWAYS: int
QUESTIONS: int
WORDS: int

def word_place(lower: str) -> int: ...

class Rules:
    def __init__(self, questions: NDArray[Any], words: NDArray[Any], splits: Sequence[Sequence[str]]) -> None: ...

class Passage:
    text: str
    count: int
    def __init__(self, text: str, rules: Rules) -> None: ...
    def spans(self) -> list[tuple[int, int]]: ...

# for other compiled modules only

class Segments:
    count: int
    def __len__(self) -> int: ...
    def spans(self, i: int) -> list[tuple[int, int, int]]: ...

class Segmenter:
    def __init__(self, weights: FrozenWeights) -> None: ...
    def segment(self, passage: Passage, final: bool) -> tuple[Segments, int]: ...
    def is_multiword(self, passage: Passage, sentence: int, first: int, last: int) -> bool: ...

class SegmentLearner:
    weights: Weights
    asked: int
    mistakes: int
    def __init__(self, rate: float) -> None: ...
    def sentence(self, passage: Passage, gold: NDArray[Any], first: int) -> None: ...
    def multiword(self, passage: Passage, sentence: int, first: int, last: int, gold: bool, is_rare: bool) -> None: ...
