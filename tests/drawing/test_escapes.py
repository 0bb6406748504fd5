"""Every sign that means something to XML, LaTeX or Graphviz, in every place where a picture has text from outside."""

import html
import re
import string
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from dodona import Sentence
from dodona.drawing.dependencies import html_of_several, html_page, picture_svg
from dodona.drawing.graph import Graph, GraphEdge, GraphNode, GraphPath, graph_dot, graph_svg
from dodona.drawing.picture import Link, Picture, Word
from dodona.drawing.svg import element
from dodona.drawing.tikz import picture_tikz
from dodona.tables import Cell, Table, escape_latex, escape_xml

SIGNS = string.punctuation
BY_NAME = {"\\": "textbackslash", "~": "textasciitilde", "^": "textasciicircum", "<": "textless", ">": "textgreater"}
BY_NAME |= {"|": "textbar", "`": "textasciigrave"}
PLACES = ("title", "word", "marked word", "tag", "tooltip", "label", "token", "legend")


def picture(place: str, text: str) -> Picture:
    """A picture with this text in one place."""
    given = dict.fromkeys(PLACES, "x") | {place: text}
    words = [Word(given["word"], given["tag"], given["tooltip"]), Word(given["marked word"], "X", "2", True)]
    links = [Link(0, 1, given["label"]), Link(1, 2, "y")]
    return Picture(given["title"], words, links, [], [(1, 2, given["token"])], False, given["legend"])


@pytest.mark.parametrize("place", PLACES)
def test_a_picture_says_what_it_was_told(place: str) -> None:
    for sign in SIGNS:
        told = f"a{sign}b"
        root = ElementTree.fromstring(picture_svg(picture(place, told)))
        texts = [text for text in root.itertext() if told in text]
        assert texts, sign
        written = picture_tikz(picture(place, told)).split("\n")
        if place in ("word", "marked word", "tag", "label"):
            assert any(f"a{escape_latex(sign)}b" in line for line in written), sign


@pytest.mark.parametrize("sign", SIGNS)
def test_signs_of_latex(sign: str) -> None:
    """A sign is written plainly where it means nothing, after a backslash, in braces, by its name or by its number."""
    written = escape_latex(sign)
    if sign in BY_NAME:
        assert written == rf"\{BY_NAME[sign]}{{}}"
    elif sign in "&\"'":  # `\&` separates words in tikz-dependency, and quotes become others
        assert written == rf"\symbol{{{ord(sign)}}}"
    elif sign in "{}$%#_":
        assert written == f"\\{sign}"
    else:
        assert written in (sign, f"{{{sign}}}")
        assert (written != sign) == (sign in "-,?![]*")


def test_signs_of_xml() -> None:
    text = "".join(map(chr, range(32, 127)))
    written = escape_xml(text)
    assert html.unescape(written) == text
    assert ElementTree.fromstring(f'<a b="{written}">{written}</a>').attrib == {"b": text}
    assert ElementTree.fromstring(element("a", text, text, b=text)).attrib == {"b": text}
    assert [child.text for child in ElementTree.fromstring(element("a", text, text))] == [text]


class Collected(HTMLParser):
    """The text of a page, and its elements."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.elements: list[str] = []

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.elements.append(tag)


def collect(page: str) -> Collected:
    found = Collected()
    found.feed(page)
    return found


def test_pages_say_what_they_were_told() -> None:
    """Title, name of a sentence, its text, notes of a parser, what is no tree, and tables."""
    told = "<i>&amp;\"'"
    tree = Sentence.from_words([told, "b"], heads=[0, 1], labels=["root", "x"])
    tree.set_comments([f"# sent_id = {told}", f"# nbest = {told}", f"# score = {told}"])
    broken = Sentence.from_words([told, "b"], heads=[2, 1], labels=["x", "y"])
    plain = Sentence.from_words(["a", "b"], heads=[0, 1], labels=["root", "x"])
    found, usual = collect(html_page([tree], told)), collect(html_page([plain]))
    assert found.elements == usual.elements[:3] + found.elements[3:]
    assert "i" not in found.elements
    assert found.text.count(told) >= 2 + 1 + 2 + 2  # the page twice, its name, its note, its words
    several = collect(html_of_several([broken]))
    assert "i" not in several.elements
    assert f"{told} b" in several.text
    table = collect(Table((told, "b"), [(told, 1), (Cell(told, style="strong"), 2)], told).html())
    assert "i" not in table.elements
    assert table.text.count(told) == 4


@pytest.mark.parametrize("place", ["title", "node", "tooltip", "edge", "legend"])
def test_graphs_say_what_they_were_told(place: str) -> None:
    for sign in SIGNS:
        told = f"a{sign}b"
        given = dict.fromkeys(("title", "node", "tooltip", "edge", "legend"), "x") | {place: told}
        nodes = [GraphNode(0, given["node"], given["tooltip"]), GraphNode(1, "z", "z")]
        graph = Graph(given["title"], nodes, [GraphEdge(0, 1, given["edge"], (0,))], [GraphPath("p", given["legend"])])
        root = ElementTree.fromstring(graph_svg(graph))
        assert any(told in text for text in root.itertext()), sign
        strings = re.findall(r'"((?:[^"\\]|\\.)*)"', graph_dot(graph))
        if place != "legend":
            assert any(told in re.sub(r"\\(.)", r"\1", each) for each in strings), sign
