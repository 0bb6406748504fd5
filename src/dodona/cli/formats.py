"""What is written instead of CoNLL-U: JSON, trees as text, pictures, pages and LaTeX. Each writer takes a stream of
sentences, or of pairs of gold and parsed sentences, and a target."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from rich.console import Console
from rich.text import Text

from dodona.data import Sentence
from dodona.data.files import output
from dodona.data.stream import Mark, Pause
from dodona.drawing import GAP, Line, draw, shown
from dodona.drawing.comparison import NO_MARK, marked
from dodona.drawing.dependencies import pictures_svg
from dodona.drawing.page import HTML_END, Shown, html_head, html_section, sentence_notes
from dodona.drawing.picture import Picture
from dodona.drawing.tikz import TIKZ_END, TIKZ_HEAD, TIKZ_NEEDS, picture_tikz

__all__ = ["WRITERS", "picture_of", "write_html", "write_latex_document", "write_svg", "write_trees"]

TITLES = "gold", "parsed"
STYLES = ("cyan", "green", "dim")  # UPOS, relation, confidence


def write_trees(items: Iterable[Shown | Mark], path: str) -> None:
    """Draw sentences into a file, or on standard output (`-`), each under its text. At a pause, pipes get them.

    Of a pair of sentences, gold and parsed, both trees are drawn, with marks where they differ.
    """
    if path == "-" and sys.stdout.isatty():
        console = Console(highlight=False, color_system=None if os.environ.get("NO_COLOR") else "auto")
        for item in items:
            if isinstance(item, Mark):
                continue
            for title in _titles(item):
                console.print(Text(title, style="bold"))
            for line in _coloured_lines(item, console.width):
                console.print(line, no_wrap=True, crop=False, overflow="ignore")
            console.print()
        return
    with output(path) as stream:
        for item in items:
            if not isinstance(item, Mark):
                lines = (
                    map(str, draw(item))
                    if isinstance(item, Sentence)
                    else (line for line, _ in marked(*item, titles=TITLES))
                )
                stream.write("\n".join([*_titles(item), *lines, "", ""]).encode())
            elif isinstance(item, Pause):
                stream.flush()


def _titles(item: Shown) -> Iterator[str]:
    """Yield the text, and the rank and score of this tree, if it is one of several."""
    sentence = item if isinstance(item, Sentence) else item[0]
    yield shown(sentence.text or " ".join(sentence.surface()))
    yield from map(shown, sentence_notes(sentence))


def _coloured_lines(item: Shown, width: int) -> Iterator[Text]:
    if isinstance(item, Sentence):
        yield from map(_coloured, draw(item, width))
        return
    for line, mark in marked(*item, width, TITLES):
        yield Text(line, style="" if mark == NO_MARK else "bold red")


def _coloured(line: Line) -> Text:
    text = Text.assemble((line.branches, "dim"), " ", (line.word, "bold"))
    for value, style in zip(line.rest, STYLES, strict=False):
        text.append(GAP).append(value, style)
    return text


Items = Iterable[Shown | Mark]


def write_jsonl(items: Items, path: str) -> None:
    """Write a JSON object a line; of a pair, the parsed sentence."""
    _write(items, path, lambda each, _: f"{(each if isinstance(each, Sentence) else each[1]).to_json()}\n")


def write_html(items: Items, path: str, width: float | None = None) -> None:
    """Write a page. It grows sentence by sentence, so that it may have any number of them."""
    _write(items, path, partial(html_section, width=width), html_head("Dependency trees"), HTML_END)


def write_svg(items: Items, path: str, width: float | None = None) -> None:
    """Write one picture with all sentences below each other, after the last one."""
    pictures = [picture_of(item) for item in items if not isinstance(item, Mark)]
    with output(path) as stream:
        stream.write(pictures_svg(pictures, width).encode())


def write_tikz(items: Items, path: str) -> None:
    """Write an environment for each sentence, for a document that loads tikz-dependency."""
    _write(items, path, lambda each, _: f"{picture_tikz(picture_of(each))}\n", TIKZ_NEEDS)


def write_latex_document(items: Items, path: str) -> None:
    """Write a whole document, a page for each sentence."""
    _write(items, path, lambda each, _: f"{picture_tikz(picture_of(each))}\n", TIKZ_HEAD, TIKZ_END)


def picture_of(item: Shown) -> Picture:
    """Return the picture of a sentence, or of what is wrong in a parse of it."""
    return Picture.of(item) if isinstance(item, Sentence) else Picture.of(*item)


def _write(items: Items, path: str, piece: Callable[[Shown, int], str], head: str = "", end: str = "") -> None:
    """Write a piece for each sentence, numbered from 1. At a pause, pipes get what is written."""
    number = 0
    with output(path) as stream:
        stream.write(head.encode())
        for item in items:
            if not isinstance(item, Mark):
                number += 1
                stream.write(piece(item, number).encode())
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
