"""Graphs in layers, such as the lattice of an oracle, as SVG and as DOT; some paths are marked.

A marked path has a colour, a pattern of dashes and a letter at each of its edges, so that it can be followed without
colours, too.

The layout in rows is that of Sugiyama, Tagawa and Toda (1981); all edges lead downwards. Nodes stand in the rows 0, 2,
4, …. The label of an edge has a place of its own in the row below the edge's source, and in every further row that the
edge crosses there is a gap for it. Lines bend only between two rows. So no line crosses a label or a node, and no two
labels overlap.
"""

import re
from bisect import bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from dodona.drawing.letters import width_of
from dodona.drawing.svg import element, number, read_style, svg_document
from dodona.tables import make_printable

__all__ = [
    "Graph", "GraphEdge", "GraphLayout", "GraphNode", "GraphPath", "Place", "fit_ascending", "graph_dot", "graph_svg",
    "lay_out",
]  # fmt: skip

LETTER = 7.3  # width of a letter of the monospaced font of 12 pixels
NODE, LABEL = 26.0, 16.0  # heights
BADGE, ASIDE = 15.0, 5.0  # width of the letter of a path, and the space before the first one
LEAST_SPACE, MOST_SPACE = 14.0, 70.0  # heights of the space between two rows
MARGIN = 16.0
LINE = 20.0  # height of a line of the legend
LEGEND = 60.0  # width of the sample of a path in the legend
BESIDE = 3.5  # between the lines of two paths along the same edge
SWEEPS = 24  # how often the order of the rows is improved, alternately downwards and upwards
ROUNDS = 12  # the same for the positions in the rows
NEIGHBOUR_GAP = 14.0  # between two neighbours in a row
STRAIGHT = 4.0  # how much more a gap of an edge is drawn to its neighbours than a node is

COLOURS = ("#0072b2", "#d55e00", "#00795a")
"""Of the paths; for a fourth one they begin again. graph.css has them with their patterns of dashes."""
PATH_RULE = re.compile(r"\.dodona-graph \.(?:path|badge)([0-9])")


@dataclass(frozen=True)
class GraphNode:
    layer: int
    label: str
    tooltip: str = ""
    is_end: bool = False  # has a double line


@dataclass(frozen=True)
class GraphEdge:
    source: int
    target: int
    label: str
    paths: tuple[int, ...] = ()  # numbers of the marked paths that it is part of


@dataclass(frozen=True)
class GraphPath:
    """A marked path: the letter at its edges, and its line in the legend."""

    letter: str
    legend: str


@dataclass(frozen=True)
class Graph:
    title: str
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    paths: list[GraphPath] = field(default_factory=list)


@dataclass
class Place:
    """A place in a row: a node, the label of an edge, or a gap; `x` is its centre."""

    row: int
    width: float
    weight: float = 1.0
    x: float = 0.0
    above: list["Place"] = field(default_factory=list, repr=False)
    below: list["Place"] = field(default_factory=list, repr=False)


@dataclass
class GraphLayout:
    nodes: list[Place]
    chains: list[list[Place]]  # for each edge the source, the label, the gaps and the target
    rows: list[list[Place]]
    width: float


def graph_svg(graph: Graph) -> str:
    """Return a picture without scripts and without fonts from elsewhere, for light and dark paper."""
    widths = [_width(node.label) + 2 * LETTER for node in graph.nodes]
    arcs = [(edge.source, edge.target, _label_width(edge)) for edge in graph.edges]
    layout = lay_out([node.layer for node in graph.nodes], widths, arcs)
    legend = max(_width(graph.title), *(_width(path.legend) + LEGEND for path in graph.paths), 0.0)
    width = max(layout.width, legend) + 2 * MARGIN
    for row in layout.rows:
        for place in row:
            place.x += (width - layout.width) / 2
    tops = _tops(layout, 2 * MARGIN + LINE * (1 + len(graph.paths)))
    elements = [*_draw_legend(graph)]
    for edge, chain in zip(graph.edges, layout.chains, strict=True):
        elements += _draw_edge(edge, chain, tops, graph.paths)
    for node, place in zip(graph.nodes, layout.nodes, strict=True):
        elements += _draw_node(node, place, tops)
    height = tops[-1] + NODE + MARGIN
    return svg_document(width, height, graph.title, elements, name="dodona-graph", style=_style(len(graph.paths)))


