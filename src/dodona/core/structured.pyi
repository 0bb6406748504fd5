from array import array

from dodona.core.features import Words
from dodona.core.gold import Gold
from dodona.core.judging import Judge
from dodona.core.system import TransitionSystem
from dodona.core.templates import Templates
from dodona.core.weights import Weights

class StructuredLearner:
    system: TransitionSystem
    weights: Weights
    def __init__(
        self,
        judge: Judge,
        templates: Templates,
        *,
        width: int,
        latent: bool,
        early: bool = False,
        rule: str = "perceptron",
        aggressiveness: float = 1.0,
        longest: int = 0,
    ) -> None: ...
    def train(self, words: Words, gold: Gold, moves: array[int], explore: float) -> None: ...
    def count(self) -> tuple[int, int]: ...
