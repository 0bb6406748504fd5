from typing import Any

from numpy.typing import NDArray

class Weights:
    actions: int
    now: int
    features: int
    def __init__(self, actions: int) -> None: ...
    def averages(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]: ...
