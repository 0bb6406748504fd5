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
from dataclasses import dataclass
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


@dataclass(frozen=True)
class RaisedArc:
    """An arc on its level, before the words have places. The two legs of an arc of ROOT are the same."""

    arc: Arc
    level: int
    left: Leg
    right: Leg
    crossing: list[Leg]  # of higher arcs, that go through its level, from left to right


Constraint = tuple[Leg, Leg, float]
"""Two legs, and how far apart they must be at least."""


def lay_out_arcs(widths: Sequence[float], sides: Sequence[Sequence[Arc]], spans: Sequence[Arc] = ()) -> ArcLayout:
    """Return places for words of these widths and for the arcs of each side.

    `spans` are pieces of text below several words, from `head` to `dependent`, which must not be wider than the words.
    """
    raised = [_raise(len(widths), arcs) for arcs in sides]
    every = [arc for side in raised for arc in side]
    room = list(widths)  # what each word needs, also for its legs and for the label of ROOT, which is above its leg
    for arc in every:
        label = 0.0 if arc.arc.head else arc.arc.width + 2 * ASIDE
        for leg in (arc.left, arc.right):
            room[leg.word - 1] = max(room[leg.word - 1], label + 2 * abs(leg.offset))
    distances = ((arc, arc.arc.width + 2 * (CORNER + ASIDE)) for arc in every if arc.arc.head)
    constraints = [(arc.left, arc.right, distance) for arc, distance in distances]
    for span in spans:
        ends = -room[span.first - 1] / 2, room[span.last - 1] / 2
        constraints.append((Leg(span.first, ends[0], 0), Leg(span.last, ends[1], 0), span.width))
    middles = _place_words(room, constraints)
    while tight := [constraint for arc in every if (constraint := _widen(arc, middles))]:
        constraints += tight  # what moves apart may come nearer to others; an arc is in here once at most
        middles = _place_words(room, constraints)
    return ArcLayout(middles, room, [[_place(arc, middles) for arc in side] for side in raised])


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


def _raise(count: int, arcs: Sequence[Arc]) -> list[RaisedArc]:
    """Give the arcs of one side of the words their levels and legs."""
    levels = arc_levels(count, arcs)
    at_word: list[list[int]] = [[] for _ in range(count)]  # the arcs that touch each word
    for i, arc in enumerate(arcs):
        for word in {arc.first, arc.last}:
            at_word[word - 1].append(i)
    legs: list[dict[int, Leg]] = [{} for _ in arcs]  # of each arc, by word
    of_word = []
    for word, touching in enumerate(at_word, start=1):
        touching.sort(key=lambda i, word=word: _order(arcs[i], levels[i], word))  # type: ignore[misc]
        for place, i in enumerate(touching):
            legs[i][word] = Leg(word, (place - (len(touching) - 1) / 2) * LEG, levels[i])
        of_word.append([legs[i][word] for i in touching])
    tallest = [max((leg.level for leg in at), default=0) for at in of_word]
    raised = []
    for arc, level, ends in zip(arcs, levels, legs, strict=True):
        inside = slice(arc.first, arc.last - 1)  # the words between the two, which are counted from 1
        crossed = max(tallest[inside], default=0) > level
        crossing = [leg for at in of_word[inside] for leg in at if leg.level > level] if crossed else []
        raised.append(RaisedArc(arc, level, ends[arc.first], ends[arc.last], crossing))
    return raised


def _order(arc: Arc, level: int, word: int) -> tuple[int, int]:
    if not arc.head:
        return 1, 0
    return (0, level) if word == arc.last else (2, -level)


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


def _x(leg: Leg, middles: Sequence[float]) -> float:
    return middles[leg.word - 1] + leg.offset


def _stretches(arc: RaisedArc, middles: Sequence[float]) -> list[tuple[float, Leg, Leg, float]]:
    """The stretches of an arc between lines that cross it: the room in each, its ends, and where the room begins."""
    stretches = []
    for one, other in pairwise([arc.left, *arc.crossing, arc.right]):
        begin = _x(one, middles) + ASIDE + (CORNER if one is arc.left else 0.0)
        end = _x(other, middles) - ASIDE - (CORNER if other is arc.right else 0.0)
        stretches.append((end - begin, one, other, begin))
    return stretches


def _widen(arc: RaisedArc, middles: Sequence[float]) -> Constraint | None:
    """Return what must hold so that the label of an arc has a place; None if it has one already."""
    if not arc.arc.head:
        return None
    stretches = _stretches(arc, middles)
    wanted = arc.arc.width
    if any(room >= wanted - ROUNDING for room, *_ in stretches):
        return None
    room, one, other, _ = max((each for each in stretches if each[1].word != each[2].word), key=lambda each: each[0])
    return one, other, _x(other, middles) - _x(one, middles) + wanted - room


def _place(raised: RaisedArc, middles: Sequence[float]) -> PlacedArc:
    """Return the arc with its label as near to the middle as possible."""
    arc, left, right = raised.arc, _x(raised.left, middles), _x(raised.right, middles)
    label = middle = (left + right) / 2
    if arc.head:
        half = arc.width / 2
        places = [
            min(max(middle, begin + half), begin + room - half)
            for room, _, _, begin in _stretches(raised, middles)
            if room >= arc.width - ROUNDING
        ]
        label = min(places, key=lambda x: abs(x - middle))
    return PlacedArc(arc, raised.level, left, right, label, tuple(_x(leg, middles) for leg in raised.crossing))
