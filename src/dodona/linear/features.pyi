from collections.abc import Sequence

from dodona.linear.templates import Templates
from dodona.search.scorer import EncodedSentence

class Words(EncodedSentence):
    def column(self, number: int) -> list[int]: ...

class Extractor:
    most: int
    def __init__(self, templates: Templates, chosen: Sequence[int] | None = None) -> None: ...

def is_steady(templates: Templates, combination: Sequence[int]) -> bool: ...
