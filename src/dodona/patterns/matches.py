"""What a search finds: matches, their values, marks in CoNLL-U, and counts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from dodona.data import Sentence, Token
from dodona.errors import OptionError
from dodona.patterns.graph import NodeGraph
from dodona.patterns.language import ANY, is_edge_value
from dodona.patterns.matcher import Binding, Pattern
from dodona.tables import Table, Value

__all__ = ["Match", "check_keys", "mark", "match", "search", "tabulate"]

COMMENT = "# match ="
FILE = "file"  # a key that every match has
ABSENT = "_"


class Match:
    """One way in which a pattern matches a sentence. `match["V"]` is the word that V stands for."""

    __slots__ = ("_bindings", "_graph", "pattern")

    def __init__(self, pattern: Pattern, graph: NodeGraph, bindings: tuple[Binding, ...]) -> None:
        self.pattern, self._graph, self._bindings = pattern, graph, bindings

    @property
    def sentence(self) -> Sentence:
        return self._graph.sentence

    def __repr__(self) -> str:
        return f"<Match {self.describe()}>"

    def __getitem__(self, name: str) -> Token | None:
        """The word of a node; None for ROOT and for an empty node."""
        node = self._find(name, self.pattern.nodes, "node")
        return Token(self.sentence, node) if 0 < node <= len(self.sentence) else None

    @property
    def ids(self) -> dict[str, str]:
        """The number of each node as CoNLL-U has it: `3`, `8.1` for an empty node, `0` for ROOT."""
        return {name: self._graph.name(self._bindings[self.pattern.slots[name]]) for name in self.pattern.nodes}  # type: ignore[arg-type]

    @property
    def edges(self) -> dict[str, tuple[str, str, str]]:
        """The source, the target and the label of each edge that has a name."""
        edges = {}
        for name in self.pattern.edges:
            source, target, label = self._find(name, self.pattern.edges, "edge")
            edges[name] = (self._graph.name(source), self._graph.name(target), label)
        return edges

    def value(self, key: str) -> str | None:
        """Return the value of a key, `V.lemma` or `e.label`; None where there is none."""
        if key == FILE:
            return self.sentence.file
        name, _, feature = key.partition(".")
        binding = self._find(name, self.pattern.slots, "node or edge")
        if isinstance(binding, tuple):
            return self._graph.edge_value(binding, feature)
        return self._graph.value(binding, feature)

    def values(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Return the values of several keys; `_` where there is none."""
        return tuple(self.value(key) or ABSENT for key in keys)

    def describe(self) -> str:
        """Return the names and what they stand for, on a line: `V:3 S:2 e:3>2:nsubj`."""
        nodes = [f"{name}:{number}" for name, number in self.ids.items()]
        return " ".join([*nodes, *(f"{name}:{one}>{two}:{label}" for name, (one, two, label) in self.edges.items())])

    def words(self) -> dict[int, str]:
        """Return the names by the number of their word; ROOT and empty nodes have none."""
        count = len(self.sentence)
        pairs = ((self._bindings[self.pattern.slots[name]], name) for name in self.pattern.nodes)
        return {node: name for node, name in pairs if isinstance(node, int) and 0 < node <= count}

    def arcs(self) -> set[int]:
        """Return the dependents of the arcs of the tree that the pattern asks for, between two of its nodes."""
        heads, arcs = self.sentence.heads, set()
        for edge in self.pattern.request.clauses.edges:
            if ANY not in (edge.source, edge.target):
                source, target = (self._bindings[self.pattern.slots[name]] for name in (edge.source, edge.target))
                if isinstance(target, int) and 0 < target <= len(heads) and heads[target - 1] == source:
                    arcs.add(target)
        return arcs

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of nodes and edges, as JSON can hold them."""
        return {"nodes": self.ids, "edges": {name: list(edge) for name, edge in self.edges.items()}}

    def _find(self, name: str, names: Iterable[str], what: str) -> Any:
        if name not in names:
            raise OptionError(f"no {what} {name!r} in this pattern; it has: {', '.join(names) or 'none'}")
        return self._bindings[self.pattern.slots[name]]


def search(pattern: str | Pattern, sentences: Iterable[Sentence]) -> Iterator[Match]:
    """Yield all matches of a pattern, sentence by sentence, in the order of the words that the names stand for."""
    compiled = Pattern(pattern) if isinstance(pattern, str) else pattern
    return (each for sentence in sentences for each in match(compiled, sentence))


def match(pattern: Pattern, sentence: Sentence) -> list[Match]:
    """Return the matches in one sentence."""
    bound = pattern.bind(sentence)
    if bound is None:
        return []
    graph, ways = bound
    return [Match(pattern, graph, way) for way in ways]


def mark(sentence: Sentence, matches: Sequence[Match]) -> Sentence:
    """Return a copy of the sentence with a comment for each match, `# match = V:3 S:2`; earlier ones are replaced."""
    marked = sentence.copy()
    kept = [comment for comment in sentence.comments if not comment.startswith(COMMENT)]
    marked.set_comments([*kept, *(f"{COMMENT} {each.describe()}" for each in matches)])
    return marked


def check_keys(pattern: Pattern, keys: Sequence[str]) -> None:
    """Raise an error for a key that no match of the pattern has."""
    for key in keys:
        name, dot, feature = key.partition(".")
        if key == FILE:
            continue
        names = ", ".join(pattern.slots) or "none"
        if not dot or not feature:
            raise OptionError(f"key {key!r}; expected NAME.FEATURE, with a name of the pattern ({names}), or {FILE}")
        if name not in pattern.slots:
            raise OptionError(f"key {key!r}: no node or edge {name!r} in the pattern; it has: {names}")
        if name in pattern.edges and not is_edge_value(feature):
            raise OptionError(f"key {key!r}: an edge has label, length, delta, and the parts 1, 2 and 3 of its label")


def tabulate(keys: Sequence[str], counts: Counter[tuple[str, ...]]) -> Table:
    """Return how often each combination of the values of keys occurs, the most frequent ones first."""
    total = counts.total()
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    rows: list[list[Value]] = [[*values, count, 100 * count / total] for values, count in ranked]
    return Table((*keys, "matches", "%"), rows, name="matches", align="l" * len(keys) + "rr")
