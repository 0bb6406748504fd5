"""Tables in every form; and on narrow terminals: no word or number is cut, and no line is longer than it must be."""

import csv
import io
import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from rich.console import Console

from dodona.tables import (
    Cell,
    Result,
    Table,
    format_results,
    make_printable,
    open_console,
    show_results,
    write_csv,
)

TABLE = Table(
    ("", "en_a", "b %"),
    [
        ("one", 81.254, 3),
        ("two", Cell(81.256, "†"), None),
        ("x_y", Cell(0.5, signed=True), "LA|ZY"),
    ],
    "A title",
    "t",
    ("A note.",),
    rules=frozenset([2]),
).mark_best()
WORDS = ("left", "3-6", "greatest", "of", "all", "12345", "72.81", "100.00")
SMALL = Table(("", "greatest of all", "greatest", "all"), [("left 3-6", 12345, 72.81, 100.0)], thousands="")


def printed(table: Table, width: int, boxed: bool = True) -> list[str]:
    out = io.StringIO()
    console = Console(file=out, width=width, highlight=False)
    table.print(console, boxed=boxed)
    assert console.width == width  # for the tables that follow
    return out.getvalue().splitlines()


def test_markdown() -> None:
    assert TABLE.markdown() == (
        "**A title**\n\n|  | en_a | b % |\n|---|---:|---:|\n| one | 81.25 | 3 |\n| two | **81.26**† | – |\n"
        "| x_y | +0.50 | LA\\|ZY |\n\nA note.\n"
    )


