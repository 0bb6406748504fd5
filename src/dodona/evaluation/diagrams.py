"""Diagrams of calibration as SVG: accuracy against confidence, and errors found against words read.

Squares with axes from 0 to 100 %, side by side, readable on light and on dark pages.
"""

from collections.abc import Sequence

from dodona.drawing.svg import Svg, element, number
from dodona.evaluation.calibration import Found, Reliability

__all__ = ["Square", "calibration_diagram", "curve_square", "document", "reliability_square"]

SIDE, LEFT, TOP, RIGHT, BOTTOM = 240, 52, 34, 14, 46
WIDTH, HEIGHT = LEFT + SIDE + RIGHT, TOP + SIDE + BOTTOM
TICKS = (0, 20, 40, 60, 80, 100)
STYLES = {
    "text": "font: 12px sans-serif; fill: #333",
    ".paper": "fill: none",
    ".title": "font-weight: bold",
    ".axis": "stroke: #888; fill: none",
    ".grid": "stroke: #888; stroke-opacity: 0.25; fill: none",
    ".ideal": "stroke: #888; stroke-dasharray: 4 4; fill: none",
    ".bar": "fill: #3b78b5; fill-opacity: 0.35",
    ".point": "fill: #3b78b5",
    ".line": "stroke: #3b78b5; stroke-width: 2; fill: none",
    ".other": "stroke: #c2601c; stroke-width: 2; stroke-dasharray: 6 3; fill: none",
}
DARK = {
    "text": "fill: #ddd",
    ".bar, .point": "fill: #7db3e8",
    ".line": "stroke: #7db3e8",
    ".other": "stroke: #f0a368",
}

Point = tuple[float, float]
"""From 0 to 1 in both directions, upwards."""


class Square:
    """A diagram with two axes in percent."""

    def __init__(self, title: str, across: str, up: str) -> None:
        self.elements: list[str] = []
        for tick in TICKS:
            x, y = _place((tick / 100, tick / 100))
            self._add("path", class_="grid", d=f"M{number(x)} {TOP}V{TOP + SIDE}M{LEFT} {number(y)}H{LEFT + SIDE}")
            self.text(x, TOP + SIDE + 16, f"{tick}")
            self.text(LEFT - 6, y + 4, f"{tick}", "end")
        self.text(LEFT + SIDE / 2, TOP - 12, title, kind="title")
        self.text(LEFT + SIDE / 2, TOP + SIDE + 36, across)
        middle = TOP + SIDE / 2
        self._add("text", up, x=14, y=middle, text_anchor="middle", transform=f"rotate(-90 14 {number(middle)})")
        self._add("rect", class_="axis", x=LEFT, y=TOP, width=SIDE, height=SIDE)

    def text(self, x: float, y: float, text: str, anchor: str = "middle", kind: str = "label") -> None:
        self._add("text", text, class_=kind, x=x, y=y, text_anchor=anchor)

    def line(self, points: Sequence[Point], kind: str = "line") -> None:
        if points:
            shown = "L".join(" ".join(map(number, _place(point))) for point in points)
            self._add("path", class_=kind, d=f"M{shown}")

    def bar(self, low: float, high: float, value: float, note: str) -> None:
        (x, y), (end, ground) = _place((low, value)), _place((high, 0))
        self._add("rect", title=note, class_="bar", x=x, y=y, width=end - x, height=ground - y)

    def point(self, at: Point, radius: float, note: str) -> None:
        x, y = _place(at)
        self._add("circle", title=note, class_="point", cx=x, cy=y, r=radius)

    def _add(self, kind: str, text: str | None = None, title: str | None = None, **attributes: float | str) -> None:
        self.elements.append(element(kind, text, title, **attributes))


def _place(point: Point) -> tuple[float, float]:
    return LEFT + SIDE * point[0], TOP + SIDE * (1 - point[1])


def document(rows: Sequence[Sequence[Square]], title: str) -> str:
    """Return squares in rows as an SVG document."""
    svg = Svg(WIDTH * max(map(len, rows)), HEIGHT * len(rows), title, STYLES, DARK, name="dodona-diagram")
    for i, row in enumerate(rows):
        for k, square in enumerate(row):
            svg.add_group(square.elements, WIDTH * k, HEIGHT * i)
    return str(svg)


def reliability_square(found: Reliability, title: str) -> Square:
    """Bars are the accuracy in each bin; points are at the mean confidence, and larger where there are more arcs."""
    square = Square(title, "confidence, %", "accuracy, %")
    square.line([(0, 0), (1, 1)], "ideal")
    most = max((one.arcs for one in found.bins), default=1)
    for one in found.bins:
        note = f"{one.arcs} arcs, confidence {one.confidence:.3f}, accuracy {one.accuracy:.3f}"
        square.bar(one.low if one.low < 1 else 0.995, one.high, one.accuracy, note)
        square.point((one.confidence, one.accuracy), 2 + 5 * (one.arcs / most) ** 0.5, note)
    return square


def curve_square(curves: Sequence[tuple[str, Sequence[Point]]], title: str) -> Square:
    """Errors found against words read: a line for each of at most two curves, with its name, and by chance dashed."""
    square = Square(title, "words read, least sure first, %", "errors found, %")
    square.line([(0, 0), (1, 1)], "ideal")
    for i, (name, points) in enumerate(curves):
        kind = ("line", "other")[i]
        square.line(points, kind)
        y = 0.06 + 0.08 * (len(curves) - 1 - i)
        square.line([(0.36, y), (0.46, y)], kind)
        x, base = _place((0.49, y))
        square.text(x, base + 4, name, "start")
    return square


def calibration_diagram(systems: Sequence[tuple[str, Reliability, Sequence[Found]]]) -> str:
    """Return the SVG document for one or more systems: a row each, with the name, reliability and errors found."""
    rows = []
    for name, found, curve in systems:
        error = "–" if found.error is None else f"{100 * found.error:.1f} %"
        words = [(one.share, one.in_words.accuracy or 0.0) for one in curve]
        sentences = [(one.share, one.in_sentences.accuracy or 0.0) for one in curve]
        rows.append([
            reliability_square(found, f"{_short(name)}, calibration error {error}"),
            curve_square([("words", words), ("whole sentences", sentences)], "errors found"),
        ])  # fmt: skip
    return document(rows, "Calibration, and errors found")


def _short(name: str) -> str:
    return name if len(name) <= 16 else f"…{name[-15:]}"
