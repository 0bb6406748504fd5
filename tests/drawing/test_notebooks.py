"""What notebooks show of sentences, configurations, derivations, lattices, scores and pipelines."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from samples.pictures import SVG, faults
from samples.treebank import treebank

import dodona
from dodona import Sentence
from dodona.evaluation import compare, evaluate
from dodona.evaluation.attachment import label_confusion
from dodona.research.derivation import derive
from dodona.research.lattice import Derivations

NASTY = '<b>&"x"'
VOID = ("br", "meta", "rect", "path")


class Balanced(HTMLParser):
    """Collects the text of cells, and fails where tags do not match."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.cells[-1] += data


def cells(html: str | None) -> list[str]:
    assert html is not None
    reader = Balanced()
    reader.feed(html)
    assert reader.open == []
    return reader.cells


def picture(html: str | None) -> str:
    assert html is not None
    (found,) = re.findall(r"<svg .*</svg>", html, re.S)
    return str(found)


def arcs(svg: str) -> Iterator[str]:
    return (group[0].text or "" for group in ElementTree.fromstring(svg).iter(f"{SVG}g"))


def test_a_sentence() -> None:
    (sentence,) = treebank(1)
    assert sentence._repr_svg_() == dodona.drawing.svg_of(sentence)
    assert sentence._repr_html_() == dodona.drawing.html_of(sentence)
    assert cells(sentence._repr_html_()) == []
    no_tree = Sentence.from_words(["a", "b"], heads=[2, 1])
    assert no_tree._repr_svg_() is None
    assert no_tree._repr_html_() is None
    assert list(arcs(Sentence.from_words(["a", "b"])._repr_svg_() or "")) == []


def test_a_configuration() -> None:
    system = dodona.system("arc-eager", ["nsubj"])
    c = system.initial(words=["she", NASTY, "x"])
    system.apply(c, "SHIFT")
    system.apply(c, "LEFT:nsubj")
    assert cells(c._repr_html_()) == ["stack", "–", "buffer", f"{NASTY} x ROOT"]
    assert picture(c._repr_html_()) == c._repr_svg_().rstrip()
    assert list(arcs(c._repr_svg_())) == [f"{NASTY} → she: nsubj"]
    tags = [text for text in ElementTree.fromstring(c._repr_svg_()).iter(f"{SVG}text") if text.get("class") == "tag"]
    assert [tag.text for tag in tags] == ["buffer", "buffer"]
    assert faults(c._repr_svg_()) == []
    assert "1" in system.initial(2)._repr_html_()
    assert system.initial(0)._repr_svg_().startswith("<svg")


def test_a_derivation() -> None:
    derivation = derive(dodona.system("arc-eager"), [2, 0], words=["a", NASTY], history=["SHIFT", "SHIFT"])
    found = cells(derivation._repr_html_())
    assert found[:6] == ["", "stack", "buffer", "legal, with cost", "taken", "new arc"]
    assert found[6:12] == ["1", "", f"a {NASTY} ROOT", "SHIFT=0", "SHIFT", ""]
    assert found[16] == "✗ SHIFT"


def test_a_lattice(monkeypatch: pytest.MonkeyPatch) -> None:
    lattice = Derivations(dodona.system("swap-standard"), [2, 0, 2]).lattice()
    svg = lattice._repr_svg_()
    assert svg is not None
    assert "2 derivations of 6 transitions; 9 configurations with 9 transitions" in svg
    assert picture(lattice._repr_html_()) == svg.rstrip()
    monkeypatch.setattr("dodona.research.lattice.MAX_DRAWN", 8)
    assert lattice._repr_html_() is None


def test_scores() -> None:
    gold = treebank(4)
    parsed = [sentence.copy() for sentence in gold]
    heads, labels = gold[0].gold_heads(), list(gold[0].labels)
    labels[0] = NASTY
    parsed[0].set_tree(heads, labels)
    found = cells(evaluate(gold, parsed)._repr_html_())
    assert found[:7] == ["", "gold", "system", "correct", "precision", "recall", "F1"]
    words = sum(map(len, gold))
    at = found.index("LAS")
    share = f"{100 * (words - 1) / words:.2f}"
    assert found[at : at + 7] == ["LAS", str(words), str(words), str(words - 1), share, share, share]
    comparison = compare(gold, parsed)
    assert ["LAS", share] == cells(comparison._repr_html_())[6:8]
    assert [labels[1] == "", "gold", "system"] == [False, *cells(label_confusion(comparison)._repr_html_())[:2]]
    assert cells(label_confusion(comparison)._repr_html_())[4:7] == [gold[0].labels[0], NASTY, "1"]


@pytest.mark.parametrize("model", ["en-fast", "en"])
def test_a_pipeline(model: str) -> None:
    found = cells(dodona.load(model)._repr_html_())
    rows = dict(zip(found[::2], found[1::2], strict=True))
    assert rows["components"] == "tokenizer, tagger, lemmatizer, parser"
    assert rows["licence"] == "CC BY-SA 4.0"
