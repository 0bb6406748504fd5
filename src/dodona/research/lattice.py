"""The lattice of a tree: all derivations that a non-deterministic oracle allows, as a graph of configurations.

Two derivations that lead to the same configuration share it and everything that may follow (Björkelund and Nivre 2015,
Figures 2 and 4). So the graph is small where the derivations are many: `Derivations.count` visits each configuration
once and counts derivations with integers of any size, and `Derivations.lattice` keeps the graph, for drawing:
configurations in few words, and letters for the static oracles.
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import TopologicalSorter

from dodona.drawing.dependencies import scroll
from dodona.drawing.graph import Graph, GraphEdge, GraphNode, GraphPath, graph_svg
from dodona.drawing.letters import isolate, shorten
from dodona.errors import DodonaError, OptionError
from dodona.research.configuration import Configuration
from dodona.research.system import Heads, System
from dodona.tables import make_printable

__all__ = [
    "Counts", "Derivations", "Edge", "Lattice", "Node", "TooMany", "configuration_label", "lattice_graph",
    "lattice_oracles", "static_paths",
]  # fmt: skip

MAX_DRAWN = 400  # configurations of a lattice that a notebook draws
MAX_NODES = 7  # of a list that are drawn
MAX_LETTERS = 12  # of a word that are drawn
JOINT = "joint"  # the zero-cost transitions that a system prefers


class TooMany(DodonaError):
    """There are more configurations than the caller wants to visit."""


@dataclass(frozen=True)
class Counts:
    """How large a lattice is: derivations with the numbers of transitions of the shortest and of the longest one."""

    derivations: int
    shortest: int
    longest: int
    configurations: int
    transitions: int

    def in_words(self) -> str:
        """Return the numbers as a sentence."""
        length = f"{self.shortest}" if self.shortest == self.longest else f"{self.shortest} to {self.longest}"
        several = "s" if self.derivations != 1 else ""
        return (
            f"{self.derivations:,} derivation{several} of {length} transitions; "
            f"{self.configurations:,} configurations with {self.transitions:,} transitions"
        )


@dataclass(frozen=True)
class Node:
    """A configuration; `layer` is the length of the longest way to it."""

    configuration: Configuration
    layer: int
    before: int  # number of ways from the start
    after: int  # number of ways to the end
    is_end: bool

    @property
    def derivations(self) -> int:
        """How many derivations lead through this configuration."""
        return self.before * self.after


@dataclass(frozen=True)
class Edge:
    """A transition from one node to another, both by number, and the static oracles that take it."""

    source: int
    target: int
    transition: str
    static: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lattice:
    """The graph: the start is the first node, an end is the last, and every edge leads to a later layer."""

    nodes: list[Node]
    edges: list[Edge]
    lengths: dict[str, int] = field(default_factory=dict)  # number of transitions of each static oracle in the graph
    gave_up: bool = False  # MINIMAL ran out of its budget: its derivation is the one of LAZY

    def counts(self) -> Counts:
        lengths = list(self.by_length())
        return Counts(self.nodes[0].after, lengths[0], lengths[-1], len(self.nodes), len(self.edges))

    def _repr_svg_(self) -> str | None:
        """The picture, for notebooks; none of a graph that is too large to be looked at."""
        if len(self.nodes) > MAX_DRAWN:
            return None
        return graph_svg(lattice_graph(self, self.counts().in_words()))

    def _repr_html_(self) -> str | None:
        svg = self._repr_svg_()
        return None if svg is None else scroll(svg)

    def by_length(self) -> dict[int, int]:
        """Return the number of derivations by their number of transitions, shortest first."""
        ways: list[Counter[int]] = [Counter() for _ in self.nodes]
        ways[0][0] = 1
        ends: Counter[int] = Counter()
        for edge in self.edges:  # sorted by source, so that all ways to it are known
            for length, number in ways[edge.source].items():
                ways[edge.target][length + 1] += number
        for node, lengths in zip(self.nodes, ways, strict=True):
            if node.is_end:
                ends.update(lengths)
        return dict(sorted(ends.items()))


def lattice_oracles(system: System) -> tuple[str, ...]:
    """Return the names of the oracles of a system that allow several transitions, the most permissive one first."""
    dynamic = ("dynamic",) if "dynamic" in system.entry.oracles else ()
    joint = (JOINT,) if dynamic and system.has_preferences else ()
    return (*dynamic, *reversed(system.entry.set_oracles), *joint)


class Derivations:
    """All derivations of a gold tree under a non-deterministic oracle, by default the most permissive one.

    `oracle` is one of `lattice_oracles`: "dynamic" allows the zero-cost transitions, "nd-all" and "nd-sw" those of
    swap-standard, and "joint" the preferred ones of nonmonotonic.
    """

    def __init__(
        self,
        system: System,
        heads: Heads,
        labels: Sequence[str] | None = None,
        *,
        oracle: str | None = None,
        words: Sequence[str] | None = None,
    ) -> None:
        offered = lattice_oracles(system)
        if not offered or (oracle is not None and oracle not in offered):
            wanted = f"oracle {oracle!r}" if oracle is not None else "oracle"
            has = f"it has: {', '.join(offered)}" if offered else "it has none"
            raise OptionError(f"{system.name} has no non-deterministic {wanted}; {has}")
        self.system = system
        self.gold = system.gold(heads, labels)
        self.oracle = oracle or offered[0]
        self._words = words

    def start(self) -> Configuration:
        return self.system.initial(self.gold.core.n) if self._words is None else self.system.initial(words=self._words)

    def list_allowed(self, c: Configuration) -> list[str]:
        """Return the transitions that the oracle allows here."""
        if self.system.is_terminal(c):
            return []
        if self.oracle in self.system.entry.set_oracles:
            return self.system.correct(c, self.gold, oracle=self.oracle)
        choose = self.system.prefer if self.oracle == JOINT else self.system.zero_cost
        return choose(c, self.gold, remembered=self.system.remember(c, self.gold))

    def after(self, c: Configuration, transition: str) -> Configuration:
        """Return the configuration that a transition leads to; `c` is not changed."""
        following = c.copy()
        remembered = self.system.remember(c, self.gold) if transition == "SHIFT" else None
        self.system.apply(following, transition, remembered=remembered)
        return following

    def count(self, most: int | None = None) -> Counts:
        """Count without keeping the configurations. More than `most` of them raise `TooMany`."""
        below: list[list[int]] = []
        ways: list[tuple[int, int, int]] = []  # to the end: how many, the length of the shortest and of the longest
        for c, transitions in self._visit(most):
            below.append([target for target, _ in transitions])
            ways.append((int(self.system.is_terminal(c)), 0, 0))
        for i in reversed(_sort_topologically(below)):
            if below[i]:
                numbers, shortest, longest = zip(*(ways[j] for j in below[i]), strict=True)
                ways[i] = sum(numbers), min(shortest) + 1, max(longest) + 1
        return Counts(*ways[0], len(below), sum(map(len, below)))

    def lattice(self, most: int | None = None) -> Lattice:
        """Return the graph. More than `most` configurations raise `TooMany`."""
        reached: list[Configuration] = []
        arcs: list[tuple[int, int, str]] = []
        for source, (c, transitions) in enumerate(self._visit(most)):
            reached.append(c)
            arcs += [(source, target, transition) for target, transition in transitions]
        return self._sort_into_layers(reached, arcs)

    def _visit(self, most: int | None) -> Iterator[tuple[Configuration, list[tuple[int, str]]]]:
        """Yield each configuration once, breadth first, with the numbers of those that its transitions lead to."""
        todo = deque([self.start()])
        numbers = {_pack(todo[0]): 0}
        while todo:
            c = todo.popleft()
            transitions = []
            for transition in self.list_allowed(c):
                following = self.after(c, transition)
                key = _pack(following)
                if key not in numbers:
                    numbers[key] = len(numbers)
                    todo.append(following)
                transitions.append((numbers[key], transition))
            if most is not None and len(numbers) > most:
                raise TooMany(f"there are more than {most} configurations")
            yield c, transitions

    def _sort_into_layers(self, reached: list[Configuration], arcs: list[tuple[int, int, str]]) -> Lattice:
        """Sort the nodes by layers, count the ways through each, and mark the static derivations."""
        below: list[list[int]] = [[] for _ in reached]
        for source, target, _ in arcs:
            below[source].append(target)
        topological = _sort_topologically(below)
        layer, before, after = [0] * len(reached), [0] * len(reached), [0] * len(reached)
        before[0] = 1
        for i in topological:
            for j in below[i]:
                layer[j] = max(layer[j], layer[i] + 1)
                before[j] += before[i]
        for i in reversed(topological):
            after[i] = sum(after[j] for j in below[i]) + self.system.is_terminal(reached[i])
        order = sorted(range(len(reached)), key=lambda i: (layer[i], i))
        place = {i: k for k, i in enumerate(order)}
        nodes = [Node(reached[i], layer[i], before[i], after[i], self.system.is_terminal(reached[i])) for i in order]
        edges = sorted((place[source], place[target], transition) for source, target, transition in arcs)
        fallbacks = self.system.fallbacks
        paths = self._static_paths({_pack(reached[i]): place[i] for i in order})
        marked = [Edge(*edge, tuple(name for name, path in paths.items() if edge in path)) for edge in edges]
        lengths = {name: len(path) for name, path in paths.items()}
        return Lattice(nodes, marked, lengths, self.system.fallbacks > fallbacks)

    def _static_paths(self, numbers: Mapping[bytes, int]) -> dict[str, set[tuple[int, int, str]]]:
        """Follow each static oracle through the graph; one that leaves it is left out."""
        paths: dict[str, set[tuple[int, int, str]]] = {}
        for name in self.system.entry.static_oracles:
            path = set()
            c = self.start()
            for transition in self.system.static(self.gold, oracle=name):
                if transition not in self.list_allowed(c):
                    break
                following = self.after(c, transition)
                path.add((numbers[_pack(c)], numbers[_pack(following)], transition))
                c = following
            else:
                paths[name] = path
        return paths


def _pack(c: Configuration) -> bytes:
    """Return the key of a configuration in little memory."""
    return repr(c.key).encode()


def _sort_topologically(below: Sequence[Iterable[int]]) -> list[int]:
    """Return the numbers of nodes in an order in which each comes before those below it."""
    sorter: TopologicalSorter[int] = TopologicalSorter({0: ()})
    for source, targets in enumerate(below):
        for target in targets:
            sorter.add(target, source)
    return list(sorter.static_order())


def lattice_graph(lattice: Lattice, title: str) -> Graph:
    numbers = {name: i for i, name in enumerate(lattice.lengths)}
    nodes = []
    for node in lattice.nodes:
        c = node.configuration
        tooltip = f"{c}; {node.derivations:,} derivations"
        nodes.append(GraphNode(node.layer, configuration_label(c), tooltip, node.is_end))
    edges = [
        GraphEdge(e.source, e.target, make_printable(e.transition), tuple(numbers[name] for name in e.static))
        for e in lattice.edges
    ]
    return Graph(title, nodes, edges, static_paths(lattice))


def static_paths(lattice: Lattice) -> list[GraphPath]:
    """The static oracles, each with the first of its letters that is still free."""
    paths: list[GraphPath] = []
    for name, length in lattice.lengths.items():
        taken = [path.letter for path in paths]
        letter = next((c for c in name.upper() if c.isalnum() and c not in taken), str(len(paths) + 1))
        lazy = " (ran out of its budget: as lazy)" if lattice.gave_up and name == "minimal" else ""
        paths.append(GraphPath(letter, f"{name}, {length} transitions{lazy}"))
    return paths


def configuration_label(c: Configuration) -> str:
    """The lists of a configuration, with words that are not too long."""
    lists = c.names_near_focus(MAX_NODES).values()
    parts = (" ".join(isolate(shorten(make_printable(name), MAX_LETTERS)) for name in names) for names in lists)
    return " | ".join(parts).strip()
