from dodona.scoring.linear.frozen import FrozenWeights
from dodona.scoring.linear.weights import Weights

LONGEST_AFFIX: int

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
