from dodona.scoring.linear.templates import Templates
from dodona.scoring.scorer import EncodedSentence

class Words(EncodedSentence): ...

class Extractor:
    most: int
    def __init__(self, templates: Templates) -> None: ...
