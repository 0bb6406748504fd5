from array import array
from collections.abc import Mapping, Sequence

from dodona.data.values import Values

def replaced(body: bytes, starts: array[int], n: int, columns: Mapping[int, Sequence[str] | Values]) -> bytes: ...
def rows(header: bytes, n: int, columns: Mapping[int, Sequence[str] | Values], between: Mapping[int, str]) -> bytes: ...
