"""The positions that a network sees, as data: a text with one address per line.

    S0          the encoding of the word on top of the stack
    S0.lc       that of its leftmost dependent
    S0.lc.l     the label of that dependent

Addresses are those of the feature templates. A line that ends in `.l` stands for the label of the node, any other line
for the encoding of the word.
"""

from dataclasses import dataclass

from dodona.data.files import read_shipped
from dodona.errors import OptionError
from dodona.search.addresses import PLACES, STEPS

__all__ = ["Positions"]

MAX_LINES = 64


@dataclass(frozen=True)
class Positions:
    """Parsed positions: (place, step) of each word and of each label, as numbers."""

    text: str
    words: tuple[tuple[int, int], ...]
    labels: tuple[tuple[int, int], ...]

    @classmethod
    def parse(cls, text: str, source: str = "positions") -> "Positions":
        words: dict[tuple[int, int], int] = {}
        labels: dict[tuple[int, int], int] = {}
        for number, line in enumerate(text.splitlines(), start=1):
            body = line.partition("#")[0].strip()
            if not body:
                continue
            address = body.removesuffix(".l")
            nodes = labels if address != body else words
            node = _node(address, f"{source}:{number}")
            if node in nodes:
                raise OptionError(f"{source}:{number}: the position {body!r} is there already")
            nodes[node] = number
        if not words or len(words) + len(labels) > MAX_LINES:
            raise OptionError(
                f"{source}: {len(words)} words and {len(labels)} labels; expected a word, and {MAX_LINES} lines at most"
            )
        return cls(text, tuple(words), tuple(labels))

    @classmethod
    def load(cls, name: str) -> "Positions":
        """One of the sets that come with Dodona, or a file."""
        return cls.parse(*read_shipped("neural/positions", name))

    def places(self) -> list[str]:
        """The places that the positions begin with."""
        return sorted({PLACES[place] for place, _ in (*self.words, *self.labels)}, key=PLACES.index)


def _node(address: str, where: str) -> tuple[int, int]:
    place, _, step = address.partition(".")
    if place not in PLACES:
        raise OptionError(f"{where}: {place!r} in {address!r}; expected one of the places {' '.join(PLACES)}")
    if "." in address and step not in STEPS[1:]:
        raise OptionError(f"{where}: {step!r} in {address!r}; expected one of the steps {' '.join(STEPS[1:])}, or l")
    return PLACES.index(place), STEPS.index(step)
