from collections.abc import Callable, Sequence

from dodona.data.values import Values
from dodona.linear.frozen import FrozenWeights
from dodona.linear.weights import Weights

LONGEST_AFFIX: int

class LemmaCache:
    count: int
    used: int
    def __init__(self, work_out: Callable[[str, str, str], str]) -> None: ...
    def lemmas(
        self, forms: list[Values], upos: Sequence[list[str] | Values], feats: Sequence[list[str] | Values]
    ) -> list[Values | None]: ...
    def clear(self) -> None: ...

class Scripts:
    count: int
    def __init__(self, taken: list[tuple[str, str]]) -> None: ...

class ScriptLearner:
    weights: Weights
    def __init__(self, scripts: Scripts) -> None: ...
    def train(self, form: str, lower: str, upos: str, feats: str, gold: int) -> bool: ...

class ScriptChooser:
    def __init__(self, scripts: Scripts, weights: FrozenWeights) -> None: ...
    def choose(self, form: str, lower: str, upos: str, feats: str) -> int: ...
