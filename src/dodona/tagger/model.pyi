from array import array
from typing import Any

from numpy.typing import NDArray

from dodona.data.values import Values
from dodona.linear.frozen import FrozenWeights
from dodona.linear.weights import Weights

class TagSet:
    parts: int
    count: int
    nodes: int
    def __init__(
        self,
        parts: int,
        parents: NDArray[Any],
        part: NDArray[Any],
        ends: NDArray[Any],
        names: NDArray[Any],
        classes: NDArray[Any],
    ) -> None: ...

class Lexicon:
    def __init__(
        self, words: NDArray[Any], entries: NDArray[Any], usual: NDArray[Any], begins: NDArray[Any], tags: NDArray[Any]
    ) -> None: ...

class Traits:
    n: int
    def __init__(self, words: list[str] | Values, tagset: TagSet, lexicon: Lexicon) -> None: ...

class TagLearner:
    weights: Weights
    def __init__(self, tagset: TagSet, seed: int) -> None: ...
    def train(self, traits: Traits, gold: NDArray[Any]) -> None: ...
    def count(self) -> tuple[int, int]: ...

class GreedyTagger:
    def __init__(self, tagset: TagSet, weights: FrozenWeights) -> None: ...
    def tag_all(self, sentences: list[Values], lexicon: Lexicon) -> list[array[int]]: ...

def choose_tags(
    scores: NDArray[Any],
    starts: NDArray[Any],
    codes: NDArray[Any],
    order: NDArray[Any],
    places: NDArray[Any],
    own: NDArray[Any],
    bonus: float,
    chosen: NDArray[Any],
) -> None: ...
