"""Pictures of sentences as SVG, alone and on a page of HTML: words in a row, arcs above them, what is wrong below them.

Nothing in a picture covers anything else: see `dodona.drawing.arcs`. Where a line crosses the leg of another arc it has
a gap. Pictures have no scripts and take nothing from elsewhere. They have their own paper, light or dark as the reader
prefers, so they can be read on any page. A page has no scripts either and takes nothing from elsewhere, so it can be
sent to others and read without a network.
"""

from collections.abc import Iterable, Iterator, Sequence

from dodona.data import Sentence
from dodona.data.ud import find_comment
from dodona.drawing.arcs import ASIDE, CORNER, Arc, PlacedArc, lay_out_arcs
from dodona.drawing.letters import has_known_width, is_right_to_left, text_width
from dodona.drawing.picture import PLAIN, Link, MarkedSentence, Picture, choose_line_ends, fold
from dodona.drawing.svg import element, move, number, read_style, svg_document
from dodona.errors import FormatError
from dodona.tables import escape_xml

__all__ = [
    "HTML_END", "Drawable", "html_head", "html_of", "html_of_several", "html_page", "html_section", "picture_svg",
    "pictures_svg", "scroll", "sentence_notes", "svg_of",
]  # fmt: skip

NAME = "dodona-tree"  # the class of the picture, so that its styles reach nothing else on a page
WORD, TAG, LABEL = 16.0, 11.0, 11.5  # sizes of letters, as in trees.css
MARGIN = 12.0
BASE = 3.0  # between a word and the arcs
FIRST, STEP = 24.0, 17.0  # from the words to the first level, and from one level to the next
WORDS, TAGS, TOKENS = 24.0, 16.0, 24.0  # heights of the rows of words, tags and multiword tokens
LEGEND = 20.0
LINE_SHARES = 1.0, 0.9, 0.8, 0.65, 0.5, 0.3  # the parts of a line that words may take, until no line is too wide
BREAK = 3.5  # half of the gap where a line crosses another
SHORT = 3.0  # a shorter piece of a line is left out
ARROW = 3.5, 7.0  # half of the width, and the height

BOLD = 1.08  # how much wider
STYLE = read_style("trees")
SCROLLED = 'tabindex="0" role="group" aria-label="dependency tree"'  # so that it can be scrolled with keys, too

Drawable = Sentence | MarkedSentence | tuple[Sentence, Sentence]
"""A sentence, one with marks, or two trees of it, gold and parsed."""


def svg_of(sentence: Sentence, parsed: Sentence | None = None, *, width: float | None = None) -> str:
    """Return the picture of a sentence as SVG; with `parsed`, another tree of it, wrong arcs are below the words.

    With a `width` in pixels, longer sentences are in several lines.
    """
    return picture_svg(Picture.of(sentence, parsed), width)


def html_of(sentence: Sentence, parsed: Sentence | None = None, *, width: float | None = None) -> str:
    """Return a part of a page, with all that it needs: the picture of a sentence, which can be scrolled."""
    picture = Picture.of(sentence, parsed)
    return scroll(picture_svg(picture, width), picture.reversed)


def html_of_several(sentences: Iterable[Sentence], more: int = 0) -> str:
    """Return a part of a page with the pictures of sentences below each other, and how many more there are.

    What is no tree is there as text.
    """
    parts = [f"<style>\n{STYLE}\n</style>\n"]
    for sentence in sentences:
        try:
            picture = Picture.of(sentence)
        except FormatError:
            parts.append(f'<p dir="auto">{escape_xml(" ".join(sentence.surface()))}</p>\n')
        else:
            parts.append(scroll(picture_svg(picture, styled=False), picture.reversed))
    if more > 0:
        parts.append(f"<p>… and {more:,} more</p>\n")
    return "".join(parts)


def picture_svg(picture: Picture, width: float | None = None, *, styled: bool = True) -> str:
    """Return a picture as SVG; one that is not `styled` is for a page, which has the styles once."""
    return _stack(_lines(picture, width), picture.title, styled)


def pictures_svg(pictures: Sequence[Picture], width: float | None = None) -> str:
    """Return one picture that has others below each other."""
    if len(pictures) == 1:
        return picture_svg(pictures[0], width)
    drawings = [drawing for picture in pictures for drawing in _lines(picture, width)]
    return _stack(drawings, f"{len(pictures)} sentences")


