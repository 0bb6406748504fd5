from collections.abc import Iterable, Sequence

from dodona.data import Sentence
from dodona.data.values import Values
from dodona.linear.scorer import Words
from dodona.linear.templates import Templates

ROOT: str

class SentenceEncoder:
    def __init__(self, templates: Templates) -> None: ...
    def __call__(self, sentence: Sentence) -> Words: ...
    def encode(self, sentences: Iterable[Sentence]) -> list[Words]: ...

class ColumnHashes:
    def __init__(self, columns: Sequence[int], parts: Sequence[int], root: str) -> None: ...

def write_columns(
    hashes: list[ColumnHashes], columns: list[list[list[str] | Values]], sentences: list[Words]
) -> None: ...
