"""What a picture of a sentence shows, whatever it is drawn with: words, arcs above them, and what differs below them.

A picture of one tree has arcs above the words only. A picture of two trees has the gold tree above, and below it the
arcs of the parsed tree that are wrong. So it can be read without colours; marks say the same once more.

A long picture is in several lines, for paper and for narrow pages. An arc between two lines leaves the first one at its
end, and comes into the other one at its beginning. Both parts have the label of the arc and its other word, so that
nobody has to follow a line across the page.
"""

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from dodona.data import Sentence
from dodona.drawing.letters import shorten
from dodona.errors import FormatError, MismatchError
from dodona.tables import make_printable

__all__ = [
    "MATCHED", "MISSED", "OTHER_HEAD", "OTHER_LABEL", "PLAIN", "UNKNOWN", "Link", "MarkedSentence", "Picture", "Word",
    "choose_line_ends", "count_wrong", "differs", "fold", "is_reversed",
]  # fmt: skip

PLAIN, UNKNOWN, MISSED, OTHER_HEAD, OTHER_LABEL = "plain", "unknown", "missed", "other-head", "other-label"
MATCHED = "matched"
MARKS = {OTHER_HEAD: "✗", OTHER_LABEL: "≠"}
MAX_WORDS = 2_000  # in a picture: there may be as many crossings of arcs as pairs of words, and each is drawn
MAX_LETTERS = 12  # of the other word of an arc between two lines
LEAST_FILLED = 0.6  # of a line, before a better place to end it is looked for
NEVER = float("inf")
LEGEND = "above: gold; below: parsed, ✗ with another head, ≠ with another relation"


@dataclass(frozen=True)
class Word:
    """A word, and the tag below it."""

    form: str
    tag: str
    tooltip: str
    is_marked: bool = False


EDGE = Word("", "", "")  # where arcs leave a line


@dataclass(frozen=True)
class Link:
    """An arc. Head 0 is ROOT, and also stands for a head that is not known."""

    head: int
    dependent: int
    label: str
    kind: str = PLAIN
    tooltip: str = ""  # if not its words and its label

    def tooltip_among(self, words: "Sequence[Word]") -> str:
        head = words[self.head - 1].form if self.head else "ROOT"
        return self.tooltip or f"{head} → {words[self.dependent - 1].form}: {self.label}"

    @property
    def text(self) -> str:
        """The label, with the mark of the kind of arc, so that it can be told without colours."""
        return f"{MARKS[self.kind]} {self.label}" if self.kind in MARKS else self.label


@dataclass(frozen=True)
class MarkedSentence:
    """A sentence some of whose words have names, and some of whose arcs stand out: what a search has found in it."""

    sentence: Sentence
    words: Mapping[int, str]
    arcs: Collection[int]  # by their dependents


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
    def of(cls, drawn: Sentence | MarkedSentence, parsed: Sentence | None = None) -> "Picture":
        """The picture of a tree, or with `parsed` of what is wrong in another tree of the same words."""
        marked = drawn if isinstance(drawn, MarkedSentence) else MarkedSentence(drawn, {}, ())
        sentence = marked.sentence
        if len(sentence) > MAX_WORDS:
            location = f"{sentence.file}:{sentence.line}: " if sentence.file else ""
            shown = f"a sentence of {len(sentence):,} words; expected at most {MAX_WORDS:,} in a picture"
            raise FormatError(f"{location}{shown}")
        above = [replace(each, kind=MATCHED) if each.dependent in marked.arcs else each for each in _links(sentence)]
        below: list[Link] = []
        if parsed is not None:
            if sentence.words != parsed.words:
                raise MismatchError("two trees of different words; expected two of the same sentence")
            below = [link for link in map(_mark_wrong, above, _links(parsed)) if link is not None]
            wrong = {link.dependent for link in below}
            above = [replace(link, kind=MISSED) if link.dependent in wrong else link for link in above]
        return cls(
            make_printable(sentence.text or " ".join(sentence.surface())),
            [_word(sentence, k, marked.words.get(k + 1)) for k in range(len(sentence))],
            above,
            below,
            [(first, last, make_printable(form)) for first, last, form in sentence.multiword],
            is_reversed(sentence.words),
            LEGEND if parsed is not None else "",
        )

    def _repr_svg_(self) -> str:
        from dodona.drawing.dependencies import picture_svg

        return picture_svg(self)

    def _repr_html_(self) -> str:
        from dodona.drawing.dependencies import scroll

        return scroll(self._repr_svg_(), self.reversed)


