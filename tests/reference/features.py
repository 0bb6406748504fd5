"""Feature templates word for word, as docs/training.md explains them: slow, and to be checked by eye.

Nothing here is taken from the bookkeeping of a configuration but its stack, its buffer and its arcs: who is whose
dependent, how many there are and with which labels, and who is left in easy-first's list all follows from the arcs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from dodona import Sentence
from dodona.transitions.moves import NONE
from dodona.transitions.state import State

BITS = 1 << 64
COLUMNS = ("w", "p", "x", "f", "pre2", "pre3", "suf2", "suf3", "suf4")  # in the order of their numbers


@dataclass
class View:
    """A configuration of a sentence as templates see it. Nodes are 0 for ROOT and 1..n; nobody is None."""

    sentence: Sentence
    stack: list[int]  # top last
    buffer: list[int]  # front first
    heads: list[int | None]  # by node; ROOT's is None
    labels: list[int | None]
    site: int
    _known: dict[str, int | None] = field(default_factory=dict)

    @classmethod
    def of(cls, s: State, sentence: Sentence, site: int = 0) -> "View":
        return cls(
            sentence,
            list(s.stack[: s.depth]),
            list(s.queue[s.front : s.end]),
            [None if h == NONE else h for h in s.head[: s.n + 1]],
            [None if l == NONE else l for l in s.label[: s.n + 1]],
            site,
        )

    @property
    def n(self) -> int:
        return len(self.heads) - 1

    # Places

    def place(self, name: str) -> int | None:
        kind, number = name[0], name[1:]
        if kind == "S":
            return nth(self.stack[::-1], int(number))
        if kind == "N":
            return nth(self.buffer, int(number))
        if kind == "C":
            return nth(self.unlinked_between() if number == "L" else self.unlinked_between()[::-1], 0)
        in_list = [k for k in range(self.n + 1) if self.heads[k] is None]  # easy-first: a dependent leaves the list
        at = in_list.index(self.site)
        if kind == "L":
            return nth(in_list, at - int(number))
        return nth(in_list, at + int(number))  # R; and P0, the site itself

    def unlinked_between(self) -> list[int]:
        """Covington: the words between the focus words whose head is neither there nor one of the two."""
        if not self.stack or not self.buffer:
            return []
        left, right = self.stack[-1], self.buffer[0]
        return [k for k in range(left + 1, right) if self.heads[k] not in range(left, right + 1)]

    # Steps

    def step(self, node: int, name: str) -> int | None:
        if name == "h":
            return self.heads[node]
        if name == "h2":
            head = self.heads[node]
            return None if head is None else self.heads[head]
        left, right = self.left(node), self.right(node)
        return {
            "lc": nth(left, 0),
            "lc2": nth(left, 1),
            "ln": nth(left[::-1], 0),
            "rc": nth(right[::-1], 0),
            "rc2": nth(right[::-1], 1),
            "rn": nth(right, 0),
        }[name]

    def left(self, node: int) -> list[int]:
        """The dependents on the left, from left to right."""
        return [k for k in range(1, node) if self.heads[k] == node]

    def right(self, node: int) -> list[int]:
        return [k for k in range(node + 1, self.n + 1) if self.heads[k] == node]

    # Attributes

    def attribute(self, node: int, name: str) -> int:
        if name == "l":
            return self.label_number(node) + 1
        if name == "vl":
            return len(self.left(node))
        if name == "vr":
            return len(self.right(node))
        if name == "sl":
            return self.label_set(self.left(node))
        if name == "sr":
            return self.label_set(self.right(node))
        return string_number(name, self.string(node, name))

    def label_number(self, node: int) -> int:
        """0 for no label, then 1 for the first."""
        label = self.labels[node]
        return 0 if label is None else label + 1

    def label_set(self, nodes: Sequence[int]) -> int:
        """A bit for each label, of which there are 31; more labels share them."""
        return sum(1 << bit for bit in {self.label_number(k) % 31 for k in nodes})

    def string(self, node: int, name: str) -> str:
        if node == 0:
            return "\0root"
        form = self.sentence.words[node - 1]
        return {
            "w": form,
            "p": self.sentence.upos[node - 1],
            "x": self.sentence.xpos[node - 1],
            "f": self.sentence.feats[node - 1],
            "pre2": form[:2],
            "pre3": form[:3],
            "suf2": form[-2:],
            "suf3": form[-3:],
            "suf4": form[-4:],
        }[name]

    def distance(self, name: str) -> int | None:
        """`dist` between S0 and N0, where ROOT in the buffer comes after all words; `gap` between S1 and S0."""
        one, other = self.place("S0"), self.place("N0" if name == "dist" else "S1")
        if one is None or other is None:
            return None
        if name == "dist" and other == 0:
            other = self.n + 1
        length = abs(one - other)
        if length <= 4:
            return length
        return 5 if length <= 10 else 6

    # Atoms, templates, names

    def atom(self, name: str) -> int | None:
        if name not in self._known:
            self._known[name] = self._atom(name)
        return self._known[name]

    def _atom(self, name: str) -> int | None:
        if name in ("dist", "gap"):
            return self.distance(name)
        place, *step, attribute = name.split(".")
        node = self.place(place)
        if node is not None and step:
            node = self.step(node, step[0])
        return None if node is None else self.attribute(node, attribute)

    def values(self, template: str) -> tuple[int, ...] | None:
        """The values of a template's atoms; None if it is silent, because one of them is about nobody."""
        found = [self.atom(name) for name in template.split("+")]
        return None if None in found else tuple(value for value in found if value is not None)

    def names(self, templates: Sequence[str]) -> list[int]:
        """The names of all features that are there."""
        named = ((number, self.values(template)) for number, template in enumerate(templates, start=1))
        return [feature_name(number, values) for number, values in named if values is not None]


def nth(nodes: Sequence[int], i: int) -> int | None:
    return nodes[i] if 0 <= i < len(nodes) else None


def lines(text: str) -> list[str]:
    """The templates in a text: one a line, without comments and spaces."""
    bodies = (line.partition("#")[0].replace(" ", "") for line in text.splitlines())
    return [body for body in bodies if body]


def feature_name(number: int, values: Sequence[int]) -> int:
    """64 bits for template and values."""
    h = mix(0, number)
    for value in values:
        h = mix(h, value)
    return h


def mix(h: int, value: int) -> int:
    h = (h ^ value) * 0x9E3779B97F4A7C15 % BITS
    return h ^ (h >> 32)


def string_number(column: str, string: str) -> int:
    """The number of a string in a column: the one place that knows how strings are hashed."""
    h = 1
    for character in string:
        h = mix(h, ord(character))
    return mix(h, COLUMNS.index(column) + 1) or 1
