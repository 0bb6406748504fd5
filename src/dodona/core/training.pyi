from array import array

from dodona.core.features import Words
from dodona.core.gold import Gold
from dodona.core.judging import Judge
from dodona.core.system import TransitionSystem
from dodona.core.templates import Templates
from dodona.core.weights import Weights

RULES: dict[str, int]

class Learner:
    system: TransitionSystem
    weights: Weights
    def __init__(
        self,
        judge: Judge,
        templates: Templates,
        *,
        rule: str = "perceptron",
        aggressiveness: float = 1.0,
        random_choice: bool = False,
        stays: bool = False,
        longest: int = 0,
        seed: int = 1,
    ) -> None: ...
    def train(self, words: Words, gold: Gold, moves: array[int], explore: float) -> None: ...
    def count(self) -> tuple[int, int]: ...
