"""What is written instead of CoNLL-U: JSON, trees as text, pictures, pages and LaTeX. Each writer takes a stream of
sentences, or of pairs of gold and parsed sentences, and a target."""

from collections.abc import Callable, Iterable
from functools import partial

from dodona.cli.trees import write_trees
from dodona.data import Sentence
from dodona.data.files import output
from dodona.data.marks import Mark, Pause
from dodona.drawing.dependencies import pictures_svg
from dodona.drawing.page import HTML_END, Shown, html_head, html_section
from dodona.drawing.picture import Picture
from dodona.drawing.tikz import TIKZ_END, TIKZ_HEAD, TIKZ_NEEDS, picture_tikz

__all__ = ["WRITERS", "picture_of", "write_html", "write_latex_document", "write_svg"]

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
