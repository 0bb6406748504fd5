from collections.abc import Collection, Iterator, Mapping
from typing import Protocol

from dodona.data.values import Values
from dodona.tokenizer.segmenter import Segmenter, Segments

class MultiwordFilter:
    def __init__(self, forms: Collection[str], suffixes: Collection[str]) -> None: ...
    def __contains__(self, token: str) -> bool: ...

class _Expansion(Protocol):
    @property
    def words(self) -> list[str]: ...
    @property
    def is_certain(self) -> bool: ...

class SentenceMaker:
    def __init__(
        self, segmenter: Segmenter, expander: Mapping[str, _Expansion | None], filter: MultiwordFilter
    ) -> None: ...
    def ends_paragraph(self, segments: Segments, i: int) -> bool: ...
    def sentences(
        self, segments: Segments, before: int
    ) -> Iterator[tuple[bytes, Values, Values | None, list[tuple[int, int, str]], list[str]]]: ...
