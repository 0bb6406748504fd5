from collections.abc import Mapping, Sequence

from dodona.data.values import Values

class WordRows:
    n: int

class ReadRows(WordRows): ...

class MadeRows(WordRows):
    def __init__(
        self, n: int, header: bytes, columns: Mapping[int, list[str] | Values], between: Mapping[int, str]
    ) -> None: ...

def count_line_feeds(data: bytes) -> int: ...
def scan_rows(body: bytes, ranges: bool) -> tuple[ReadRows, int, list[tuple[int, int, str]]] | None: ...
def pick_rows(body: bytes, rows: Sequence[int]) -> ReadRows: ...
