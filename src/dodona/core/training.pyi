from array import array

from dodona.core.features import Extractor, Words
from dodona.core.gold import Gold
from dodona.core.system import TransitionSystem
from dodona.core.templates import Templates
from dodona.core.weights import Weights

POLICIES: dict[str, int]
RULES: dict[str, int]

class Learner:
    system: TransitionSystem
    extractor: Extractor
    weights: Weights
    def __init__(
        self,
        system: TransitionSystem,
        templates: Templates,
        *,
        policy: str,
        rule: str = "perceptron",
        aggressiveness: float = 1.0,
        random_choice: bool = False,
        stays: bool = False,
        links_too: bool = True,
        joint: bool = False,
        longest: int = 0,
        seed: int = 1,
    ) -> None: ...
    def train(self, words: Words, gold: Gold, moves: array[int], explore: float) -> None: ...
    def count(self) -> tuple[int, int]: ...
