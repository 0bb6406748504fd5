"""What is written instead of CoNLL-U: JSON, trees as text, pictures, pages and LaTeX. Each writer takes a stream of
sentences, or of pairs of gold and parsed sentences, and a target; at a pause, pipes get what is written.

Trees as text are in the width of a terminal and in colour (without NO_COLOR), and plain everywhere else.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from dodona.data import Sentence
from dodona.data.files import output
from dodona.data.stream import Mark, Pause
from dodona.drawing.dependencies import HTML_END, Drawable, html_head, html_section, pictures_svg, sentence_notes
from dodona.drawing.picture import MarkedSentence, Picture
from dodona.drawing.tikz import TIKZ_END, TIKZ_HEAD, TIKZ_NEEDS, picture_tikz
from dodona.drawing.trees import GAP, NO_MARK, Line, draw, draw_both
from dodona.tables import make_printable

__all__ = ["WRITERS", "first_of", "write_html", "write_svg", "write_tikz", "write_trees"]

TITLES = "gold", "parsed"
STYLES = ("cyan", "green", "dim", "bold")  # UPOS, relation, confidence, name

Items = Iterable[Drawable | Mark]


def write_jsonl(items: Items, path: str) -> None:
    """Write a JSON object a line; of a pair, the parsed sentence."""
    _write(items, path, lambda each, _: f"{(each[1] if isinstance(each, tuple) else first_of(each)).to_json()}\n")


def write_trees(items: Items, path: str) -> None:
    """Draw sentences, each under its text; of a pair both trees, with marks where they differ."""
    if path == "-" and sys.stdout.isatty():
        _print_trees(item for item in items if not isinstance(item, Mark))
    else:
        _write(items, path, lambda each, _: "\n".join([*_titles(each), *_lines(each), "", ""]))


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
    _write(items, path, partial(html_section, width=width), html_head("Dependency trees"), HTML_END)


def write_svg(items: Items, path: str, width: float | None = None) -> None:
    """Write one picture with all sentences below each other, after the last one."""
    pictures = [_picture_of(item) for item in items if not isinstance(item, Mark)]
    with output(path) as stream:
        stream.write(pictures_svg(pictures, width).encode())


def write_tikz(items: Items, path: str, standalone: bool = False) -> None:
    """Write an environment for each sentence, for a document that loads tikz-dependency; or with `standalone` a whole
    document, a page for each sentence."""
    around = (TIKZ_HEAD, TIKZ_END) if standalone else (TIKZ_NEEDS,)
    _write(items, path, lambda each, _: f"{picture_tikz(_picture_of(each))}\n", *around)


def first_of(item: Drawable) -> Sentence:
    """Return the sentence, or the gold one of a pair."""
    if isinstance(item, MarkedSentence):
        return item.sentence
    return item[0] if isinstance(item, tuple) else item


def _picture_of(item: Drawable) -> Picture:
    """Return the picture of a sentence, or of what is wrong in a parse of it."""
    return Picture.of(*item) if isinstance(item, tuple) else Picture.of(item)


def _write(items: Items, path: str, text_of: Callable[[Drawable, int], str], head: str = "", end: str = "") -> None:
    """Write a text for each sentence, numbered from 1."""
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
    "tree": write_trees,
    "svg": write_svg,
    "html": write_html,
    "tikz": write_tikz,
}
"""By the name of the format."""
