"""Trees as text: on a terminal in its width and in colour (without NO_COLOR), plain everywhere else."""

import os
import sys
from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.text import Text

from dodona.data import Sentence
from dodona.data.files import output
from dodona.data.marks import Mark, Pause
from dodona.drawing import GAP, Line, draw, shown
from dodona.drawing.comparison import NO_MARK, marked
from dodona.drawing.page import Shown, sentence_notes

__all__ = ["write_trees"]

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
