from dodona.search.choice import Choice

class SiteSearch:
    def __init__(self, choice: Choice, capacity: int) -> None: ...
