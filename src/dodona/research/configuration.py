"""A configuration as Python lists of word numbers: 0 is ROOT, None a head or label that is not known yet."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dodona.systems.registry import Entry
from dodona.tables import NO_DATA, Cell, Table, make_printable
from dodona.transitions import derivations
from dodona.transitions.moves import NONE
from dodona.transitions.state import State

if TYPE_CHECKING:
    from dodona.drawing.picture import Picture

__all__ = ["Configuration"]


@dataclass(eq=False, repr=False)
class Configuration:
    """Created by `System.initial`, changed in place by `System.apply`, read through its attributes."""

    state: State
    entry: Entry
    words: tuple[str, ...] | None
    system_key: tuple[object, ...]  # which system, options and labels it belongs to
    _label_names: tuple[str, ...]

    def __len__(self) -> int:
        return self.state.n

    @property
    def lists(self) -> dict[str, list[int]]:
        """The data structures besides the arcs, by name: stack and buffer, or the lists of the system."""
        return {name: nodes(self.state) for name, nodes in self.entry.lists.items()}

    @property
    def stack(self) -> list[int]:
        """The stack, top last. For easy-first its list, for covington the left list λ1."""
        first, *_ = self.entry.lists.values()
        return first(self.state)

    @property
    def buffer(self) -> list[int]:
        """The buffer, front first; empty for easy-first, which has none."""
        return self.lists.get("buffer", [])

    @property
    def left(self) -> list[int]:
        """Covington's list λ1, focus word last."""
        return self._list("left")

    @property
    def right(self) -> list[int]:
        """Covington's list λ2: the words that the current focus has already been compared with."""
        return self._list("right")

    @property
    def heads(self) -> list[int | None]:
        """The head of each word 1..n so far."""
        return [h if h != NONE else None for h in self.state.head[1 : self.state.n + 1]]

    @property
    def labels(self) -> list[str | None]:
        """The label of each word 1..n so far; None also for every arc of an unlabelled system."""
        return [self._label(l) for l in self.state.label[1 : self.state.n + 1]]

    @property
    def remembered(self) -> list[str | None]:
        """Non-monotonic with `reduce_label="remembered"`: the label kept for each word since its SHIFT."""
        return [self._label(l) for l in self.state.remembered[1 : self.state.n + 1]]

    @property
    def key(self) -> tuple[object, ...]:
        """A hashable key of the whole configuration: two with equal keys have the same possible continuations."""
        arcs = (tuple(self.heads), tuple(self.labels), tuple(self.remembered))
        return (tuple(self.stack), tuple(self.buffer), *arcs, self.state.front)

    def copy(self) -> "Configuration":
        state = derivations.copy(self.state)
        return Configuration(state, self.entry, self.words, self.system_key, self._label_names)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, object]) -> "Configuration":
        return self.copy()

    def name(self, node: int) -> str:
        """Return the word form if it is known, else the number; ROOT for 0."""
        if node == 0:
            return "ROOT"
        return self.words[node - 1] if self.words is not None else str(node)

    def __str__(self) -> str:
        parts = [f"[{' '.join(map(self.name, nodes))}]" for nodes in self.lists.values()]
        for d, (h, label) in enumerate(zip(self.heads, self.labels, strict=True), start=1):
            if h is not None:
                parts.append(f"{self.name(h)}→{self.name(d)}" + (f":{label}" if label else ""))
        return " ".join(parts)

    def __repr__(self) -> str:
        return f"<{self.entry.name} {self}>"

    def names_near_focus(self, most: int) -> dict[str, list[str]]:
        """The words of each list. Of a long list these are the end of a stack or the front of a buffer, and `…`."""
        names = {kind: list(map(self.name, nodes)) for kind, nodes in self.lists.items()}
        for kind, words in names.items():
            if len(words) > most and kind != "list":
                names[kind] = [*words[:most], "…"] if kind in ("buffer", "right") else ["…", *words[-most:]]
        return names

    def _repr_svg_(self) -> str:
        """The arcs, and below each word the list that it is in."""
        from dodona.drawing.dependencies import picture_svg

        return picture_svg(self._picture())

    def _repr_html_(self) -> str:
        from dodona.drawing.dependencies import scroll

        lists = self.lists.items()
        rows = [(Cell(name, style="faint"), " ".join(map(self.name, nodes)) or NO_DATA) for name, nodes in lists]
        table = Table(("", ""), rows, self.entry.name, align="ll")
        return table.html() + scroll(self._repr_svg_(), self._picture().reversed)

    def _picture(self) -> "Picture":
        from dodona.drawing.picture import Link, Picture, Word, is_reversed

        list_of = {node: name for name, nodes in self.lists.items() for node in nodes}
        names = [self.name(node) for node in range(1, len(self) + 1)]
        words = [
            Word(make_printable(name), list_of.get(node, ""), f"{node}  {list_of.get(node, 'in no list')}")
            for node, name in enumerate(names, start=1)
        ]
        links = [
            Link(head, d, make_printable(label or ""))
            for d, (head, label) in enumerate(zip(self.heads, self.labels, strict=True), start=1)
            if head is not None
        ]
        return Picture(make_printable(str(self)), words, links, [], [], is_reversed(names))

    def _label(self, label: int) -> str | None:
        return self._label_names[label] if 0 <= label < len(self._label_names) else None

    def _list(self, name: str) -> list[int]:
        if name not in self.entry.lists:
            raise AttributeError(f"a configuration of {self.entry.name} has no list {name!r}")
        return self.lists[name]
