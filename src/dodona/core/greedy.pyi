from dodona.core.features import Words
from dodona.core.frozen import FrozenWeights
from dodona.core.gold import Gold
from dodona.core.judging import Judge
from dodona.core.system import TransitionSystem
from dodona.core.templates import Templates

class GreedyParser:
    system: TransitionSystem
    def __init__(self, system: TransitionSystem, templates: Templates, weights: FrozenWeights) -> None: ...
    def parse(
        self, words: Words, judge: Judge | None = None, gold: Gold | None = None
    ) -> tuple[list[int], list[int]]: ...
