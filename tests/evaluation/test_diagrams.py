"""Diagrams: valid SVG, everything at its place."""

import xml.etree.ElementTree as ElementTree

from dodona.evaluation import Rate
from dodona.evaluation.calibration import Bin, Found, Reliability
from dodona.evaluation.diagrams import HEIGHT, LEFT, SIDE, TOP, WIDTH, calibration_diagram

SVG = "{http://www.w3.org/2000/svg}"
BINS = [Bin(0.0, 0.5, 10, 0.25, 0.5), Bin(0.5, 0.6, 40, 0.55, 0.25), Bin(1.0, 1.0, 30, 1.0, 1.0)]
CURVE = [Found(share, 0, Rate(int(100 * share**0.5), 100), Rate(int(100 * share), 100)) for share in (0.0, 0.25, 1.0)]


def drawn(systems: int, name: str = "parsed") -> ElementTree.Element:
    text = calibration_diagram([(name, Reliability(BINS, 0.123, 0.1), CURVE)] * systems)
    return ElementTree.fromstring(text)


def test_bars_and_points() -> None:
    root = drawn(1)
    bars = [
        [float(rect.get(key, "")) for key in ("x", "y", "width", "height")]
        for rect in root.iter(f"{SVG}rect")
        if rect.get("class") == "bar"
    ]
    ground = TOP + SIDE
    assert bars == [
        [LEFT, ground - 0.5 * SIDE, 0.5 * SIDE, 0.5 * SIDE],
        [LEFT + 0.5 * SIDE, ground - 0.25 * SIDE, 0.1 * SIDE, 0.25 * SIDE],
        [round(LEFT + 0.995 * SIDE, 1), TOP, 1.2, SIDE],
    ]
    points = [
        (float(c.get("cx", "")), float(c.get("cy", "")), float(c.get("r", ""))) for c in root.iter(f"{SVG}circle")
    ]
    assert points[0][:2] == (LEFT + 0.25 * SIDE, ground - 0.5 * SIDE)
    assert points[1] == (LEFT + 0.55 * SIDE, ground - 0.25 * SIDE, 7.0)
    assert points[0][2] < points[2][2] < 7


def test_curves() -> None:
    paths = {path.get("class"): path.get("d") for path in reversed(list(drawn(1).iter(f"{SVG}path")))}
    x, middle, end = LEFT, LEFT + 0.25 * SIDE, LEFT + SIDE
    ground = TOP + SIDE
    assert paths["line"] == f"M{x:g} {ground:g}L{middle:g} {ground - 0.5 * SIDE:g}L{end:g} {TOP:g}"
    assert paths["other"] == f"M{x:g} {ground:g}L{middle:g} {ground - 0.25 * SIDE:g}L{end:g} {TOP:g}"


def test_a_row_for_each_system() -> None:
    root = drawn(2)
    assert (root.get("width"), root.get("height")) == (str(2 * WIDTH), str(2 * HEIGHT))
    groups = [group.get("transform") for group in root.iter(f"{SVG}g")]
    assert groups == [f"translate({x} {y})" for y in (0, HEIGHT) for x in (0, WIDTH)]


def test_names_are_escaped_and_shortened() -> None:
    titles = [text.text for text in drawn(1, "folder/<a>&b.conllu").iter(f"{SVG}text") if text.get("class") == "title"]
    assert titles == ["…er/<a>&b.conllu, calibration error 12.3 %", "errors found"]


def test_a_name_with_characters_that_xml_does_not_have() -> None:
    (title, _) = (text.text for text in drawn(1, "a\x01\x1b.conllu").iter(f"{SVG}text") if text.get("class") == "title")
    assert title == "a\ufffd\ufffd.conllu, calibration error 12.3 %"


def test_no_arcs() -> None:
    text = calibration_diagram([("nothing", Reliability([], None, None), [])])
    assert "nothing, calibration error –" in text
    ElementTree.fromstring(text)
