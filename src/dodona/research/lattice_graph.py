"""The lattice of a tree as a graph to be drawn: configurations in few words, and letters for the static oracles."""

from dodona.drawing.graph import Graph, GraphEdge, GraphNode, GraphPath
from dodona.drawing.letters import isolated, shortened, shown
from dodona.research.configuration import Configuration
from dodona.research.lattice import Lattice

__all__ = ["configuration_label", "lattice_graph", "static_paths"]

LONG = 7  # words of a list that are drawn
LETTERS = 12  # of a word that are drawn


def lattice_graph(drawn: Lattice, title: str) -> Graph:
    """Return a lattice as a graph to be drawn."""
    numbers = {name: i for i, name in enumerate(drawn.lengths)}
    nodes = [
        GraphNode(
            node.layer,
            configuration_label(node.configuration),
            f"{node.configuration}; {node.derivations:,} derivations",
            node.is_end,
        )
        for node in drawn.nodes
    ]
    edges = [
        GraphEdge(edge.source, edge.target, shown(edge.transition), tuple(numbers[name] for name in edge.static))
        for edge in drawn.edges
    ]
    return Graph(title, nodes, edges, static_paths(drawn))


def static_paths(drawn: Lattice) -> list[GraphPath]:
    """The static oracles, each with the first of its letters that is still free."""
    letters: list[str] = []
    told = []
    for name, length in drawn.lengths.items():
        letters.append(next((c for c in name.upper() if c.isalnum() and c not in letters), str(len(letters) + 1)))
        lazy = " (ran out of its budget: as lazy)" if drawn.gave_up and name == "minimal" else ""
        told.append(f"{name}, {length} transitions{lazy}")
    return [GraphPath(*pair) for pair in zip(letters, told, strict=True)]


def configuration_label(c: Configuration) -> str:
    """The lists of a configuration: the end of a stack, the front of a buffer, and words that are not too long."""
    parts = []
    for kind, nodes in c.lists.items():
        names = [isolated(shortened(shown(c.name(node)), LETTERS)) for node in nodes]
        if len(names) > LONG and kind != "list":
            names = [*names[:LONG], "…"] if kind in ("buffer", "right") else ["…", *names[-LONG:]]
        parts.append(" ".join(names))
    return " | ".join(parts).strip()
