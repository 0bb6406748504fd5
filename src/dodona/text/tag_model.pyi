from array import array
from typing import Any

from numpy.typing import NDArray

from dodona.data.values import Values
from dodona.scoring.linear.frozen import FrozenWeights
from dodona.scoring.linear.weights import Weights
from dodona.text.tag_features import Lexicon, TagSet, Traits

class TagLearner:
    weights: Weights
    def __init__(self, tagset: TagSet, seed: int) -> None: ...
    def train(self, traits: Traits, gold: NDArray[Any]) -> None: ...
    def count(self) -> tuple[int, int]: ...

class GreedyTagger:
    def __init__(self, tagset: TagSet, weights: FrozenWeights) -> None: ...
    def tag(self, traits: Traits) -> array[int]: ...
    def tag_all(self, sentences: list[Values], lexicon: Lexicon) -> list[array[int]]: ...
