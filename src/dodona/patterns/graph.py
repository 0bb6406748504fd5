"""A sentence as a graph, in which patterns are matched: nodes with values, and edges between them.

Nodes are numbers: 0 is ROOT, then come the words, then the empty nodes.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from dodona.data import Sentence
from dodona.data.ud import DEPS, FEATS, FORM, ID, LEMMA, MISC, UPOS, XPOS, parse_attributes, parse_label
from dodona.errors import FormatError
from dodona.patterns.language import POSITION

__all__ = ["ATTRIBUTES", "COLUMNS", "NodeGraph", "find_attribute", "read_value"]

ROOT_FORM = "__0__"
COLUMNS = {"form": "words", "lemma": "lemmas", "upos": "upos", "xpos": "xpos", "deprel": "labels"}
ATTRIBUTES = "attributes"  # FEATS and MISC together


class NodeGraph:
    """A sentence as a graph: the values of its nodes by column, and its edges.

    Without enhanced dependencies the nodes are ROOT and the words, and the edges are HEAD and DEPREL. With them there
    are also empty nodes, and edges with labels that begin with `E:`.
    """

    def __init__(self, sentence: Sentence, enhanced: bool) -> None:
        self.sentence = sentence
        self.empty = _read_empty_nodes(sentence) if enhanced else []
        self.size = 1 + len(sentence) + len(self.empty)
        self.is_enhanced = enhanced
        self._columns: dict[str, Sequence[Any]] = {}
        self._edges: list[tuple[int, int, str]] | None = None
        self.having: dict[int, set[int]] = {}  # the nodes that have an edge of some kind, by the test of it
        self.position: Sequence[int] = range(self.size) if not self.empty else self._order()

    def column(self, name: str) -> Sequence[Any]:
        """Return the values of all nodes; those of ATTRIBUTES are pairs of FEATS and MISC."""
        values = self._columns.get(name)
        if values is None:
            values = self._columns[name] = self._make_column(name)
        return values

    def _make_column(self, name: str) -> Sequence[Any]:
        sentence = self.sentence
        if name == ATTRIBUTES:
            pairs = zip(sentence.feats, sentence.misc, strict=True)
            return [("_", "_"), *pairs, *((row[FEATS], row[MISC]) for row in self.empty)]
        first = ROOT_FORM if name == "form" else "_"
        number = {"form": FORM, "lemma": LEMMA, "upos": UPOS, "xpos": XPOS}.get(name)
        empty = ["_" if number is None else row[number] for row in self.empty]
        return [first, *getattr(sentence, COLUMNS[name]), *empty]

    def value(self, node: int, feature: str) -> str | None:
        """Return the value of a feature of a node; None if it has none."""
        if feature == POSITION:
            return str(self.position[node])
        if feature in COLUMNS:
            return read_value(feature, self.column(feature)[node])
        return find_attribute(self.column(ATTRIBUTES)[node], feature)

    def edge_value(self, edge: tuple[int, int, str], feature: str) -> str | None:
        """Return the label of an edge, a part of it, or its length; None if it has none."""
        source, target, label = edge
        if feature == "label":
            return label
        if feature in ("length", "delta"):
            distance = self.position[target] - self.position[source]
            return str(abs(distance) if feature == "length" else distance)
        return parse_label(label).get(feature)

    def name(self, node: int) -> str:
        """Return the number of a node as CoNLL-U writes it."""
        words = len(self.sentence)
        return str(node) if node <= words else self.empty[node - words - 1][ID]

    @property
    def edges(self) -> list[tuple[int, int, str]]:
        """All edges, as source, target and label, by their targets."""
        if self._edges is None:
            sentence = self.sentence
            heads, labels = sentence.heads, sentence.labels
            triples = zip(heads, range(1, len(heads) + 1), labels, strict=True)
            self._edges = list(triples) if None not in heads else [each for each in triples if each[0] is not None]  # type: ignore[arg-type,misc]
            if self.is_enhanced:
                self._edges += _read_enhanced(sentence, self.empty)
        return self._edges

    def _order(self) -> list[int]:
        """The places of all nodes in their order: an empty node comes after the word whose number it begins with."""
        words = len(self.sentence)
        keys: list[tuple[int, int]] = [(k, 0) for k in range(words + 1)]
        keys += [tuple(map(int, row[ID].split("."))) for row in self.empty]  # type: ignore[misc]
        places = [0] * self.size
        for place, node in enumerate(sorted(range(self.size), key=keys.__getitem__)):
            places[node] = place
        return places


def _read_empty_nodes(sentence: Sentence) -> list[list[str]]:
    return [] if sentence.has_words_only else [row for row in sentence.rows() if "." in row[ID]]


def _read_enhanced(sentence: Sentence, empty: list[list[str]]) -> Iterator[tuple[int, int, str]]:
    """Yield the edges of DEPS, each once."""
    words = len(sentence)
    numbers = {str(k): k for k in range(words + 1)} | {row[ID]: words + k for k, row in enumerate(empty, start=1)}
    for target, deps in enumerate([*sentence.deps, *(row[DEPS] for row in empty)], start=1):
        for dep in dict.fromkeys(deps.split("|")) if deps != "_" else ():
            head, _, label = dep.partition(":")
            if head not in numbers or not label:
                place = f"{sentence.file}:{sentence.line}: " if sentence.file else ""
                raise FormatError(
                    f"{place}DEPS {deps[:60]!r} of node {target}; expected HEAD:DEPREL of nodes that are here"
                )
            yield numbers[head], target, f"E:{label}"


def read_value(feature: str, value: str) -> str | None:
    """Return a value of a column; None for `_`, which stands for nothing except as a form."""
    return None if value == "_" and feature != "form" else value


def find_attribute(columns: tuple[str, str], name: str) -> str | None:
    """Return the value of an attribute of FEATS, or else of MISC."""
    for column in columns:
        if name in column:
            value = parse_attributes(column).get(name)
            if value is not None:
                return value
    return None
