from array import array

from dodona.linear.scorer import Words
from dodona.linear.templates import Templates
from dodona.linear.weights import Weights
from dodona.transitions.gold import Gold
from dodona.transitions.policy import Policy
from dodona.transitions.system import TransitionSystem

RULES: dict[str, int]

class Learner:
    system: TransitionSystem
    weights: Weights
    transitions: int
    def train(self, words: Words, gold: Gold, moves: array[int], explore: float) -> None: ...
    def count(self) -> tuple[int, int]: ...

class GreedyLearner(Learner):
    def __init__(
        self,
        policy: Policy,
        templates: Templates,
        *,
        rule: str = "perceptron",
        aggressiveness: float = 1.0,
        random_choice: bool = False,
        longest: int = 0,
        seed: int = 1,
    ) -> None: ...

class StructuredLearner(Learner):
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
