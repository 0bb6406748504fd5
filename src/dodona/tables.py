"""Tables, on the screen and as Markdown, LaTeX, HTML, CSV, TSV and JSON; and how text is escaped in each of these.

rich is imported only where something is printed: it takes longer than many a command.
"""

import csv
import io
import json
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Column
    from rich.table import Table as RichTable

__all__ = [
    "FORMATS", "FOR_PEOPLE", "NO_DATA", "Cell", "Result", "Table", "Value", "escape_latex", "escape_xml",
    "format_json", "format_results", "make_printable", "open_console", "show_results", "write_csv",
]  # fmt: skip

NO_DATA = "–"
JOINERS = ("\N{ZERO WIDTH JOINER}", "\N{ZERO WIDTH NON-JOINER}")
ISOLATE, END_ISOLATE = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
XML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
LATEX = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "%": r"\%", "#": r"\#", "_": r"\_",
    "&": r"\symbol{38}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\symbol{34}", "'": r"\symbol{39}", "`": r"\textasciigrave{}",
    "-": "{-}", ",": "{,}", "?": "{?}", "!": "{!}", "[": "{[}", "]": "{]}", "*": "{*}",
    "✗": r"$\times$", "≠": r"$\neq$", "→": r"$\rightarrow$", "…": r"\ldots{}", "·": r"\textperiodcentered{}",
})  # fmt: skip
LATEX_MARKS = {"*": "$^{*}$", "†": r"$^{\dagger}$", "‡": r"$^{\ddagger}$"}
STRONG = ("strong", "right", "wrong")
SCREEN_STYLES = {"strong": "bold", "faint": "dim", "right": "bold green", "wrong": "bold red"}
HTML_STYLE = """\
.dodona-table { border-collapse: collapse; margin: .5em 0; }
.dodona-table caption { text-align: start; font-weight: bold; padding: .3em 0; white-space: nowrap; }
.dodona-table th, .dodona-table td { padding: .2em .7em; text-align: start; vertical-align: top;
  border-bottom: 1px solid rgba(128, 128, 128, .4); }
.dodona-table .number { text-align: right; font-variant-numeric: tabular-nums; }
.dodona-table td.faint { opacity: .75; }
.dodona-table td.strong { font-weight: bold; }"""

Value = int | float | str | None


def make_printable(text: str) -> str:
    """Return text that is safe on a terminal: without control characters, all whitespace as spaces."""
    return text if text.isprintable() else "".join(map(_make_letter_printable, text))


def _make_letter_printable(letter: str) -> str:
    if letter.isprintable() or letter in JOINERS:
        return letter
    if letter.isspace():
        return " "
    return "" if unicodedata.category(letter) == "Cf" else "\N{REPLACEMENT CHARACTER}"


def escape_xml(text: str) -> str:
    """Return text for an element or an attribute in double quotes, without characters that XML does not have."""
    if not text.isprintable():
        text = "".join(c if c in (ISOLATE, END_ISOLATE) else make_printable(c) for c in text)
    return text.translate(XML)


def escape_latex(text: str) -> str:
    r"""Return text that stands for itself in LaTeX. `\&` separates words in tikz-dependency, so `&` is written by its
    number."""
    return make_printable(text).translate(LATEX)


def _escape_markdown(text: str) -> str:
    """Return text for a cell of a table."""
    return make_printable(text).replace("|", r"\|")


@dataclass(frozen=True)
class Cell:
    """A value and how it is shown; a table has plain values where there is nothing more to say."""

    value: Value
    mark: str = ""  # of significance
    style: str = ""  # strong or faint; right or wrong: strong, and on the screen in colour
    signed: bool = False  # a difference: with a plus


