from array import array

from dodona.linear.scorer import Words
from dodona.linear.templates import Templates
from dodona.linear.weights import Weights
from dodona.transitions.gold import Gold
from dodona.transitions.policy import Policy
from dodona.transitions.system import TransitionSystem

class StructuredLearner:
    system: TransitionSystem
    weights: Weights
    transitions: int
    def __init__(
        self,
        policy: Policy,
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
