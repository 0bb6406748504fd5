"""What is written instead of CoNLL-U: JSON, tables of words, trees as text, pictures, pages and LaTeX. Each writer
takes a stream of sentences, or of pairs of gold and parsed sentences, and a target; at a pause, pipes get what is
written.

Trees as text are in the width of a terminal and in colour (without NO_COLOR), and plain everywhere else.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any
from urllib.parse import quote

from dodona.data import Sentence
from dodona.data.files import bare_name, output
from dodona.data.stream import Mark, Pause
from dodona.data.ud import COLUMNS, NUMBERS
from dodona.drawing.dependencies import HTML_END, Drawable, html_head, html_section, pictures_svg, sentence_notes
from dodona.drawing.picture import MarkedSentence, Picture
from dodona.drawing.tikz import TIKZ_END, TIKZ_HEAD, TIKZ_NEEDS, picture_tikz
from dodona.drawing.trees import GAP, NO_MARK, Line, draw, draw_both
from dodona.tables import escape_xml, make_printable, write_csv

__all__ = ["WRITERS", "first_of", "write_html", "write_items", "write_pages", "write_svg", "write_tikz", "write_trees"]

TITLES = "gold", "parsed"
STYLES = ("cyan", "green", "dim", "bold")  # UPOS, relation, confidence, name

Items = Iterable[Drawable | Mark]


def write_jsonl(items: Items, path: str) -> None:
    """Write a JSON object a line; of a pair, the parsed sentence."""
    write_items(items, path, lambda each, _: f"{_last_of(each).to_json()}\n")


def write_json(items: Items, path: str) -> None:
    """Write one list of JSON objects, each on a line of its own."""
    write_items(items, path, lambda each, k: f"{',' * (k > 1)}\n{_last_of(each).to_json()}", "[", "\n]\n")


def write_words(items: Items, path: str, separator: str) -> None:
    """Write a table with a row for each word, for spreadsheets and data frames; what is `_` in CoNLL-U is empty."""

    def rows_of(each: Drawable, number: int) -> str:
        sentence = _last_of(each)
        columns = (getattr(sentence, name) for name in NUMBERS)
        rows = zip(range(1, len(sentence) + 1), *columns, strict=True)
        cells = ((id, form, *("" if value == "_" else value for value in rest)) for id, form, *rest in rows)
        return write_csv(((number, sentence.sent_id, *row) for row in cells), separator)

    write_items(items, path, rows_of, write_csv([("sentence", "sent_id", *map(str.lower, COLUMNS))], separator))


def write_markdown(items: Items, path: str) -> None:
    """Draw sentences as text in blocks of code."""

    def block(each: Drawable, _: int) -> str:
        text, *notes = _titles(each)
        return "\n".join([f"**{text}**", *notes, "", "```text", *_lines(each), "```", "", ""])

    write_items(items, path, block)


def write_trees(items: Items, path: str) -> None:
    """Draw sentences, each under its text; of a pair both trees, with marks where they differ."""
    if path == "-" and sys.stdout.isatty():
        _print_trees(item for item in items if not isinstance(item, Mark))
    else:
        write_items(items, path, lambda each, _: "\n".join([*_titles(each), *_lines(each), "", ""]))


def _print_trees(items: Iterable[Drawable]) -> None:
    from rich.console import Console
    from rich.text import Text

    def colour(line: Line) -> Text:
        rest = (part for column in zip(line.rest, STYLES, strict=False) for part in (GAP, column))
        return Text.assemble((line.branches, "dim"), " ", (line.word, "bold"), *rest)

    console = Console(highlight=False, color_system=None if os.environ.get("NO_COLOR") else "auto")
    for item in items:
        for title in _titles(item):
            console.print(Text(title, style="bold"))
        if not isinstance(item, tuple):
            names = item.words if isinstance(item, MarkedSentence) else {}
            lines = [colour(line) for line in draw(first_of(item), console.width, names)]
            for k in names:
                lines[k - 1].stylize("bold magenta")
        else:
            both = draw_both(*item, console.width, TITLES)
            lines = [Text(line, style="" if mark == NO_MARK else "bold red") for line, mark in both]
        for text in lines:
            console.print(text, no_wrap=True, crop=False, overflow="ignore")
        console.print()


def _titles(item: Drawable) -> Iterator[str]:
    """Yield the text, and the rank and score of this tree, if it is one of several."""
    sentence = first_of(item)
    yield make_printable(sentence.text or " ".join(sentence.surface()))
    yield from map(make_printable, sentence_notes(sentence))


def _lines(item: Drawable) -> Iterator[str]:
    if isinstance(item, MarkedSentence):
        return map(str, draw(item.sentence, names=item.words))
    if isinstance(item, Sentence):
        return map(str, draw(item))
    return (line for line, _ in draw_both(*item, titles=TITLES))


def write_html(items: Items, path: str, width: float | None = None) -> None:
    """Write a page. It grows sentence by sentence, so that it may have any number of them."""
    write_items(items, path, partial(html_section, width=width), html_head("Dependency trees"), HTML_END)


def write_pages(items: Iterable[Drawable], path: str, size: int, width: float | None = None) -> None:
    """Write pages of so many sentences each, with links between them: NAME.html, NAME-2.html and so on."""
    sections = (html_section(item, number, width) for number, item in enumerate(items, start=1))
    page = list(islice(sections, size))
    number = 1
    while page:
        following = list(islice(sections, size))
        links = [(number - 1, "previous")] * (number > 1) + [(number + 1, "next")] * bool(following)
        listed = " ".join(f'<a href="{escape_xml(quote(os.path.basename(_page(path, k))))}">{t}</a>' for k, t in links)
        title = "Dependency trees" if number == 1 else f"Dependency trees, page {number}"
        with output(_page(path, number)) as stream:
            stream.write("".join([html_head(title), *page, f"<nav>{listed}</nav>\n", HTML_END]).encode())
        page = following
        number += 1


def _page(path: str, number: int) -> str:
    """The name of a page; the first one has that of the output."""
    bare = bare_name(path)
    stem, ending = os.path.splitext(bare)
    return path if number == 1 else f"{stem}-{number}{ending}{path[len(bare) :]}"


def write_svg(items: Items, path: str, width: float | None = None) -> None:
    """Write one picture with all sentences below each other, after the last one."""
    pictures = [_picture_of(item) for item in items if not isinstance(item, Mark)]
    with output(path) as stream:
        stream.write(pictures_svg(pictures, width).encode())


def write_tikz(items: Items, path: str, standalone: bool = False) -> None:
    """Write an environment for each sentence, for a document that loads tikz-dependency; or with `standalone` a whole
    document, a page for each sentence."""
    around = (TIKZ_HEAD, TIKZ_END) if standalone else (TIKZ_NEEDS,)
    write_items(items, path, lambda each, _: f"{picture_tikz(_picture_of(each))}\n", *around)


def _last_of(item: Drawable) -> Sentence:
    """Return the sentence, or the parsed one of a pair."""
    return item[1] if isinstance(item, tuple) else first_of(item)


def first_of(item: Drawable) -> Sentence:
    """Return the sentence, or the gold one of a pair."""
    if isinstance(item, MarkedSentence):
        return item.sentence
    return item[0] if isinstance(item, tuple) else item


def _picture_of(item: Drawable) -> Picture:
    """Return the picture of a sentence, or of what is wrong in a parse of it."""
    return Picture.of(*item) if isinstance(item, tuple) else Picture.of(item)


def write_items(
    items: Iterable[Any], path: str, text_of: Callable[[Any, int], str], head: str = "", end: str = ""
) -> None:
    """Write a text for each sentence, or whatever is between the marks of a stream; it is numbered from 1."""
    number = 0
    with output(path) as stream:
        stream.write(head.encode())
        for item in items:
            if not isinstance(item, Mark):
                number += 1
                stream.write(text_of(item, number).encode())
            elif isinstance(item, Pause):
                stream.flush()
        stream.write(end.encode())


WRITERS: dict[str, Callable[[Items, str], None]] = {
    "jsonl": write_jsonl,
    "json": write_json,
    "csv": partial(write_words, separator=","),
    "tsv": partial(write_words, separator="\t"),
    "tree": write_trees,
    "markdown": write_markdown,
    "svg": write_svg,
    "html": write_html,
    "tikz": write_tikz,
}
"""By the name of the format."""