def _lines(picture: Picture, width: float | None) -> "list[Drawing]":
    """The lines of a picture. A line that is too wide with all that leaves it is made shorter."""
    whole = Drawing(picture)
    lines = [whole]
    if width is None or whole.width <= width:
        return lines
    for share in LINE_SHARES:
        ends = choose_line_ends(picture, whole.middles, share * (width - 2 * MARGIN))
        lines = [Drawing(line) for line in fold(picture, ends)]
        if max(drawing.width for drawing in lines) <= width:
            break
    return lines


def _stack(drawings: "Sequence[Drawing]", title: str, styled: bool = True) -> str:
    width = max((drawing.width for drawing in drawings), default=2 * MARGIN)
    height = sum(drawing.height for drawing in drawings) or 2 * MARGIN
    elements: list[str] = []
    y = 0.0
    for drawing in drawings:
        elements += move(drawing.elements(), width - drawing.width if drawing.picture.reversed else 0.0, y)
        y += drawing.height
    return svg_document(width, height, title, elements, name=NAME, style=STYLE if styled else "")


class Drawing:
    """A picture with coordinates."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        widths = [
            max(text_width(word.form, WORD) * (BOLD if word.is_marked else 1.0), text_width(word.tag, TAG))
            for word in picture.words
        ]
        sides = [[_make_arc(link) for link in side] for side in (picture.above, picture.below)]
        tokens = [Arc(first, last, text_width(form, TAG)) for first, last, form in picture.tokens if first < last]
        self._layout = lay_out_arcs(widths, sides, tokens)
        self.middles = self._layout.words
        above, below = (max((placed.level for placed in side), default=0) for side in self._layout.sides)
        self._text = MARGIN + _reach(above)  # the upper edge of the words
        self._below = self._text + WORDS + TOKENS * bool(picture.tokens)
        self._below += TAGS * any(word.tag for word in picture.words)
        self.height = self._below + _reach(below) + LEGEND * bool(picture.legend) + MARGIN
        self.width = 2 * MARGIN + max(self._layout.width, text_width(picture.legend, TAG))

    def elements(self) -> Iterator[str]:
        """Yield the arcs, and the text below them."""
        above, below = self._layout.sides
        sides = ((above, self.picture.above, self._text, -1.0), (below, self.picture.below, self._below, 1.0))
        for arcs, links, edge, up in sides:
            for placed, link in zip(arcs, links, strict=True):
                yield from self._arc(placed, link, edge, up)
        for k, (word, x) in enumerate(zip(self.picture.words, self.middles, strict=True), start=1):
            if not self._is_edge(k):
                kind = "word matched" if word.is_marked else "word"
                yield self._write(word.form, x, self._text + WORD + 1, WORD, title=word.tooltip, class_=kind)
            if word.tag:
                yield self._write(word.tag, x, self._text + WORDS + TAG, TAG, class_="tag")
        for first, last, form in self.picture.tokens:
            yield from self._token(first, last, form)
        if self.picture.legend:
            x, kind = (self.width - MARGIN, "legend reversed") if self.picture.reversed else (MARGIN, "legend")
            yield element("text", self.picture.legend, class_=kind, x=x, y=self.height - MARGIN)

    def _x(self, x: float) -> float:
        """A coordinate on the paper, where the first word may be on the right."""
        return self.width - MARGIN - x if self.picture.reversed else MARGIN + x

    def _write(self, text: str, x: float, y: float, size: float, title: str | None = None, **others: str) -> str:
        if not has_known_width(text):
            others |= {"textLength": number(text_width(text, size)), "lengthAdjust": "spacingAndGlyphs"}
        if is_right_to_left(text):
            others["direction"] = "rtl"
        return element("text", text, title, x=self._x(x), y=y, **others)

    def _token(self, first: int, last: int, form: str) -> Iterator[str]:
        """A bracket below the words of a multiword token, and its form."""
        begin, end = self._layout.span(first, last)
        left, right = sorted((self._x(begin), self._x(end)))
        y = self._below - TOKENS
        yield element("path", class_="token", d=f"M{number(left)} {number(y + 3)}v4H{number(right)}v-4")
        yield self._write(form, (begin + end) / 2, y + 8 + TAG, TAG, class_="tag")

    def _arc(self, placed: PlacedArc, link: Link, edge: float, up: float) -> Iterator[str]:
        """An arc with its label and the tip at its dependent; `up` is -1 above the words and 1 below them."""
        base = edge + up * BASE
        level = edge + up * (FIRST + (placed.level - 1) * STEP)
        tip = self._x(placed.x_of(link.dependent))
        tooltip = link.tooltip_among(self.picture.words)
        yield f'<g class="arc {link.kind}"><title>{escape_xml(tooltip)}</title>'
        yield element("path", d=self._line(placed, base, level, up))
        if not self._is_edge(link.dependent):
            wide, high = ARROW
            corners = f"M{number(tip)} {number(base)}l{number(-wide)} {number(up * high)}h{number(2 * wide)}z"
            yield element("path", class_="tip", d=corners)
        if link.text:
            yield self._write(link.text, placed.label, level + LABEL / 3, LABEL)
        yield "</g>"

    def _line(self, placed: PlacedArc, base: float, level: float, up: float) -> str:
        """The line of an arc, from left to right, with gaps for its label and where others cross it."""
        left, right = sorted((self._x(placed.left), self._x(placed.right)))
        if left == right:
            return f"M{number(left)} {number(base)}V{number(level - up * (LABEL / 2 + BREAK))}"
        half = placed.arc.width / 2 + ASIDE / 2
        gaps = [(self._x(placed.label) - half, self._x(placed.label) + half)] if placed.arc.width else []
        gaps += [(self._x(x) - BREAK, self._x(x) + BREAK) for x in placed.crossed]
        turn = number(level - up * CORNER)
        ends = self._is_edge(placed.arc.first), self._is_edge(placed.arc.last)
        comes_in, goes_out = ends[::-1] if self.picture.reversed else ends  # over the edges of the paper
        at = 0.0 if comes_in else left + CORNER
        line = f"M{number(at)} {number(level)}"
        if not comes_in:
            line = f"M{number(left)} {number(base)}V{turn}Q{number(left)} {number(level)} {number(at)} {number(level)}"
        for begin, end in sorted(gaps):
            if begin - at >= SHORT:
                line += f"H{number(begin)}"
            at = max(at, end)
            line += f"M{number(at)} {number(level)}"
        if goes_out:
            return f"{line}H{number(self.width)}"
        return f"{line}H{number(right - CORNER)}Q{number(right)} {number(level)} {number(right)} {turn}V{number(base)}"

    def _is_edge(self, word: int) -> bool:
        begin, end = self.picture.edges
        return (begin and word == 1) or (end and word == len(self.picture.words))


def _make_arc(link: Link) -> Arc:
    width = text_width(link.text, LABEL) * (1.0 if link.kind == PLAIN else BOLD)
    return Arc(link.head, link.dependent, width)


def _reach(levels: int) -> float:
    """How far from the words arcs reach."""
    return FIRST + (levels - 1) * STEP + LABEL if levels else 0.0


def html_page(sentences: Iterable[Drawable], title: str = "Dependency trees", *, width: float | None = None) -> str:
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
        f"<title>{escape_xml(title)}</title>\n"
        f"<style>\n{read_style('page')}\n{STYLE}\n</style>\n</head>\n"
        f"<body>\n<h1>{escape_xml(title)}</h1>\n"
    )


HTML_END = "</body>\n</html>\n"


def html_section(each: Drawable, number: int, width: float | None = None) -> str:
    """Return a sentence on a page, with its sent_id, or else its number, and notes that the parser made about it."""
    drawn, parsed = each if isinstance(each, tuple) else (each, None)
    picture = Picture.of(drawn, parsed)
    sentence = drawn.sentence if isinstance(drawn, MarkedSentence) else drawn
    notes = [sentence.sent_id or str(number), *sentence_notes(parsed or sentence)]
    names = "".join(f"<small><bdi>{escape_xml(note)}</bdi></small>" for note in notes)
    direction = "rtl" if picture.reversed else "ltr"  # of the sentence, whatever its name begins with
    return (
        f'<section>\n<h2 dir="{direction}">{names}{escape_xml(picture.title)}</h2>\n'
        f"{scroll(picture_svg(picture, width, styled=False), picture.reversed)}</section>\n"
    )


def sentence_notes(sentence: Sentence) -> Iterator[str]:
    """Yield the rank and score of a tree, if it is one of several."""
    rank = find_comment(sentence.comments, "nbest")
    if rank is not None:
        yield f"tree {rank}, score {find_comment(sentence.comments, 'score') or '?'}"


def scroll(svg: str, is_reversed: bool = False) -> str:
    """Return a picture as a part of a page that can be scrolled if the picture is wider."""
    direction = ' dir="rtl"' if is_reversed else ""
    return f'<div class="picture" style="overflow-x: auto" {SCROLLED}{direction}>\n{svg}</div>\n'