def count_wrong(gold: Sentence, parsed: Sentence) -> int:
    """Return how many arcs of a parsed tree are wrong; where gold has no arc, none is."""
    if gold.heads == parsed.heads and gold.labels == parsed.labels:
        return 0
    return sum(link is not None for link in map(_mark_wrong, _links(gold), _links(parsed)))


def differs(gold: Sentence, parsed: Sentence) -> bool:
    """Return whether any arc of a parsed tree is wrong."""
    return count_wrong(gold, parsed) > 0


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
        Link(0, d, "?", UNKNOWN) if head is None else Link(head, d, _show(label))
        for d, (head, label) in enumerate(pairs, start=1)
    ]


def _mark_wrong(gold: Link, parsed: Link) -> Link | None:
    """The parsed arc, marked, if it is not the gold one. Where gold has no arc, none is wrong."""
    if gold == parsed or gold.kind == UNKNOWN:
        return None
    return replace(parsed, kind=OTHER_HEAD if gold.head != parsed.head or parsed.kind == UNKNOWN else OTHER_LABEL)


def _word(sentence: Sentence, k: int, name: str | None) -> Word:
    columns = (sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, sentence.misc)
    tooltip = "  ".join([str(k + 1), *(value for column in columns if (value := column[k]) != "_")])
    tag = _show(sentence.upos[k])
    if name is not None:  # so that it can be told without colours
        tag = f"{name} · {tag}" if tag else name
    return Word(make_printable(sentence.words[k]), tag, make_printable(tooltip), name is not None)


def _show(value: str) -> str:
    """Return a value of a column as a picture has it; `_` stands for none."""
    return "" if value == "_" else make_printable(value)


def fold(picture: Picture, ends: Sequence[int]) -> list[Picture]:
    """Return a picture for each line; `ends` are the numbers of the last words of all lines."""
    begins = [1, *(end + 1 for end in ends[:-1])]
    if len(begins) == 1:
        return [picture]
    lines = [_cut_line(picture, first, last) for first, last in zip(begins, ends, strict=True)]
    return [*(replace(line, legend="") for line in lines[:-1]), lines[-1]]


def choose_line_ends(picture: Picture, middles: Sequence[float], width: float) -> list[int]:
    """Return the last word of each line of about this width, for words in these places: where few arcs are cut."""
    cut = _count_cut_arcs(picture)
    ends = []
    first, count = 1, len(middles)
    while first <= count:
        begin = middles[first - 1]
        last = first
        while last < count and middles[last] - begin <= width:
            last += 1
        if last < count:
            fitting = [k for k in range(first, last + 1) if cut[k] < NEVER] or [last]
            enough = [k for k in fitting if middles[k - 1] - begin >= LEAST_FILLED * width] or fitting[-1:]
            last = min(enough, key=lambda k: (cut[k], -k))
        ends.append(last)
        first = last + 1
    return ends


def _count_cut_arcs(picture: Picture) -> list[float]:
    """How many arcs a line that ends after each word would cut; it ends inside of no token."""
    counts = [0.0] * (len(picture.words) + 1)
    for link in (*picture.above, *picture.below):
        if link.head:
            for k in range(min(link.head, link.dependent), max(link.head, link.dependent)):
                counts[k] += 1
    for first, last, _ in picture.tokens:
        counts[first:last] = [NEVER] * (last - first)
    return counts


def _cut_line(picture: Picture, first: int, last: int) -> Picture:
    """The words of a line, with an edge on each side that arcs go over."""
    sides = [
        [link for link in side if first <= link.dependent <= last or first <= link.head <= last]
        for side in (picture.above, picture.below)
    ]
    ends = [k for side in sides for link in side for k in (link.head, link.dependent) if k]
    begin, end = any(k < first for k in ends), any(k > last for k in ends)
    words = [*([EDGE] * begin), *picture.words[first - 1 : last], *([EDGE] * end)]
    offset = begin + 1 - first
    above, below = ([_move(link, picture, first, last, offset) for link in side] for side in sides)
    tokens = [(a + offset, b + offset, form) for a, b, form in picture.tokens if first <= a and b <= last]
    return replace(picture, words=words, above=above, below=below, tokens=tokens, edges=(begin, end))


def _move(link: Link, picture: Picture, first: int, last: int, offset: int) -> Link:
    """A link with the numbers of words in its line, and of an edge for a word outside of it."""
    ends = (link.head, link.dependent)
    head, dependent = (k and min(max(k, first - 1), last + 1) + offset for k in ends)
    outside = [k for k in ends if k and not first <= k <= last]
    if not outside:
        return replace(link, head=head, dependent=dependent)
    label = f"{link.label} … {shorten(picture.words[outside[0] - 1].form, MAX_LETTERS)}"
    return Link(head, dependent, label.strip(), link.kind, tooltip=link.tooltip_among(picture.words))
