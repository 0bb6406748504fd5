from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

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
