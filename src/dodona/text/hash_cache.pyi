from collections.abc import Callable, Sequence

from dodona.scoring.linear.features import Words

class Memory:
    def __init__(self, columns: Sequence[int], learn: Callable[[str], bytes], root: str) -> None: ...
    def write(self, values: list[str], words: Words) -> None: ...
