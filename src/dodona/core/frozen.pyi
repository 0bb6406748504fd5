from typing import Any

from numpy.typing import NDArray

class FrozenWeights:
    actions: int
    def __init__(
        self, actions: int, marks: NDArray[Any], counts: NDArray[Any], rows: NDArray[Any], wide: NDArray[Any]
    ) -> None: ...

def weight_bits(actions: int) -> int: ...
def freeze(
    keys: NDArray[Any], actions: NDArray[Any], weights: NDArray[Any], action_count: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]: ...
def without_weak_features(
    keys: NDArray[Any], actions: NDArray[Any], weights: NDArray[Any], least: float
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]: ...
def rows_are_sound(rows: NDArray[Any], step: int, count: int, wide: int, actions: int) -> bool: ...
