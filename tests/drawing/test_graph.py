"""Pictures of graphs: valid XML without anything from outside, no text over text, paths marked without colours, too."""

import re
from itertools import combinations
from xml.etree import ElementTree

import pytest

from dodona.drawing.graph import Graph, GraphEdge, GraphNode, GraphPath, graph_dot, graph_svg
from dodona.tables import escape_xml

SVG = "{http://www.w3.org/2000/svg}"
NASTY = 'a<b>&"\\ \x00\x1b \ud800 \ufffe 橡树 שלום'
Box = tuple[float, float, float, float]


def diamond() -> Graph:
    nodes = [
        GraphNode(0, "start"),
        GraphNode(1, "left one"),
        GraphNode(1, "the right one"),
        GraphNode(3, "end", "told", True),
    ]
    edges = [
        GraphEdge(0, 1, "SHIFT", (0, 1)),
        GraphEdge(0, 2, "LEFT"),
        GraphEdge(1, 3, "SWAP", (0,)),
        GraphEdge(2, 3, "RIGHT:nsubj"),
    ]
    return Graph("a graph", nodes, edges, [GraphPath("E", "eager, 2"), GraphPath("L", "lazy, 1")])


def elements(text: str, kind: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(text).iter(f"{SVG}{kind}"))


def boxes(picture: str) -> list[Box]:
    """What text covers, with letters of the width that the browser's monospaced fonts have at most."""
    found = []
    for text in elements(picture, "text"):
        x, y = float(text.attrib["x"]), float(text.attrib["y"])
        letter = 6.1 if text.get("class") == "letter" else 7.25
        width = letter * len(text.text or "")
        left = x if text.get("class") == "told" else x - width / 2
        found.append((left, y - 11, left + width, y + 3))
    return found


def overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def test_no_text_covers_another_and_all_is_inside() -> None:
    picture = graph_svg(diamond())
    covered = boxes(picture)
    assert len(covered) == 1 + 2 * 2 + 4 + 4 + 3  # title, legend, nodes, edges, letters
    assert not any(overlap(a, b) for a, b in combinations(covered, 2))
    root = ElementTree.fromstring(picture)
    assert all(x >= 0 and y >= 0 for x, y, _, _ in covered)
    assert max(box[2] for box in covered) <= float(root.attrib["width"])
    assert max(box[3] for box in covered) <= float(root.attrib["height"])


def test_a_long_title_and_legend_fit_in() -> None:
    picture = graph_svg(Graph("t" * 80, [GraphNode(0, "x")], [], [GraphPath("S", "l" * 90)]))
    assert max(box[2] for box in boxes(picture)) <= float(ElementTree.fromstring(picture).attrib["width"])


def test_paths_are_marked_by_letters_colours_and_dashes() -> None:
    picture = graph_svg(diamond())
    letters = [str(text.text) for text in elements(picture, "text") if text.get("class") == "letter"]
    assert sorted(letters) == ["E", "E", "E", "L", "L"]  # one of each in the legend
    lines = [line.attrib["class"] for line in elements(picture, "path")]
    assert sorted(lines) == ["edge", "edge", *["path path0"] * 3, *["path path1"] * 2]
    assert re.search(r"\.path1 \{ [^}]*dasharray", picture)
    assert not re.search(r"\.path0 \{ [^}]*dasharray", picture)


def test_the_end_has_a_double_line_and_nodes_tell_more() -> None:
    rectangles = [(r.get("class"), [t.text for t in r]) for r in elements(graph_svg(diamond()), "rect")]
    assert [kind for kind, _ in rectangles].count("end") == 1
    assert ("node", ["told"]) in rectangles


def test_light_and_dark_and_nothing_from_outside() -> None:
    picture = graph_svg(diamond())
    assert "prefers-color-scheme: dark" in picture
    assert not re.search(r"<script|href|url\(|@import|@font-face", picture)
    light, dark = picture.split("@media")
    assert ".paper" in light
    assert ".paper" in dark.partition("</style>")[0]


def test_lines_do_not_run_behind_labels() -> None:
    """Every line is interrupted where its label stands: two parts that begin with M."""
    for line in elements(graph_svg(diamond()), "path"):
        if line.attrib["d"].count("C"):
            assert line.attrib["d"].count("M") == 2
            assert line.attrib["d"].index("C") < line.attrib["d"].rindex("M")


def test_any_text_is_safe() -> None:
    graph = Graph(NASTY, [GraphNode(0, NASTY, NASTY), GraphNode(1, "b")], [GraphEdge(0, 1, NASTY)])
    assert "橡树" in graph_svg(graph).encode().decode()
    assert len(elements(graph_svg(graph), "text")) == 4
    assert (
        escape_xml('<a b="c&d">\N{FIRST STRONG ISOLATE}') == "&lt;a b=&quot;c&amp;d&quot;&gt;\N{FIRST STRONG ISOLATE}"
    )
    (line,) = [line for line in graph_dot(graph).splitlines() if line.startswith("  0 [")]
    assert line.startswith('  0 [label="a<b>&\\"\\\\ ')


def test_dot() -> None:
    assert graph_dot(diamond()).splitlines() == [
        "digraph {",
        '  label="a graph"; labelloc=t;',
        "  node [shape=box, style=rounded];",
        '  0 [label="start", tooltip=""];',
        '  1 [label="left one", tooltip=""];',
        '  2 [label="the right one", tooltip=""];',
        '  3 [label="end", tooltip="told", peripheries=2];',
        '  0 -> 1 [label="SHIFT EL", color="#0072b2:#d55e00", penwidth=2];',
        '  0 -> 2 [label="LEFT"];',
        '  1 -> 3 [label="SWAP E", color="#0072b2", penwidth=2];',
        '  2 -> 3 [label="RIGHT:nsubj"];',
        "  // E: eager, 2",
        "  // L: lazy, 1",
        "}",
    ]


@pytest.mark.parametrize("count", [1, 5])
def test_more_paths_than_colours(count: int) -> None:
    paths = [GraphPath(str(i), f"path {i}") for i in range(count)]
    nodes = [GraphNode(0, "a"), GraphNode(1, "b")]
    picture = graph_svg(Graph("t", nodes, [GraphEdge(0, 1, "x", tuple(range(count)))], paths))
    used = {line.attrib["class"] for line in elements(picture, "path")}
    assert all(f".{name.split()[1]} {{" in picture for name in used)
