"""A long picture in several lines, for paper and for narrow pages.

An arc between two lines leaves the first one at its end, and comes into the other one at its beginning. Both parts have
the label of the arc and its other word, so that nobody has to follow a line across the page.
"""

from collections.abc import Sequence
from dataclasses import replace

from dodona.drawing.letters import shortened
from dodona.drawing.picture import Link, Picture, Word

__all__ = ["folded", "lines_of"]

LETTERS = 12  # of the other word that are shown
LEAST = 0.6  # of a line that is filled, before a better place to end it is looked for
NEVER = float("inf")
EDGE = Word("", "", "")  # where arcs leave a line


def folded(picture: Picture, ends: Sequence[int]) -> list[Picture]:
    """Return a picture for each line; `ends` are the numbers of the last words of all lines."""
    begins = [1, *(end + 1 for end in ends[:-1])]
    if len(begins) == 1:
        return [picture]
    lines = [_line(picture, first, last) for first, last in zip(begins, ends, strict=True)]
    return [*(replace(line, legend="") for line in lines[:-1]), lines[-1]]


def lines_of(picture: Picture, middles: Sequence[float], width: float) -> list[int]:
    """Return the last word of each line of about this width, for words in these places: where few arcs are cut."""
    cut = _cut_arcs(picture)
    ends = []
    first, count = 1, len(middles)
    while first <= count:
        begin = middles[first - 1]
        last = first
        while last < count and middles[last] - begin <= width:
            last += 1
        if last < count:
            fitting = [k for k in range(first, last + 1) if cut[k] < NEVER] or [last]
            enough = [k for k in fitting if middles[k - 1] - begin >= LEAST * width] or fitting[-1:]
            last = min(enough, key=lambda k: (cut[k], -k))
        ends.append(last)
        first = last + 1
    return ends


def _cut_arcs(picture: Picture) -> list[float]:
    """How many arcs a line that ends after each word would cut; it ends inside of no token."""
    found = [0.0] * (len(picture.words) + 1)
    for link in (*picture.above, *picture.below):
        if link.head:
            for k in range(min(link.head, link.dependent), max(link.head, link.dependent)):
                found[k] += 1
    for first, last, _ in picture.tokens:
        found[first:last] = [NEVER] * (last - first)
    return found


def _line(picture: Picture, first: int, last: int) -> Picture:
    """The words of a line, with an edge on each side that arcs go over."""
    links = (*picture.above, *picture.below)
    begin = any(_leaves(link, first, last) < 0 for link in links)
    end = any(_leaves(link, first, last) > 0 for link in links)
    words = [*([EDGE] * begin), *picture.words[first - 1 : last], *([EDGE] * end)]
    above, below = (
        [_moved(link, picture, first, last, int(begin)) for link in side if _touches(link, first, last)]
        for side in (picture.above, picture.below)
    )
    offset = int(begin) + 1 - first
    tokens = [(a + offset, b + offset, form) for a, b, form in picture.tokens if first <= a and b <= last]
    return replace(picture, words=words, above=above, below=below, tokens=tokens, edges=(begin, end))


def _touches(link: Link, first: int, last: int) -> bool:
    return first <= link.dependent <= last or first <= link.head <= last


def _leaves(link: Link, first: int, last: int) -> int:
    """On which side an arc of a line leaves it: -1 at the beginning, 1 at the end, 0 not at all."""
    if not link.head or not _touches(link, first, last):
        return 0
    return -1 if min(link.head, link.dependent) < first else int(max(link.head, link.dependent) > last)


def _moved(link: Link, picture: Picture, first: int, last: int, before: int) -> Link:
    """A link with the numbers of words in its line."""
    offset = before + 1 - first
    side = _leaves(link, first, last)
    if side == 0:
        return replace(link, head=link.head and link.head + offset, dependent=link.dependent + offset)
    other = link.head if first <= link.dependent <= last else link.dependent
    edge = 1 if side < 0 else last + offset + 1
    head, dependent = (edge if k == other else k + offset for k in (link.head, link.dependent))
    label = f"{link.label} … {shortened(picture.words[other - 1].form, LETTERS)}"
    return Link(head, dependent, label.strip(), link.kind, told=link.told_of(picture.words))
