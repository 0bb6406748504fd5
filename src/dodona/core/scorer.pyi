from dodona.core.frozen import FrozenWeights
from dodona.core.templates import Templates
from dodona.core.weights import Weights

class Scorer:
    actions: int
    def __init__(self, templates: Templates, weights: Weights | FrozenWeights) -> None: ...
