from collections.abc import Callable, Sequence

from dodona.transitions.state import State

class EncodedSentence:
    n: int
    def __init__(self, n: int) -> None: ...

class Scorer:
    actions: int
    reach: int
    sentences: type[EncodedSentence]
    normalized: bool
    def prepare(self, sentences: Sequence[EncodedSentence]) -> None: ...
    def check(self, sentence: EncodedSentence) -> None: ...
    def score(self, s: State, sentence: EncodedSentence, site: int = 0) -> list[float]: ...

class CallableScorer(Scorer):
    function: Callable[[State, EncodedSentence, int], Sequence[float]]
    def __init__(
        self,
        actions: int,
        function: Callable[[State, EncodedSentence, int], Sequence[float]],
        *,
        normalized: bool = False,
    ) -> None: ...
