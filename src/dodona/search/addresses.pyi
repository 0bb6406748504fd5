from collections.abc import Sequence

PLACES: tuple[str, ...]
REACH: int
STEPS: tuple[str, ...]

class Addresses:
    count: int
    def __init__(self, addresses: Sequence[tuple[int, int]]) -> None: ...
