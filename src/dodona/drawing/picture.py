"""What a picture of a sentence shows, whatever it is drawn with: words, arcs above them, and what differs below them.

A picture of one tree has arcs above the words only. A picture of two trees has the gold tree above, and below it the
arcs of the parsed tree that are wrong. So it can be read without colours; marks say the same once more.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from dodona.data import Sentence
from dodona.drawing.letters import shown
from dodona.errors import MismatchError

__all__ = [
    "MISSED", "OTHER_HEAD", "OTHER_LABEL", "PLAIN", "UNKNOWN", "Link", "Picture", "Word", "differs", "is_reversed",
]  # fmt: skip

PLAIN, UNKNOWN, MISSED, OTHER_HEAD, OTHER_LABEL = "plain", "unknown", "missed", "other-head", "other-label"
MARKS = {OTHER_HEAD: "✗", OTHER_LABEL: "≠"}
LEGEND = "above: gold; below: parsed, ✗ with another head, ≠ with another relation"


@dataclass(frozen=True)
class Word:
    """A word, the tag below it, and what is told to a reader who points at it."""

    form: str
    tag: str
    told: str


@dataclass(frozen=True)
class Link:
    """An arc. Head 0 is ROOT, and also stands for a head that is not known."""

    head: int
    dependent: int
    label: str
    kind: str = PLAIN
    told: str = ""  # to a reader who points at it; else its words and its label

    def told_of(self, words: "Sequence[Word]") -> str:
        """What is told about the arc."""
        forms = ["ROOT", *(word.form for word in words)]
        return self.told or f"{forms[self.head]} → {forms[self.dependent]}: {self.label}"

    @property
    def text(self) -> str:
        """The label, with the mark of the kind of arc, so that it can be told without colours."""
        return f"{MARKS[self.kind]} {self.label}" if self.kind in MARKS else self.label


@dataclass(frozen=True)
class Picture:
    """All that a picture shows. A notebook draws it."""

    title: str
    words: list[Word]
    above: list[Link]
    below: list[Link]
    tokens: list[tuple[int, int, str]]  # multiword: first word, last word, form
    reversed: bool  # from right to left
    legend: str = ""
    edges: tuple[bool, bool] = (False, False)  # whether the first and the last word stand for the edges of a line

    @classmethod
    def of(cls, sentence: Sentence, parsed: Sentence | None = None) -> "Picture":
        """The picture of a tree, or with `parsed` of what is wrong in another tree of the same words."""
        above = _links(sentence)
        below: list[Link] = []
        if parsed is not None:
            if sentence.words != parsed.words:
                raise MismatchError("two trees of different words; expected two of the same sentence")
            below = [link for link in map(_wrong, above, _links(parsed)) if link is not None]
            wrong = {link.dependent for link in below}
            above = [
                Link(link.head, link.dependent, link.label, MISSED) if link.dependent in wrong else link
                for link in above
            ]
        return cls(
            shown(sentence.text or " ".join(sentence.surface())),
            [_word(sentence, k) for k in range(len(sentence))],
            above,
            below,
            [(first, last, shown(form)) for first, last, form in sentence.multiword],
            is_reversed(sentence.words),
            LEGEND if parsed is not None else "",
        )

    def _repr_svg_(self) -> str:
        from dodona.drawing.dependencies import picture_svg

        return picture_svg(self)

    def _repr_html_(self) -> str:
        from dodona.drawing.page import html_scrolled

        return html_scrolled(self._repr_svg_(), self.reversed)


def differs(gold: Sentence, parsed: Sentence) -> bool:
    """Return whether any arc of a parsed tree is wrong; where gold has no arc, none is."""
    if gold.heads == parsed.heads and gold.labels == parsed.labels:
        return False
    return any(link is not None for link in map(_wrong, _links(gold), _links(parsed)))


def is_reversed(words: Sequence[str]) -> bool:
    """Return whether a sentence is written from right to left: whether most of its letters are."""
    directions = [unicodedata.bidirectional(letter) for word in words if not word.isascii() for letter in word]
    if not directions:
        return False
    right_to_left = sum(direction in ("R", "AL") for direction in directions)
    left_to_right = directions.count("L") + sum(len(word) for word in words if word.isascii() and word.isalpha())
    return right_to_left > left_to_right


def _links(sentence: Sentence) -> list[Link]:
    """The arcs of a sentence; one without any head has no tree at all."""
    if sentence.heads.count(None) == len(sentence):
        return []
    pairs = zip(sentence.known_heads(), sentence.labels, strict=True)
    return [
        Link(0, d, "?", UNKNOWN) if head is None else Link(head, d, _value(label))
        for d, (head, label) in enumerate(pairs, start=1)
    ]


def _wrong(gold: Link, parsed: Link) -> Link | None:
    """The parsed arc, marked, if it is not the gold one. Where gold has no arc, none is wrong."""
    if gold == parsed or gold.kind == UNKNOWN:
        return None
    kind = OTHER_HEAD if gold.head != parsed.head or parsed.kind == UNKNOWN else OTHER_LABEL
    return Link(parsed.head, parsed.dependent, parsed.label, kind)


def _word(sentence: Sentence, k: int) -> Word:
    columns = (sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, sentence.misc)
    told = "  ".join(value for column in columns if (value := column[k]) != "_")
    return Word(shown(sentence.words[k]), _value(sentence.upos[k]), shown(f"{k + 1}  {told}".rstrip()))


def _value(value: str) -> str:
    """A value of a column as it is shown; `_` stands for none."""
    return "" if value == "_" else shown(value)