def test_latex() -> None:
    assert TABLE.latex().splitlines() == [
        "% A title",
        "% A note.",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r" & en\_a & b \% \\",
        r"\midrule",
        r"one & 81.25 & 3 \\",
        r"two & \textbf{81.26}$^{\dagger}$ & -- \\",
        r"\midrule",
        r"x\_y & +0.50 & LA\textbar{}ZY \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    plain = TABLE.latex(booktabs=False)
    assert plain.count(r"\hline") == 4
    assert "rule" not in plain


def test_html() -> None:
    nasty = Table(("a", "b"), [(Cell("<&>", style="strong"), 1234), ("x\ny", None)], "<title>")
    lines = nasty.html().splitlines()
    assert "<caption>&lt;title&gt;</caption>" in lines
    assert '<thead><tr><th scope="col">a</th><th scope="col" class="number">b</th></tr></thead>' in lines
    assert lines[-4:-2] == [
        '<tr><td dir="auto" class="strong">&lt;&amp;&gt;</td><td dir="auto" class="number">1,234</td></tr>',
        '<tr><td dir="auto">x<br>y</td><td dir="auto" class="number">–</td></tr>',
    ]
    assert "<thead>" not in replace(nasty, columns=("", "")).html()


NASTY = 'a|b\nc\td\x1b[1m\\ <&"> % # {'
PLACES = ("title", "note", "first column", "column", "name of a row", "value")


def placed(place: str, text: str) -> Table:
    """A table with a text at one of PLACES."""
    given = {name: text if name == place else "x" for name in PLACES}
    rows: list[tuple[str, str | float]] = [(given["name of a row"], given["value"]), ("y", 1.5)]
    return Table((given["first column"], given["column"]), rows, given["title"], notes=(given["note"],))


@pytest.mark.parametrize("place", PLACES)
def test_any_text_stays_where_it_is_in_every_format(place: str) -> None:
    """It makes no lines, cells, comments or elements of its own, and no control character comes through."""
    table, harmless = placed(place, NASTY), placed(place, "x")
    shown = " ".join(make_printable(NASTY).split())
    for form in (table.markdown(), table.latex(), table.tsv()):
        assert "\x1b" not in form
    for name in ("markdown", "latex", "tsv"):
        lines, others = getattr(table, name)().split("\n"), getattr(harmless, name)().split("\n")
        assert len(lines) == len(others), name
        if name == "latex":
            bare = ["" if line.startswith("% ") else re.sub(r"\\[\\%#&{}$_]", "", line) for line in lines]
            assert [line.count("&") for line in bare] == [line.count("&") for line in others]
            assert not any(set(line) & set("%#") for line in bare)
        elif name == "markdown":
            tabular = [line.replace(r"\|", "").count("|") for line in lines if line.startswith("|")]
            assert tabular == [3] * 4
    page = table.html().partition("</style>\n")[2].replace("<br>", " ")
    texts = [" ".join((each.text or "").split()) for each in ElementTree.fromstring(page).iter()]
    assert sorted(filter(None, texts)) == sorted(
        ["1.50", "y", *(shown if each == place else "x" for each in PLACES if each != "note")]
    )
    (first, *rows) = csv.reader(io.StringIO(table.csv()))
    values = [*first, *rows[0]]
    expected = [NASTY if each == place else "x" for each in PLACES[2:]]
    assert (values, len(rows)) == (expected, 2)


def test_csv_has_marks_beside_the_numbers() -> None:
    assert TABLE.csv() == ",en_a,en_a mark,b %\none,81.254000,,3\ntwo,81.256000,†,\nx_y,0.500000,,LA|ZY\n"


def test_json_and_tsv_have_the_numbers_as_they_are() -> None:
    table = Table(("name", "share", "words"), [("a\tb", 0.1 + 0.2, 1234), ("c", None, 5)])
    assert json.loads(table.json()) == [
        {"name": "a\tb", "share": 0.1 + 0.2, "words": 1234},
        {"name": "c", "share": None, "words": 5},
    ]
    assert table.tsv() == "name\tshare\twords\na b\t0.30000000000000004\t1234\nc\t\t5\n"


def test_the_screen_has_the_best_in_bold() -> None:
    stream = io.StringIO()
    TABLE.print(Console(file=stream, force_terminal=True, color_system="standard", width=80))
    assert "\x1b[1m81.26†\x1b[0m" in stream.getvalue()
    assert "A note." in stream.getvalue()


def test_the_best_of_each_group() -> None:
    rows = [(str(i), value) for i, value in enumerate((1.0, 2.0, 4.0, 4.0, None, 9.0))]
    table = Table(("", "a"), rows).mark_best([(0, 1), (2, 3, 4), (5,)])
    styles = [cell.style for _, cell in table.rows if isinstance(cell, Cell)]
    assert styles == ["", "strong", "strong", "strong", "", ""]


def test_bars_are_for_the_screen() -> None:
    table = Table(("", "share", "bar"), [("a", 0.5, "██··")], align="lrb")
    assert "██··" in "\n".join(printed(table, 80))
    for text in (table.markdown(), table.latex(), table.html(), table.csv(), table.tsv(), table.json()):
        assert "bar" not in text
        assert "█" not in text


def test_a_table_without_rows() -> None:
    assert "–" in printed(Table(("", "a"), []), 80)[-2]
    assert Table(("", "a"), []).csv() == ",a\n"


@pytest.mark.parametrize("boxed", [True, False])
@pytest.mark.parametrize("width", range(1, 60))
def test_nothing_is_cut(width: int, boxed: bool) -> None:
    lines = printed(SMALL, width, boxed)
    text = "\n".join(lines)
    assert "…" not in text
    assert all(word in text for word in WORDS)
    longest = max(len(line.rstrip()) for line in lines)
    assert longest <= max(width, 4 + 8 + 8 + 6 + 3)  # the longest word of each column, and lines between them


def test_first_columns_have_their_lines_unbroken() -> None:
    lines = printed(SMALL, 46)
    assert any("left 3-6" in line for line in lines)
    assert any("greatest of" in line for line in lines)


def test_rows_become_columns() -> None:
    turned = Table(("file", "all\nwords"), [("one", 1), ("two", 2)]).transpose()
    assert turned.columns == ("file", "one", "two")
    assert turned.rows == [("all words", 1, 2)]


def test_a_pipe_has_the_width_that_it_is_given() -> None:
    assert open_console(77, io.StringIO()).width == 77


def test_results_in_each_format() -> None:
    table = Table(("", "words", "share"), [("all", 1234, 0.1234567)], "Title", "name")
    results = [Result(["a", "b"], [table], ["a tree"])]
    assert json.loads(format_results(results, "json")) == [
        {"files": ["a", "b"], "name": {"all": {"words": 1234, "share": 0.1234567}}}
    ]
    numbers = [
        "files\ttable\trow\tcolumn\tvalue",
        "a b\tname\tall\twords\t1234",
        "a b\tname\tall\tshare\t0.1234567",
    ]
    assert format_results(results, "tsv").splitlines() == numbers
    assert format_results(results, "csv").splitlines() == [line.replace("\t", ",") for line in numbers]
    assert format_results(results, "markdown").startswith("**Title · a b**\n")
    stream = io.StringIO()
    show_results(results, open_console(stream=stream))
    lines = stream.getvalue().splitlines()
    assert lines[0].startswith("Title · a b")
    assert any("1234" in line and "0.12" in line for line in lines)
    assert lines[-1] == "a tree"


def test_a_title_does_not_list_many_files() -> None:
    results = [Result(["a", "b", "c"], [Table(("", "a", "b", "c"), [("x", 1, 2, 3)], "Title", "name")])]
    assert format_results(results, "markdown").startswith("**Title**\n")


@pytest.mark.parametrize("separator", [",", "\t"])
def test_quotation_marks_survive_csv_and_tsv(separator: str) -> None:
    rows = [("form", "text"), ('"', 'he said "no"'), ("a,b", "line\nline"), ("'", "x\ty")]
    read = list(csv.reader(io.StringIO(write_csv(rows, separator)), delimiter=separator))
    assert [tuple(row) for row in read] == rows
