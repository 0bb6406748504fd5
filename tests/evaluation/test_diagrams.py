"""Diagrams: valid SVG, the same bytes for the same numbers, and everything at its place."""

import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

from dodona.evaluation import Rate
from dodona.evaluation import diagrams as module
from dodona.evaluation.calibration import Bin, FoundErrors, Reliability
from dodona.evaluation.diagrams import calibration_diagram, curve_diagram

SVG = "{http://www.w3.org/2000/svg}"
BINS = [Bin(0.0, 0.5, 10, 0.25, 0.5), Bin(0.5, 0.6, 40, 0.55, 0.25), Bin(1.0, 1.0, 30, 1.0, 1.0)]
CURVE = [
    FoundErrors(share, 0, Rate(int(100 * share**0.5), 100), Rate(int(100 * share), 100)) for share in (0.0, 0.25, 1.0)
]


def system(name: str = "parsed") -> tuple[str, Reliability, list[FoundErrors]]:
    return name, Reliability(BINS, 0.123, 0.1), CURVE


def texts(svg: bytes) -> list[str | None]:
    return [text.text for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.fixture
def axes(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The panels of the diagram that is drawn last."""
    panels: list[Any] = []
    make = module.make_panels

    def keep(*sizes: Any) -> tuple[Any, list[Any]]:
        figure, panels[:] = make(*sizes)
        return figure, panels

    monkeypatch.setattr(module, "make_panels", keep)
    return panels


def test_bars_and_points(axes: list[Any]) -> None:
    calibration_diagram([system()])
    bars = [(bar.get_x(), bar.get_width(), bar.get_height()) for bar in axes[0].patches]
    assert bars == [pytest.approx(bar) for bar in ((0, 50, 50), (50, 10, 25), (99.5, 0.5, 100))]
    points = [(*point.get_offsets()[0], point.get_sizes()[0]) for point in axes[0].collections]
    assert points == [pytest.approx(point, abs=0.1) for point in ((25, 50, 42.25), (55, 25, 100), (100, 100, 82.1))]


def test_curves(axes: list[Any]) -> None:
    calibration_diagram([system()])
    lines = {line.get_label(): line.get_xydata().tolist() for line in axes[1].lines}
    assert lines["words"] == [[0, 0], [25, 50], [100, 100]]
    assert lines["whole sentences"] == [[0, 0], [25, 25], [100, 100]]


def test_a_row_for_each_system(axes: list[Any]) -> None:
    svg = calibration_diagram([system("one"), system("other")])
    assert len(axes) == 4
    titles = [text for text in texts(svg) if text and "calibration" in text]
    assert titles == ["one, calibration error 12.3 %", "other, calibration error 12.3 %"]


def test_one_curve_alone() -> None:
    svg = curve_diagram({"words": [(0, 0), (1, 1)]}, "errors found, mean")
    assert {"words", "errors found, mean"} <= set(texts(svg))


def test_the_same_bytes() -> None:
    svg = calibration_diagram([system()])
    assert svg == calibration_diagram([system()])
    assert b"<dc:date>" not in svg


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("folder/<a>&b.conllu", "…er/<a>&b.conllu"),
        ("sixteen.conllu.x", "sixteen.conllu.x"),
        ("seventeen.conllu.", "…venteen.conllu."),
        ("a\x01\x1b.conllu", "a\ufffd\ufffd.conllu"),  # characters that XML does not have
        ("a$b^2$.conllu", "a$b^2$.conllu"),  # no formula
        ("木.conllu", "木.conllu"),  # not in the font of matplotlib
    ],
)
@pytest.mark.filterwarnings("error")
def test_names_are_escaped_and_shortened(name: str, title: str) -> None:
    assert f"{title}, calibration error 12.3 %" in texts(calibration_diagram([system(name)]))


def test_no_arcs() -> None:
    assert "nothing, calibration error –" in texts(calibration_diagram([("nothing", Reliability([], None, None), [])]))
