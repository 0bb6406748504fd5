from dodona.linear.frozen import FrozenWeights
from dodona.linear.templates import Templates
from dodona.linear.weights import Weights
from dodona.search.scorer import EncodedSentence, Scorer
from dodona.transitions.state import State

class Words(EncodedSentence):
    def column(self, number: int) -> list[int]: ...

class LinearScorer(Scorer):
    weights: Weights | None
    def __init__(self, templates: Templates, weights: Weights | FrozenWeights, *, cached: bool = False) -> None: ...
    def hash_features(self, s: State, sentence: EncodedSentence, site: int = 0) -> list[int]: ...
