"""Sentences on a page of HTML: each with its name, its text and its picture, which can be scrolled if it is long.

A page has no scripts and takes nothing from elsewhere, so it can be sent to others and read without a network.
"""

from collections.abc import Iterable, Iterator

from dodona.data import Sentence
from dodona.drawing.dependencies import picture_svg, style
from dodona.drawing.picture import Picture
from dodona.drawing.svg import escaped

__all__ = ["html_of", "html_page", "html_scrolled"]

STYLE = """\
:root { color-scheme: light dark; }
body { font-family: "Noto Sans", "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; margin: 2rem auto;
  max-width: 90rem; padding: 0 1rem; color: #1b1b1b; background: #fafafa; }
h1 { font-size: 1.4rem; }
section { margin: 1.5rem 0 2.5rem; }
h2 { font-size: 1rem; font-weight: normal; margin: 0 0 .4rem; }
h2 small { color: #5f5f5f; margin-inline-end: .6em; }
.picture { overflow-x: auto; border: 1px solid #d0d0d0; border-radius: 6px; background: #ffffff; }
.picture svg { display: block; }
.picture:focus-visible { outline: 2px solid #0b62c4; }
@media (prefers-color-scheme: dark) {
body { color: #ececec; background: #101114; }
h2 small { color: #a9a9a9; }
.picture { border-color: #3a3d44; background: #16181d; }
}
@media print {
.picture { overflow: visible; border: none; }
.picture svg { max-width: 100%; height: auto; }
section { break-inside: avoid; }
}"""
SCROLLED = 'tabindex="0" role="group" aria-label="dependency tree"'  # so that it can be scrolled with keys, too

Shown = Sentence | tuple[Sentence, Sentence]
"""A sentence, or two trees of it, gold and parsed."""


def html_page(sentences: Iterable[Shown], title: str = "Dependency trees", *, width: float | None = None) -> str:
    """Return a page with the pictures of sentences; a pair of trees, gold and parsed, shows what is wrong.

    With a `width` in pixels, longer sentences are in several lines; else they can be scrolled.
    """
    sections = (html_section(each, number, width) for number, each in enumerate(sentences, start=1))
    return "".join([html_head(title), *sections, HTML_END])


def html_head(title: str) -> str:
    """Return the beginning of a page."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escaped(title)}</title>\n<style>\n{STYLE}\n{style()}\n</style>\n</head>\n"
        f"<body>\n<h1>{escaped(title)}</h1>\n"
    )


HTML_END = "</body>\n</html>\n"


def html_section(each: Shown, number: int, width: float | None = None) -> str:
    """Return a sentence on a page, with its sent_id, or else its number, and notes that the parser made about it."""
    sentence, parsed = each if isinstance(each, tuple) else (each, None)
    picture = Picture.of(sentence, parsed)
    notes = [sentence.sent_id or str(number), *sentence_notes(parsed or sentence)]
    names = "".join(f"<small>{escaped(note)}</small>" for note in notes)
    return (
        f'<section>\n<h2 dir="auto">{names}{escaped(picture.title)}</h2>\n'
        f"{html_scrolled(picture_svg(picture, width, styled=False), picture.reversed)}</section>\n"
    )


def html_of(sentence: Sentence, parsed: Sentence | None = None, *, width: float | None = None) -> str:
    """Return a part of a page, with all that it needs: the picture of a sentence, which can be scrolled."""
    picture = Picture.of(sentence, parsed)
    return html_scrolled(picture_svg(picture, width), picture.reversed)


def sentence_notes(sentence: Sentence) -> Iterator[str]:
    """Yield the rank and score of a tree, if it is one of several."""
    pairs = (comment[1:].partition("=") for comment in sentence.comments)
    notes = {key.strip(): value.strip() for key, _, value in pairs}
    if "nbest" in notes:
        yield f"tree {notes['nbest']}, score {notes.get('score', '?')}"


def html_scrolled(svg: str, is_reversed: bool = False) -> str:
    """Return a picture as a part of a page that can be scrolled if the picture is wider."""
    direction = ' dir="rtl"' if is_reversed else ""
    return f'<div class="picture" style="overflow-x: auto" {SCROLLED}{direction}>\n{svg}</div>\n'
