"""Tables in every form, and figures that are the same bytes for the same numbers."""

import io

from rich.console import Console

from dodona.experiments.figures import Curves, Figure, HeatMaps, Scatter, drawn
from dodona.experiments.tables import Cell, Row, Table, csv_text, latex, markdown, screen, with_best

TABLE = with_best(
    Table(
        "t",
        "A title",
        ("", "en_a", "b %"),
        (
            Row("one", (Cell(81.254), Cell(3))),
            Row("two", (Cell(81.256, "†"), Cell(None))),
            Row("x_y", (Cell(0.5, signed=True), Cell("LAZY")), rule=True),
        ),
        ("A note.",),
    )
)


def test_markdown() -> None:
    assert markdown(TABLE) == (
        "**A title**\n\n|  | en_a | b % |\n|---|---:|---:|\n| one | 81.25 | 3 |\n| two | **81.26**† | – |\n"
        "| x_y | +0.50 | LAZY |\n\nA note.\n"
    )


def test_latex() -> None:
    assert latex(TABLE).splitlines() == [
        "% A title",
        "% A note.",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r" & en\_a & b \% \\",
        r"\midrule",
        r"one & 81.25 & 3 \\",
        r"two & \textbf{81.26}$^{\dagger}$ & -- \\",
        r"\midrule",
        r"x\_y & +0.50 & LAZY \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_csv_has_marks_beside_the_numbers() -> None:
    assert csv_text(TABLE) == ",en_a,en_a mark,b %\none,81.254000,,3\ntwo,81.256000,†,\nx_y,0.500000,,LAZY\n"


def test_the_screen_has_the_best_in_bold() -> None:
    stream = io.StringIO()
    Console(file=stream, force_terminal=True, color_system="standard", width=80).print(screen(TABLE))
    assert "\x1b[1m81.26†\x1b[0m" in stream.getvalue()
    assert "A note." in stream.getvalue()


def test_the_best_of_each_group() -> None:
    rows = tuple(Row(str(i), (Cell(value),)) for i, value in enumerate((1.0, 2.0, 4.0, 4.0, None, 9.0)))
    table = with_best(Table("t", "", ("", "a"), rows), [(0, 1), (2, 3, 4), (5,)])
    assert [row.cells[0].best for row in table.rows] == [False, True, True, True, False, False]


FIGURES: list[Figure] = [
    HeatMaps("h", "", "k", "p", ["0", "1"], ["0", ".5"], {"a": [[1.0, 2.0], [3.0, None]], "b": [[None] * 2] * 2}),
    Curves("c", "", "iteration", "LAS", {f"t{i}": {"x": [1.0, 2.0], "y": [3.0]} for i in range(5)}),
    Scatter("s", "", "speed", "LAS", {"greedy": {"a": (10.0, 1.0), "b": (1000.0, 2.0)}, "beam": {"a": (5.0, 3.0)}}),
]


def test_figures_are_the_same_bytes() -> None:
    for figure in FIGURES:
        first, second = drawn(figure), drawn(figure)
        assert first == second
        assert first["png"].startswith(b"\x89PNG")
        assert b"<svg" in first["svg"]
        assert b"Date" not in first["svg"]


def test_figures_as_tables() -> None:
    heat, curves, scatter = (figure.table() for figure in FIGURES)
    assert csv_text(heat).splitlines()[:3] == [
        '"treebank, k",p = 0,p = .5',
        '"a, 0",1.000000,2.000000',
        '"a, 1",3.000000,',
    ]
    assert csv_text(curves).splitlines()[:3] == [
        '"treebank, condition",1,2',
        '"t0, x",1.000000,2.000000',
        '"t0, y",3.000000,',
    ]
    assert csv_text(scatter).splitlines()[1] == '"a, greedy",10.000000,1.000000'
