from collections.abc import Callable, Sequence

from dodona.scoring.linear.features import Words

class HashCache:
    def __init__(self, columns: Sequence[int], work_out: Callable[[str], list[int]], root: str) -> None: ...
    def write(self, values: list[str], words: Words) -> None: ...
