from dodona.core.templates import Templates

class Words:
    n: int
    def __init__(self, n: int) -> None: ...

class Extractor:
    most: int
    def __init__(self, templates: Templates) -> None: ...
