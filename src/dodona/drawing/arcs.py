"""Where the arcs of a dependency tree go, for any picture: their levels, where they touch words, and their labels.

     ┌───────── obj ────────┐
     │             ┌─ det ─┐│
    hears          the   leaves

An arc rises from its head, runs along a level and comes down on its dependent. Arcs that share a stretch of the
sentence have different levels, shorter ones below. So two labels are either on different levels or side by side.

At a word every arc has a leg of its own. From left to right these are the legs of arcs to the left, lower ones first,
that of ROOT, and those of arcs to the right, higher ones first. So arcs of one word never cross each other, and arcs
cross only where the tree is not projective: then the leg of the higher one goes through the level of the lower one. A
label has a place where no leg goes through; where there is none, the words move apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

__all__ = ["Arc", "ArcLayout", "PlacedArc", "arc_levels", "lay_out_arcs"]

LEG = 9.0  # between two legs at a word
WORD_GAP = 12.0  # between two words
CORNER = 6.0  # radius
ASIDE = 5.0  # between a label and its line, or a line that crosses
ROUNDING = 1e-6


@dataclass(frozen=True)
class Arc:
    """An arc by the numbers of its words, from 1, and the width of its label. With head 0 it comes straight down."""

    head: int
    dependent: int
    width: float

    @property
    def first(self) -> int:
        return min(self.head, self.dependent) if self.head else self.dependent

    @property
    def last(self) -> int:
        return max(self.head, self.dependent)


@dataclass(frozen=True)
class Leg:
    """Where an arc touches a word: how far from the middle of the word."""

    word: int
    offset: float
    level: int


@dataclass(frozen=True)
class PlacedArc:
    """An arc with its coordinates; `left` and `right` are equal for an arc of ROOT. Others cross it at `crossed`."""

    arc: Arc
    level: int
    left: float
    right: float
    label: float  # the middle of the label
    crossed: tuple[float, ...]

    def x_of(self, word: int) -> float:
        """Where it touches its head or dependent."""
        return self.left if word == self.arc.first else self.right


@dataclass
class ArcLayout:
    """The middle and the width of each word, and the arcs of each side in the order in which they were given."""

    words: list[float]
    widths: list[float]
    sides: list[list[PlacedArc]]

    @property
    def width(self) -> float:
        return self.span(1, len(self.words))[1] if self.words else 0.0

    def span(self, first: int, last: int) -> tuple[float, float]:
        """Return where the first of some words begins, and the last one ends."""
        return self.words[first - 1] - self.widths[first - 1] / 2, self.words[last - 1] + self.widths[last - 1] / 2


@dataclass
class Side:
    """The arcs on one side of the words, above or below."""

    arcs: Sequence[Arc]
    levels: list[int]
    at_word: list[list[int]]  # the arcs that touch each word, from left to right
    legs: list[tuple[Leg, Leg]] = field(default_factory=list)  # the left one and the right one of each arc
    crossing: list[list[Leg]] = field(default_factory=list)  # the legs of others that go through each arc


Constraint = tuple[Leg, Leg, float]
"""Two legs, and how far apart they must be at least."""


def lay_out_arcs(widths: Sequence[float], sides: Sequence[Sequence[Arc]], spans: Sequence[Arc] = ()) -> ArcLayout:
    """Return places for words of these widths and for the arcs of each side.

    `spans` are pieces of text below several words, from `head` to `dependent`, which must not be wider than the words.
    """
    placed = [_make_side(len(widths), arcs) for arcs in sides]
    room = [max(width, *(_width(side, k) for side in placed)) for k, width in enumerate(widths)]
    constraints = [
        (left, right, arc.width + 2 * (CORNER + ASIDE))
        for side in placed
        for arc, (left, right) in zip(side.arcs, side.legs, strict=True)
        if left is not right
    ]
    for span in spans:
        ends = -room[span.first - 1] / 2, room[span.last - 1] / 2
        constraints.append((Leg(span.first, ends[0], 0), Leg(span.last, ends[1], 0), span.width))
    middles = _place_words(room, constraints)
    while tight := [c for side in placed for i in range(len(side.arcs)) if (c := _widen(side, i, middles))]:
        constraints += tight  # what moves apart may come nearer to others; an arc is in here once at most
        middles = _place_words(room, constraints)
    arcs = [[_place(side, i, middles) for i in range(len(side.arcs))] for side in placed]
    return ArcLayout(middles, room, arcs)


def arc_levels(count: int, arcs: Sequence[Arc]) -> list[int]:
    """Return a level for each arc, from 1: above all shorter arcs that it shares a stretch of the sentence with."""
    levels = [0] * len(arcs)
    highest = [0] * (count + 1)  # so far, between each word and the next
    for i in sorted(range(len(arcs)), key=lambda i: (not arcs[i].head, arcs[i].last - arcs[i].first, arcs[i].first)):
        first, last = arcs[i].first, arcs[i].last
        if arcs[i].head:
            levels[i] = 1 + max(highest[first:last])
            highest[first:last] = [levels[i]] * (last - first)
        else:
            levels[i] = 1 + max(highest[first - 1 : first + 1])
    return levels


def _make_side(count: int, arcs: Sequence[Arc]) -> Side:
    side = Side(arcs, arc_levels(count, arcs), [[] for _ in range(count)])
    for i, arc in enumerate(arcs):
        for word in {arc.first, arc.last}:
            side.at_word[word - 1].append(i)
    at_ends: list[dict[int, Leg]] = [{} for _ in arcs]
    of_word = []
    for word, touching in enumerate(side.at_word, start=1):
        touching.sort(key=lambda i, word=word: _order(arcs[i], side.levels[i], word))  # type: ignore[misc]
        for place, i in enumerate(touching):
            at_ends[i][word] = Leg(word, (place - (len(touching) - 1) / 2) * LEG, side.levels[i])
        of_word.append([at_ends[i][word] for i in touching])
    side.legs = [(legs[arc.first], legs[arc.last]) for arc, legs in zip(arcs, at_ends, strict=True)]
    side.crossing = _find_crossing(side, of_word)
    return side


def _order(arc: Arc, level: int, word: int) -> tuple[int, int]:
    if not arc.head:
        return 1, 0
    return (0, level) if word == arc.last else (2, -level)


def _width(side: Side, k: int) -> float:
    """What a word needs for its legs, and for the label of an arc of ROOT, which stands above its leg."""
    legs = (len(side.at_word[k]) - 1) * LEG
    roots = [
        side.arcs[i].width + 2 * ASIDE + 2 * abs(side.legs[i][0].offset)
        for i in side.at_word[k]
        if not side.arcs[i].head
    ]
    return max(legs, *roots, 0.0)


def _place_words(room: Sequence[float], constraints: Sequence[Constraint]) -> list[float]:
    """Return the middle of each word: as far to the left as the words before it and the constraints allow."""
    at_right: list[list[Constraint]] = [[] for _ in room]
    for constraint in constraints:
        at_right[constraint[1].word - 1].append(constraint)
    middles: list[float] = []
    for k, width in enumerate(room):
        middle = middles[-1] + (room[k - 1] + width) / 2 + WORD_GAP if middles else width / 2
        for left, right, distance in at_right[k]:
            if left.word - 1 < k:
                middle = max(middle, middles[left.word - 1] + left.offset + distance - right.offset)
        middles.append(middle)
    return middles


def _find_crossing(side: Side, of_word: Sequence[Sequence[Leg]]) -> list[list[Leg]]:
    """For each arc the legs of higher arcs that go through its level, from left to right."""
    tallest = [max((leg.level for leg in legs), default=0) for legs in of_word]
    crossing = []
    for arc, level in zip(side.arcs, side.levels, strict=True):
        inside = slice(arc.first, arc.last - 1)  # the words between the two, which are counted from 1
        crossed = max(tallest[inside], default=0) > level
        crossing.append([leg for legs in of_word[inside] for leg in legs if leg.level > level] if crossed else [])
    return crossing


def _x(leg: Leg, middles: Sequence[float]) -> float:
    return middles[leg.word - 1] + leg.offset


def _stretches(side: Side, i: int, middles: Sequence[float]) -> list[tuple[float, Leg, Leg, float]]:
    """The stretches of an arc between lines that cross it: the room in each, its ends, and where the room begins."""
    left, right = side.legs[i]
    ends = [left, *side.crossing[i], right]
    stretches = []
    for one, other in pairwise(ends):
        begin = _x(one, middles) + ASIDE + (CORNER if one is left else 0.0)
        end = _x(other, middles) - ASIDE - (CORNER if other is right else 0.0)
        stretches.append((end - begin, one, other, begin))
    return stretches


def _widen(side: Side, i: int, middles: Sequence[float]) -> Constraint | None:
    """Return what must hold so that the label of an arc has a place; None if it has one already."""
    if not side.arcs[i].head:
        return None
    stretches = _stretches(side, i, middles)
    wanted = side.arcs[i].width
    if any(room >= wanted - ROUNDING for room, *_ in stretches):
        return None
    room, one, other, _ = max((each for each in stretches if each[1].word != each[2].word), key=lambda each: each[0])
    return one, other, _x(other, middles) - _x(one, middles) + wanted - room


def _place(side: Side, i: int, middles: Sequence[float]) -> PlacedArc:
    """Return the arc with its label as near to the middle as possible."""
    arc, level = side.arcs[i], side.levels[i]
    left, right = (_x(leg, middles) for leg in side.legs[i])
    crossed = tuple(_x(leg, middles) for leg in side.crossing[i])
    if not arc.head:
        return PlacedArc(arc, level, left, right, left, crossed)
    middle, half = (left + right) / 2, arc.width / 2
    places = [
        min(max(middle, begin + half), begin + room - half)
        for room, _, _, begin in _stretches(side, i, middles)
        if room >= arc.width - ROUNDING
    ]
    return PlacedArc(arc, level, left, right, min(places, key=lambda x: abs(x - middle)), crossed)
