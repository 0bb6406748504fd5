"""Graphs in layers, such as the lattice of an oracle, as SVG and as DOT; some paths are marked.

A marked path has a colour, a pattern of dashes and a letter at each of its edges, so that it can be followed without
colours, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from dodona.drawing.layout import Layout, Place, laid_out
from dodona.drawing.letters import shown, width_of
from dodona.drawing.svg import Svg, number

__all__ = ["Graph", "GraphEdge", "GraphNode", "GraphPath", "graph_dot", "graph_svg"]

LETTER = 7.3  # width of a letter of the monospaced font of 12 pixels
NODE, LABEL = 26.0, 16.0  # heights
BADGE, ASIDE = 15.0, 5.0  # width of the letter of a path, and the space before the first one
LEAST, MOST = 14.0, 70.0  # heights of the space between two rows
MARGIN = 16.0
LINE = 20.0  # height of a line of the legend
LEGEND = 60.0  # width of the sample of a path in the legend
BESIDE = 3.5  # between the lines of two paths along the same edge

COLOURS = (("#0072b2", "#56b4e9", ""), ("#d55e00", "#ff9d5c", "7 3"), ("#00795a", "#3fd1a4", "2 3"))
"""For each path a colour on white, one on black, and a pattern of dashes; for a fourth path they begin again."""

STYLES = {
    "text": "font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1b1b1b; text-anchor: middle",
    ".paper": "fill: #ffffff",
    ".node": "fill: #f4f4f4; stroke: #555555",
    ".end": "fill: none; stroke: #555555",
    ".edge": "fill: none; stroke: #777777",
    ".path": "fill: none; stroke-width: 2.5",
    ".letter": "font-weight: bold; font-size: 10px; fill: #ffffff",
    ".told": "text-anchor: start",
}
DARK = {
    "text": "fill: #e8e8e8",
    ".paper": "fill: #16181d",
    ".node": "fill: #262a31; stroke: #a0a0a0",
    ".end": "stroke: #a0a0a0",
    ".edge": "stroke: #909090",
    ".letter": "fill: #101010",
}


@dataclass(frozen=True)
class GraphNode:
    layer: int
    label: str
    told: str = ""  # to a reader who points at it
    is_end: bool = False  # has a double line


@dataclass(frozen=True)
class GraphEdge:
    source: int
    target: int
    label: str
    paths: tuple[int, ...] = ()  # numbers of the marked paths that it is part of


@dataclass(frozen=True)
class GraphPath:
    """A marked path: the letter at its edges, and what the legend tells about it."""

    letter: str
    told: str


@dataclass(frozen=True)
class Graph:
    title: str
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    paths: list[GraphPath] = field(default_factory=list)


def graph_svg(graph: Graph) -> str:
    """Return a picture without scripts and without fonts from elsewhere, for light and dark paper."""
    widths = [_width(node.label) + 2 * LETTER for node in graph.nodes]
    arcs = [(edge.source, edge.target, _label_width(edge)) for edge in graph.edges]
    layout = laid_out([node.layer for node in graph.nodes], widths, arcs)
    told = max(_width(graph.title), *(_width(path.told) + LEGEND for path in graph.paths), 0.0)
    width = max(layout.width, told) + 2 * MARGIN
    for row in layout.rows:
        for place in row:
            place.x += (width - layout.width) / 2
    tops = _tops(layout, 2 * MARGIN + LINE * (1 + len(graph.paths)))
    svg = Svg(width, tops[-1] + NODE + MARGIN, graph.title, *_styles(len(graph.paths)), name="dodona-graph")
    _draw_legend(svg, graph)
    for edge, chain in zip(graph.edges, layout.chains, strict=True):
        _draw_edge(svg, edge, chain, tops, graph.paths)
    for node, place in zip(graph.nodes, layout.nodes, strict=True):
        _draw_node(svg, node, place, tops)
    return str(svg)


def graph_dot(graph: Graph) -> str:
    """Return the graph in the language of Graphviz."""
    lines = ["digraph {", f"  label={_quoted(graph.title)}; labelloc=t;", "  node [shape=box, style=rounded];"]
    for i, node in enumerate(graph.nodes):
        double = ", peripheries=2" if node.is_end else ""
        lines.append(f"  {i} [label={_quoted(node.label)}, tooltip={_quoted(node.told)}{double}];")
    for edge in graph.edges:
        marks = "".join(graph.paths[path].letter for path in edge.paths)
        label = f"{edge.label} {marks}".rstrip()
        colours = ":".join(COLOURS[path % len(COLOURS)][0] for path in edge.paths)
        style = f', color="{colours}", penwidth=2' if colours else ""
        lines.append(f"  {edge.source} -> {edge.target} [label={_quoted(label)}{style}];")
    lines += [f"  // {path.letter}: {shown(path.told)}" for path in graph.paths]
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    return '"' + shown(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _styles(paths: int) -> tuple[dict[str, str], dict[str, str]]:
    """The styles on light paper, and what is different on dark paper."""
    light, dark = dict(STYLES), dict(DARK)
    for i, (on_white, on_black, dashes) in enumerate(COLOURS[:paths]):
        light[f".path{i}"] = f"stroke: {on_white}" + (f"; stroke-dasharray: {dashes}" if dashes else "")
        light[f".badge{i}"] = f"fill: {on_white}"
        dark[f".path{i}"], dark[f".badge{i}"] = f"stroke: {on_black}", f"fill: {on_black}"
    return light, dark


def _width(text: str) -> float:
    return LETTER * width_of(text)


def _label_width(edge: GraphEdge) -> float:
    return _width(edge.label) + (ASIDE + BADGE * len(edge.paths) if edge.paths else 0.0)


def _tops(layout: Layout, first: float) -> list[float]:
    """The upper edge of each row. The space below a row is higher where lines go far to the side."""
    tops = [first]
    for i, row in enumerate(layout.rows[:-1]):
        farthest = max((abs(place.x - other.x) for place in row for other in place.below), default=0.0)
        tops.append(tops[-1] + _height(i) + min(MOST, max(LEAST, farthest / 5)))
    return tops


def _height(row: int) -> float:
    return LABEL if row % 2 else NODE


def _draw_legend(svg: Svg, graph: Graph) -> None:
    y = MARGIN + LINE / 2
    svg.add("text", graph.title, class_="told", x=MARGIN, y=y + 4)
    for i, path in enumerate(graph.paths):
        y += LINE
        style = i % len(COLOURS)
        svg.add("path", class_=f"path path{style}", d=f"M{number(MARGIN)} {number(y)}h30")
        _draw_badge(svg, style, path.letter, MARGIN + 42, y)
        svg.add("text", path.told, class_="told", x=MARGIN + LEGEND, y=y + 4)


def _draw_badge(svg: Svg, style: int, letter: str, x: float, y: float) -> None:
    svg.add("rect", class_=f"badge{style}", x=x - 6.5, y=y - 6.5, width=13, height=13, rx=3)
    svg.add("text", letter, class_="letter", x=x, y=y + 3.5)


def _draw_node(svg: Svg, node: GraphNode, place: Place, tops: Sequence[float]) -> None:
    x, y = place.x - place.width / 2, tops[place.row]
    svg.add("rect", title=node.told or None, class_="node", x=x, y=y, width=place.width, height=NODE, rx=6)
    if node.is_end:
        svg.add("rect", class_="end", x=x + 3, y=y + 3, width=place.width - 6, height=NODE - 6, rx=4)
    svg.add("text", node.label, x=place.x, y=y + NODE / 2 + 4, pointer_events="none")


def _draw_edge(
    svg: Svg, edge: GraphEdge, chain: list[Place], tops: Sequence[float], paths: Sequence[GraphPath]
) -> None:
    lines = edge.paths or (None,)
    for i, path in enumerate(lines):
        aside = (i - (len(lines) - 1) / 2) * BESIDE
        style = "edge" if path is None else f"path path{path % len(COLOURS)}"
        svg.add("path", class_=style, d=_curve(chain, tops, aside))
    label = chain[1]
    x, y = label.x - label.width / 2, tops[label.row] + LABEL / 2
    width = _width(edge.label)
    svg.add("text", edge.label, x=x + width / 2, y=y + 4)
    for i, path in enumerate(edge.paths):
        _draw_badge(svg, path % len(COLOURS), paths[path].letter, x + width + ASIDE + (i + 0.5) * BADGE, y)


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
