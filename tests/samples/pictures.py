"""Whether a picture of a sentence can be read, by its coordinates alone: no text and no line covers another."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from dodona.drawing.letters import text_width

SVG = "{http://www.w3.org/2000/svg}"
COMMAND = re.compile(r"([A-Za-z])([^A-Za-z]*)")
SIZES = {
    "word": 16.0,
    "tag": 11.0,
    "legend": 11.0,
    "legend reversed": 11.0,
    None: 11.5,
}  # of letters, by class; labels have none
ROUNDED = 0.11  # coordinates have one decimal


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float


def faults(picture: str) -> list[str]:
    """Return what cannot be read in a picture, in words."""
    root = ElementTree.fromstring(picture)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    texts, lines = list(_texts(root)), list(_lines(root))
    found = [
        f"{name!r} is outside"
        for name, box in texts
        if box.left < 0 or box.top < 0 or box.right > width + ROUNDED or box.bottom > height
    ]
    found += [f"{one!r} covers {other!r}" for one, other in _pairs(texts, texts) if one < other]
    found += [f"a line of {one!r} goes through the text {other!r}" for one, other in _pairs(lines, texts)]
    upright = [(name, box) for name, box in lines if box.right - box.left < box.bottom - box.top]
    level = [(name, box) for name, box in lines if box.right - box.left >= box.bottom - box.top]
    for side in (upright, level):
        found += [f"a line of {one!r} is upon one of {other!r}" for one, other in _pairs(side, side) if one < other]
    return found


def _pairs(ones: Sequence[tuple[str, Box]], others: Sequence[tuple[str, Box]]) -> Iterator[tuple[str, str]]:
    """Yield the names of all that cover each other, not of the same one twice."""
    if not ones or not others:
        return
    a = np.array([box for _, box in ones])[:, None, :]
    b = np.array([box for _, box in others])[None, :, :]
    beside = (a[..., :2] >= b[..., 2:] - ROUNDED) | (b[..., :2] >= a[..., 2:] - ROUNDED)
    covering: NDArray[np.bool_] = np.logical_not(beside.any(axis=2))
    if ones is others:
        np.fill_diagonal(covering, False)
    for i, k in zip(*np.nonzero(covering), strict=True):
        yield ones[i][0], others[k][0]


def _texts(root: ElementTree.Element) -> Iterator[tuple[str, Box]]:
    for number, text in enumerate(root.iter(f"{SVG}text")):
        kind = text.get("class")
        size = SIZES[kind]
        title = text.find(f"{SVG}title")
        written = (text.text if title is None else title.tail) or ""
        x, y = float(text.attrib["x"]), float(text.attrib["y"])
        width = text_width(written, size)
        left = {"legend": x, "legend reversed": x - width}.get(kind or "", x - width / 2)
        yield f"{number} {written}", Box(left, y - 0.75 * size, left + width, y + 0.25 * size)


def _lines(root: ElementTree.Element) -> Iterator[tuple[str, Box]]:
    """Yield the straight pieces of the lines of arcs, each one pixel thick."""
    for number, group in enumerate(root.iter(f"{SVG}g")):
        (title, line, *_) = group
        for x, y, to_x, to_y in pieces(line.attrib["d"]):
            left, right = sorted((x, to_x))
            top, bottom = sorted((y, to_y))
            yield f"{number} {title.text}", Box(left - 0.5, top - 0.5, right + 0.5, bottom + 0.5)


def pieces(line: str) -> Iterator[tuple[float, float, float, float]]:
    """Yield the straight pieces of a path."""
    x = y = 0.0
    for command, values in COMMAND.findall(line):
        numbers = list(map(float, values.split()))
        to_x = x if command == "V" else numbers[-2] if command in "MQ" else numbers[-1]
        to_y = y if command == "H" else numbers[-1]
        if command in "VH":
            yield x, y, to_x, to_y
        x, y = to_x, to_y
