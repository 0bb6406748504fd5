from typing import Any

from numpy.typing import NDArray

class RowPool:
    def __init__(self, actions: int, bits: int, features: int, rows: NDArray[Any], wide: NDArray[Any]) -> None: ...
    def kinds(self) -> list[int]: ...
