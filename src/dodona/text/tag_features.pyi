from typing import Any

from numpy.typing import NDArray

from dodona.data.values import Values

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
