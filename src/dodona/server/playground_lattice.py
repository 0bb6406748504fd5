"""The lattice of correct derivations for the playground, laid out: the page draws it, and asks nothing more."""

from typing import Any

from dodona.drawing.layout import laid_out
from dodona.drawing.letters import width_of
from dodona.research.lattice import Counts, Derivations, Lattice, TooMany, lattice_oracles
from dodona.research.lattice_graph import configuration_label
from dodona.server.playground_walk import Walk, key_of

__all__ = ["lattice"]

DRAWN = 150  # configurations
COUNTED = 6_000
LETTER = 7.3  # width of a letter in the font of the page's drawings, in pixels
PADDING = 16.0


def lattice(request: dict[str, Any]) -> dict[str, Any]:
    """Return all derivations that an oracle allows, as a graph; only their number if there are too many to draw.

    The fields are those of `step`; the moves do not matter. An oracle that allows one derivation only is replaced by
    the most permissive one.
    """
    walk = Walk({**request, "moves": []})
    gold = walk.checked_gold
    offered = lattice_oracles(walk.system)
    oracle = walk.oracle if walk.oracle in offered else None
    derivations = Derivations(walk.system, gold, oracle=oracle, words=walk.words)
    try:
        counts = derivations.count(COUNTED)
    except TooMany:
        return {"oracle": derivations.oracle, "counts": None, "more_than": COUNTED, "nodes": None, "edges": None}
    found: dict[str, Any] = {"oracle": derivations.oracle, "counts": _counts(counts), "nodes": None, "edges": None}
    if counts.configurations > DRAWN:
        return found
    return found | _drawn(derivations.lattice())


def _counts(counts: Counts) -> dict[str, str]:
    """The numbers may be longer than those of JavaScript."""
    derivations = f"{counts.derivations:,}" if counts.derivations < 10**30 else f"{float(counts.derivations):.3g}"
    return {
        "derivations": derivations,
        "shortest": str(counts.shortest),
        "longest": str(counts.longest),
        "configurations": f"{counts.configurations:,}",
        "transitions": f"{counts.transitions:,}",
    }


def _drawn(graph: Lattice) -> dict[str, Any]:
    captions = [configuration_label(node.configuration) for node in graph.nodes]
    widths = [LETTER * width_of(text) + PADDING for text in captions]
    names = list(graph.lengths)
    arcs = [
        (edge.source, edge.target, LETTER * (width_of(edge.transition) + 2 * len(edge.static))) for edge in graph.edges
    ]
    layout = laid_out([node.layer for node in graph.nodes], widths, arcs)
    came: dict[int, tuple[int, str]] = {}
    for edge in graph.edges:
        came.setdefault(edge.target, (edge.source, edge.transition))
    nodes = [
        {
            "x": round(place.x, 1),
            "row": place.row,
            "width": round(place.width, 1),
            "text": text,
            "end": node.is_end,
            "key": key_of(node.configuration),
            "derivations": f"{node.derivations:,}" if node.derivations < 10**15 else f"{float(node.derivations):.3g}",
            "from": came.get(i),
        }
        for i, (node, place, text) in enumerate(zip(graph.nodes, layout.nodes, captions, strict=True))
    ]
    edges = [
        {
            "source": edge.source,
            "target": edge.target,
            "name": edge.transition,
            "static": [names.index(name) for name in edge.static],
            "through": [[round(place.x, 1), place.row] for place in chain],
        }
        for edge, chain in zip(graph.edges, layout.chains, strict=True)
    ]
    static = [{"name": name, "length": length} for name, length in graph.lengths.items()]
    return {"nodes": nodes, "edges": edges, "static": static, "width": round(layout.width, 1)}
