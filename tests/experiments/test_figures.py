"""Figures that are the same bytes for the same numbers, and their numbers as tables."""

from dodona.evaluation.diagrams import render
from dodona.experiments.figures import Curves, Figure, HeatMaps, Scatter

FIGURES: list[Figure] = [
    HeatMaps("h", "", "k", "p", ["0", "1"], ["0", ".5"], {"a": [[1.0, 2.0], [3.0, None]], "b": [[None] * 2] * 2}),
    Curves("c", "", "iteration", "LAS", {f"t{i}": {"x": [1.0, 2.0], "y": [3.0]} for i in range(5)}),
    Scatter("s", "", "speed", "LAS", {"greedy": {"a": (10.0, 1.0), "b": (1000.0, 2.0)}, "beam": {"a": (5.0, 3.0)}}),
]


def test_figures_are_the_same_bytes() -> None:
    for figure in FIGURES:
        first, second = (render(figure.draw, "svg", "png") for _ in range(2))
        assert first == second
        assert first["png"].startswith(b"\x89PNG")
        assert b"<svg" in first["svg"]
        assert b"Date" not in first["svg"]


def test_figures_as_tables() -> None:
    heat, curves, scatter = (figure.table() for figure in FIGURES)
    assert heat.csv().splitlines()[:3] == [
        '"treebank, k",p = 0,p = .5',
        '"a, 0",1.000000,2.000000',
        '"a, 1",3.000000,',
    ]
    assert curves.csv().splitlines()[:3] == [
        '"treebank, condition",1,2',
        '"t0, x",1.000000,2.000000',
        '"t0, y",3.000000,',
    ]
    assert scatter.csv().splitlines()[1] == '"a, greedy",10.000000,1.000000'