@dataclass(frozen=True)
class Table:
    """What is shown, in whatever form. Shares are in percent; None where there is no data.

    `align` has a letter for each column: l or r, or b for bars, which only the screen shows. By default the first
    column is on the left and the others on the right.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell | Value]]  # the first cell names the row
    title: str = ""
    name: str = ""  # for other programs, and of files
    notes: tuple[str, ...] = ()  # what the marks mean and how the numbers came about
    decimals: int = 2
    align: str = ""
    rules: frozenset[int] = frozenset()  # rows with a line above them
    thousands: str = ","  # between the digits of large numbers, where people read them

    def add_notes(self, *notes: str) -> "Table":
        return replace(self, notes=(*self.notes, *notes))

    def mark_best(self, groups: Sequence[Sequence[int]] | None = None) -> "Table":
        """Make the highest number of each column strong, or of each column within groups of rows."""
        rows = [list(map(_as_cell, row)) for row in self.rows]
        for group in groups or [range(len(rows))]:
            for k in range(1, len(self.columns)):
                numbers = [value for i in group if isinstance(value := rows[i][k].value, float)]
                for i in group:
                    if len(numbers) > 1 and rows[i][k].value == max(numbers):
                        rows[i][k] = replace(rows[i][k], style="strong")
        return replace(self, rows=rows)

    def transpose(self) -> "Table":
        """Return the table with a column for each row, for terminals that are too narrow for the rows."""
        first, *names = (column.replace("\n", " ") for column in self.columns)
        labels, *values = zip(*self.rows, strict=True)
        rows = [(name, *row) for name, row in zip(names, values, strict=True)]
        return replace(self, columns=(first, *map(str, labels)), rows=rows)

    @property
    def _aligned(self) -> str:
        return self.align or "l" + "r" * (len(self.columns) - 1)

    def _without_bars(self) -> tuple[list[str], str, list[list[Cell]]]:
        """Return the columns, their alignment, and the rows."""
        keep = [k for k, side in enumerate(self._aligned) if side != "b"]
        rows = [[_as_cell(row[k]) for k in keep] for row in self.rows]
        return [self.columns[k] for k in keep], self._aligned.replace("b", ""), rows

    def _format(self, cell: Cell) -> str:
        if isinstance(cell.value, float):
            return f"{cell.value:{'+' if cell.signed else ''}.{self.decimals}f}"
        if isinstance(cell.value, int):
            return f"{cell.value:,}".replace(",", self.thousands)
        return NO_DATA if cell.value is None else cell.value

    # The screen

    def print(self, console: "Console | None" = None, *, boxed: bool = False) -> None:
        """Print to a console, by default to standard output.

        Where a table of numbers is too wide, lines are broken between words, those of the last columns first, and
        where even that is too wide, by the terminal: no word and no number is ever cut. Of text, rich makes the best.
        """
        from rich.text import Text

        console = console or open_console()
        has_heading = bool(self.title) and not boxed
        if has_heading:
            console.print(Text(self.title, style="bold"))
        if "l" in self._aligned[1:]:
            console.print(self._draw(boxed))
        else:
            _print_whole(console, self._draw(boxed))
        for note in self.notes:
            console.print(Text(note, style="dim"))
        if has_heading:
            console.print()

    def fits(self, console: "Console") -> bool:
        """Say whether each word has room on a line."""
        return _fits(console, self._draw(boxed=False))

    def _draw(self, boxed: bool) -> "RichTable":
        from rich.box import SIMPLE_HEAD
        from rich.table import Table as RichTable
        from rich.text import Text

        if boxed:
            drawn = RichTable(title=Text(self.title), title_justify="left")
        else:
            drawn = RichTable(box=SIMPLE_HEAD, pad_edge=False)
        for column, side in zip(self.columns, self._aligned, strict=True):
            drawn.add_column(Text(column), justify="right" if side == "r" else "left", no_wrap=side == "b")
        for i, row in enumerate(self.rows or [[None] * len(self.columns)]):
            if i in self.rules:
                drawn.add_section()
            cells = map(_as_cell, row)
            drawn.add_row(*(Text(self._format(c) + c.mark, style=SCREEN_STYLES.get(c.style, "")) for c in cells))
        return drawn

    # For people

    def markdown(self) -> str:
        columns, align, rows = self._without_bars()
        lines = [f"**{make_printable(self.title)}**", "", "| " + " | ".join(map(_escape_markdown, columns)) + " |"]
        lines.append("|" + "|".join("---:" if side == "r" else "---" for side in align) + "|")
        lines += ["| " + " | ".join(map(self._markdown_cell, row)) + " |" for row in rows]
        return "\n".join([*lines, "", *(f"{make_printable(note)}  " for note in self.notes)]).rstrip() + "\n"

    def _markdown_cell(self, cell: Cell) -> str:
        text = _escape_markdown(self._format(cell))
        return (f"**{text}**" if cell.style in STRONG else text) + cell.mark.replace("*", r"\*")

    def latex(self, *, booktabs: bool = True) -> str:
        """Return a `tabular`, with title and notes as comments. Without `booktabs` it needs no packages."""
        columns, align, rows = self._without_bars()
        top, middle, bottom = (r"\toprule", r"\midrule", r"\bottomrule") if booktabs else (r"\hline",) * 3
        lines = [f"% {make_printable(line)}" for line in (self.title, *self.notes)]
        lines += [rf"\begin{{tabular}}{{{align}}}", top]
        lines += [" & ".join(map(escape_latex, columns)) + r" \\", middle]
        for i, row in enumerate(rows):
            if i and i in self.rules:
                lines.append(middle)
            lines.append(" & ".join(map(self._latex_cell, row)) + r" \\")
        return "\n".join([*lines, bottom, r"\end{tabular}", ""])

    def _latex_cell(self, cell: Cell) -> str:
        text = escape_latex(cell.value) if isinstance(cell.value, str) else self._format(cell).replace(NO_DATA, "--")
        bold = rf"\textbf{{{text}}}" if cell.style in STRONG and text else text
        return bold + LATEX_MARKS.get(cell.mark, cell.mark)

    def html(self) -> str:
        """Return a part of a page. It has no colours of its own, so that it fits any page."""
        columns, align, rows = self._without_bars()
        lines = [f"<style>\n{HTML_STYLE}\n</style>", '<table class="dodona-table">']
        if self.title:
            lines.append(f"<caption>{escape_xml(self.title)}</caption>")
        if any(columns):
            heads = zip(columns, align, strict=True)
            cells = "".join(f'<th scope="col"{_class(side)}>{escape_xml(column)}</th>' for column, side in heads)
            lines.append(f"<thead><tr>{cells}</tr></thead>")
        lines.append("<tbody>")
        lines += ["<tr>" + "".join(map(self._html_cell, row, align)) + "</tr>" for row in rows]
        return "\n".join([*lines, "</tbody>", "</table>", ""])

    def _html_cell(self, cell: Cell, side: str) -> str:
        text = "<br>".join(map(escape_xml, (self._format(cell) + cell.mark).splitlines()))
        return f'<td dir="auto"{_class(side, cell.style)}>{text}</td>'

    # For other programs

    def csv(self) -> str:
        """Return numbers with six decimals; marks are in columns of their own where there are any."""
        columns, _, rows = self._without_bars()
        marked = {k for row in rows for k, cell in enumerate(row) if cell.mark}
        lines = []
        for line in [[Cell(column, f"{column} mark") for column in columns], *rows]:
            pairs = [(f"{c.value:.6f}" if isinstance(c.value, float) else c.value, c.mark) for c in line]
            lines.append([value for k, pair in enumerate(pairs) for value in (pair if k in marked else pair[:1])])
        return write_csv(lines)

    def records(self) -> list[dict[str, Value]]:
        """Return a dictionary for each row, by column."""
        columns, _, rows = self._without_bars()
        return [dict(zip(columns, (cell.value for cell in row), strict=True)) for row in rows]

    def json(self) -> str:
        return format_json(self.records())

    def tsv(self) -> str:
        """Return values as they are, a row on a line; quoted like CSV where they have quotation marks."""
        columns, _, rows = self._without_bars()
        return write_csv([map(_plain, columns), *([_plain(cell.value) for cell in row] for row in rows)], "\t")


def _as_cell(cell: Cell | Value) -> Cell:
    return cell if isinstance(cell, Cell) else Cell(cell)


def _class(side: str, style: str = "") -> str:
    kinds = " ".join(filter(None, ("number" if side == "r" else "", "strong" if style in STRONG else style)))
    return f' class="{kinds}"' if kinds else ""


def _plain(value: Value) -> str:
    return "" if value is None else make_printable(str(value))


def format_json(value: object) -> str:
    """Return a value as JSON that people can read, too."""
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def write_csv(rows: Iterable[Iterable[object]], separator: str = ",") -> str:
    """Return rows as spreadsheets and pandas read them: a value with a separator, a quotation mark or the end of a line
    in it is in quotation marks, and those in it are doubled."""
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(rows)
    return text.getvalue()


@dataclass
class Result:
    """All tables about one file, or about two of them."""

    files: list[str]
    tables: list[Table]
    drawings: list[str] = field(default_factory=list)  # lines below the tables on the screen

    def records(self) -> dict[str, Any]:
        """Return the files, then tables, rows and columns by name."""
        by_name: dict[str, Any] = {"files": self.files}
        for table in self.tables:
            first = table.columns[0]
            by_name[table.name] = {str(record.pop(first)): record for record in table.records()}
        return by_name


FORMATS = ("table", "markdown", "html", "latex", "csv", "tsv", "json")
FOR_PEOPLE = FORMATS[:4]


def format_results(results: Sequence[Result], form: str) -> str:
    """Return tables about files in one of FORMATS but "table", which `show_results` prints.

    CSV and TSV have one number on a line, for `grep`, `cut` and pandas; JSON has an object for each result.
    """
    if form == "json":
        return format_json([result.records() for result in results])
    if form in ("csv", "tsv"):
        return write_csv(_list_numbers(results), "," if form == "csv" else "\t")
    tables = [replace(table, title=_title(table, result)) for result in results for table in result.tables]
    return "\n".join(getattr(table, form)() for table in tables)


def _list_numbers(results: Sequence[Result]) -> Iterator[tuple[str, ...]]:
    yield "files", "table", "row", "column", "value"
    for result in results:
        files, *tables = result.records().items()
        for name, rows in tables:
            for row, record in rows.items():
                for column, value in record.items():
                    yield " ".join(files[1]), name, row, column, _plain(value)


def show_results(results: Sequence[Result], console: "Console") -> None:
    """Print boxed tables about files."""
    for result in results:
        for table in result.tables:
            replace(table, title=_title(table, result), thousands="").print(console, boxed=True)
        for line in result.drawings:
            console.out(line)


def _title(table: Table, result: Result) -> str:
    """The title with the files that the table is about; of more than two of them, its columns have the names."""
    return f"{table.title} · {' '.join(result.files)}" if len(result.files) <= 2 else table.title


def open_console(width: int = 120, stream: TextIO | None = None) -> "Console":
    """Return what tables are printed to, by default standard output; a file or a pipe has this width."""
    from rich.console import Console

    stream = stream or sys.stdout
    return Console(file=stream, width=None if stream.isatty() else width, highlight=False)


def _print_whole(console: "Console", table: "RichTable") -> None:
    """Print a table that gets denser and longer on narrow terminals, where rich would cut words and numbers."""
    if _width(console, table, "maximum") > console.width:
        if not _fits(console, table):
            table.padding = 0
        if not _fits(console, table):
            table.show_edge = False
        spare = max(0, console.width - _width(console, table, "minimum"))
        for column in table.columns:
            least, most = _measure(console, column)
            column.width = min(most, least + spare)
            spare -= column.width - least
    width = console.width
    console.width = max(width, _width(console, table, "minimum"))
    console.print(table)
    console.width = width


def _fits(console: "Console", table: "RichTable") -> bool:
    return _width(console, table, "minimum") <= console.width


def _width(console: "Console", table: "RichTable", bound: str) -> int:
    columns = sum(getattr(_measure(console, column), bound) for column in table.columns)
    _, right, _, left = table.padding
    edge = 0 if table.pad_edge else left + right
    lines = len(table.columns) - 1 + 2 * table.show_edge if table.box else 0
    return int(columns + (left + right) * len(table.columns) - edge + lines)


def _measure(console: "Console", column: "Column") -> "Measurement":
    """Return the widths of a column: its longest word, and its longest line."""
    from rich.measure import Measurement

    wide = console.options.update(max_width=10_000)
    cells = [Measurement.get(console, wide, cell) for cell in (column.header, *column.cells)]
    least = [cell.maximum if column.no_wrap else cell.minimum for cell in cells]
    return Measurement(max(least), max(cell.maximum for cell in cells))