def graph_dot(graph: Graph) -> str:
    """Return the graph in the language of Graphviz."""
    lines = ["digraph {", f"  label={_quote(graph.title)}; labelloc=t;", "  node [shape=box, style=rounded];"]
    for i, node in enumerate(graph.nodes):
        double = ", peripheries=2" if node.is_end else ""
        lines.append(f"  {i} [label={_quote(node.label)}, tooltip={_quote(node.tooltip)}{double}];")
    for edge in graph.edges:
        marks = "".join(graph.paths[path].letter for path in edge.paths)
        label = f"{edge.label} {marks}".rstrip()
        colours = ":".join(COLOURS[path % len(COLOURS)] for path in edge.paths)
        style = f', color="{colours}", penwidth=2' if colours else ""
        lines.append(f"  {edge.source} -> {edge.target} [label={_quote(label)}{style}];")
    lines += [f"  // {path.letter}: {make_printable(path.legend)}" for path in graph.paths]
    return "\n".join([*lines, "}", ""])


def _quote(text: str) -> str:
    return '"' + make_printable(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _style(paths: int) -> str:
    """The style sheet, without the rules for paths that a graph does not have."""
    lines = read_style("graph").split("\n")
    return "\n".join(line for line in lines if not (rule := PATH_RULE.match(line)) or int(rule[1]) < paths)


def _width(text: str) -> float:
    return LETTER * width_of(text)


def _label_width(edge: GraphEdge) -> float:
    return _width(edge.label) + (ASIDE + BADGE * len(edge.paths) if edge.paths else 0.0)


def _tops(layout: GraphLayout, first: float) -> list[float]:
    """The upper edge of each row. The space below a row is higher where lines go far to the side."""
    tops = [first]
    for i, row in enumerate(layout.rows[:-1]):
        farthest = max((abs(place.x - other.x) for place in row for other in place.below), default=0.0)
        tops.append(tops[-1] + _height(i) + min(MOST_SPACE, max(LEAST_SPACE, farthest / 5)))
    return tops


def _height(row: int) -> float:
    return LABEL if row % 2 else NODE


def _draw_legend(graph: Graph) -> Iterator[str]:
    y = MARGIN + LINE / 2
    yield element("text", graph.title, class_="told", x=MARGIN, y=y + 4)
    for i, path in enumerate(graph.paths):
        y += LINE
        style = i % len(COLOURS)
        yield element("path", class_=f"path path{style}", d=f"M{number(MARGIN)} {number(y)}h30")
        yield from _draw_badge(style, path.letter, MARGIN + 42, y)
        yield element("text", path.legend, class_="told", x=MARGIN + LEGEND, y=y + 4)


def _draw_badge(style: int, letter: str, x: float, y: float) -> Iterator[str]:
    yield element("rect", class_=f"badge{style}", x=x - 6.5, y=y - 6.5, width=13, height=13, rx=3)
    yield element("text", letter, class_="letter", x=x, y=y + 3.5)


def _draw_node(node: GraphNode, place: Place, tops: Sequence[float]) -> Iterator[str]:
    x, y = place.x - place.width / 2, tops[place.row]
    yield element("rect", title=node.tooltip or None, class_="node", x=x, y=y, width=place.width, height=NODE, rx=6)
    if node.is_end:
        yield element("rect", class_="end", x=x + 3, y=y + 3, width=place.width - 6, height=NODE - 6, rx=4)
    yield element("text", node.label, x=place.x, y=y + NODE / 2 + 4, pointer_events="none")


def _draw_edge(edge: GraphEdge, chain: list[Place], tops: Sequence[float], paths: Sequence[GraphPath]) -> Iterator[str]:
    lines = edge.paths or (None,)
    for i, path in enumerate(lines):
        aside = (i - (len(lines) - 1) / 2) * BESIDE
        style = "edge" if path is None else f"path path{path % len(COLOURS)}"
        yield element("path", class_=style, d=_curve(chain, tops, aside))
    label = chain[1]
    x, y = label.x - label.width / 2, tops[label.row] + LABEL / 2
    width = _width(edge.label)
    yield element("text", edge.label, x=x + width / 2, y=y + 4)
    for i, path in enumerate(edge.paths):
        yield from _draw_badge(path % len(COLOURS), paths[path].letter, x + width + ASIDE + (i + 0.5) * BADGE, y)


def _curve(chain: Sequence[Place], tops: Sequence[float], aside: float) -> str:
    """The line through the places of an edge: straight through a gap, bent between two rows, none behind a label."""
    drawn = []
    for one, other in pairwise(chain):
        x, y = one.x + aside, tops[one.row] + _height(one.row)
        to_x, to_y = other.x + aside, tops[other.row]
        middle = number((y + to_y) / 2)
        begins = one is chain[0] or one is chain[1]
        drawn.append(f"M{number(x)} {number(y)}" if begins else f"L{number(x)} {number(y)}")
        drawn.append(f"C{number(x)} {middle} {number(to_x)} {middle} {number(to_x)} {number(to_y)}")
    return "".join(drawn)


def lay_out(layers: Sequence[int], widths: Sequence[float], edges: Sequence[tuple[int, int, float]]) -> GraphLayout:
    """Return places for nodes, given by layer and width, and for edges: source, target and width of the label."""
    nodes = [Place(2 * layer, width) for layer, width in zip(layers, widths, strict=True)]
    rows: list[list[Place]] = [[] for _ in range(2 * max(layers, default=0) + 1)]
    for node in nodes:
        rows[node.row].append(node)
    chains = [_make_chain(nodes[source], nodes[target], width, rows) for source, target, width in edges]
    _sort_rows(rows)
    _position(rows)
    places = [place for row in rows for place in row]
    left = min((place.x - place.width / 2 for place in places), default=0.0)
    for place in places:
        place.x -= left
    return GraphLayout(nodes, chains, rows, max((place.x + place.width / 2 for place in places), default=0.0))


def _make_chain(source: Place, target: Place, width: float, rows: list[list[Place]]) -> list[Place]:
    if source.row >= target.row:
        raise ValueError(f"an edge from row {source.row} to row {target.row}; expected one downwards")
    label = Place(source.row + 1, width)
    gaps = [Place(row, 0.0, STRAIGHT) for row in range(source.row + 2, target.row)]
    chain = [source, label, *gaps, target]
    for place in chain[1:-1]:
        rows[place.row].append(place)
    for one, other in pairwise(chain):
        one.below.append(other)
        other.above.append(one)
    return chain


def _sort_rows(rows: list[list[Place]]) -> None:
    """Sort each row by the medians of its neighbours in the row before; keep the order with the fewest crossings."""
    best, fewest = [list(row) for row in rows], _count_crossings(rows)
    for sweep in range(SWEEPS):
        if fewest == 0:
            break
        downwards = sweep % 2 == 0
        for neighbours, row in pairwise(rows if downwards else rows[::-1]):
            at = {id(place): i for i, place in enumerate(neighbours)}
            medians = {}
            for i, place in enumerate(row):
                seen = sorted(at[id(other)] for other in (place.above if downwards else place.below))
                medians[id(place)] = median(seen) if seen else i
            row.sort(key=lambda place, medians=medians: medians[id(place)])  # type: ignore[misc]
        crossings = _count_crossings(rows)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    rows[:] = best


def _count_crossings(rows: list[list[Place]]) -> int:
    """How many pairs of lines cross: inversions between the order of their upper ends and that of their lower ends."""
    count = 0
    for upper, lower in pairwise(rows):
        at = {id(place): i for i, place in enumerate(lower)}
        seen: list[int] = []
        for place in upper:
            ends = [at[id(other)] for other in place.below]
            count += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return count


def _position(rows: list[list[Place]]) -> None:
    """Move each place near the mean of its neighbours, in the order that is fixed and without overlap."""
    for row in rows:
        _arrange(row, [0.0] * len(row))
    for turn in range(ROUNDS):
        downwards = turn % 2 == 0
        for row in rows[1:] if downwards else rows[-2::-1]:
            near = [(place.above if downwards else place.below) or [place] for place in row]
            _arrange(row, [sum(other.x for other in others) / len(others) for others in near])


def _arrange(row: Sequence[Place], wanted: Sequence[float]) -> None:
    offsets = [0.0]
    for one, other in pairwise(row):
        offsets.append(offsets[-1] + one.width / 2 + NEIGHBOUR_GAP + other.width / 2)
    targets = [x - offset for x, offset in zip(wanted, offsets, strict=False)]
    moved = fit_ascending(targets, [place.weight for place in row])
    for place, x, offset in zip(row, moved, offsets, strict=False):
        place.x = x + offset


def fit_ascending(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the non-decreasing numbers with the least weighted squared distance to `values`.

    Neighbours in the wrong order are pooled into their mean, as long as there are any (isotonic regression).
    """
    pools: list[tuple[float, float, int]] = []  # mean, weight, number of values
    for value, weight in zip(values, weights, strict=True):
        pool = (value, weight, 1)
        while pools and pools[-1][0] > pool[0]:
            mean, mass, size = pools.pop()
            total = mass + pool[1]
            pool = ((mean * mass + pool[0] * pool[1]) / total, total, size + pool[2])
        pools.append(pool)
    return [mean for mean, _, size in pools for _ in range(size)]
