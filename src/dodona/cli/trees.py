"""Trees as text: on a terminal in its width and in colour (without NO_COLOR), plain everywhere else."""

import os
import sys
from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.text import Text

from dodona.data import Sentence
from dodona.data.files import output
from dodona.data.marks import Item, Pause
from dodona.drawing import GAP, Line, draw, shown

__all__ = ["write_trees"]

STYLES = ("cyan", "green", "dim")  # UPOS, relation, confidence


def write_trees(items: Iterable[Item], path: str) -> None:
    """Draw sentences into a file, or on standard output (`-`), each under its text. At a pause, pipes get them."""
    if path == "-" and sys.stdout.isatty():
        console = Console(highlight=False, color_system=None if os.environ.get("NO_COLOR") else "auto")
        for sentence in items:
            if not isinstance(sentence, Sentence):
                continue
            for title in _titles(sentence):
                console.print(Text(title, style="bold"))
            for line in draw(sentence, console.width):
                console.print(_coloured(line), no_wrap=True, crop=False, overflow="ignore")
            console.print()
        return
    with output(path) as stream:
        for sentence in items:
            if isinstance(sentence, Sentence):
                lines = [*_titles(sentence), *map(str, draw(sentence)), "", ""]
                stream.write("\n".join(lines).encode())
            elif isinstance(sentence, Pause):
                stream.flush()


def _titles(sentence: Sentence) -> Iterator[str]:
    """Yield the text, and the rank and score of this tree, if it is one of several."""
    yield shown(sentence.text or " ".join(sentence.surface()))
    pairs = (comment[1:].partition("=") for comment in sentence.comments)
    notes = {key.strip(): value.strip() for key, _, value in pairs}
    if "nbest" in notes:
        yield shown(f"tree {notes['nbest']}, score {notes.get('score', '?')}")


def _coloured(line: Line) -> Text:
    text = Text.assemble((line.branches, "dim"), " ", (line.word, "bold"))
    for value, style in zip(line.rest, STYLES, strict=False):
        text.append(GAP).append(value, style)
    return text
