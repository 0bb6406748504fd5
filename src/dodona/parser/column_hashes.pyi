from collections.abc import Sequence

from dodona.data.values import Values
from dodona.linear.scorer import Words

class ColumnHashes:
    def __init__(self, columns: Sequence[int], parts: Sequence[int], root: str) -> None: ...

def write_columns(
    hashes: list[ColumnHashes], columns: list[list[list[str] | Values]], sentences: list[Words]
) -> None: ...
