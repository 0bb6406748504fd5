"""Level 3: punctuation does not cross arcs."""

from collections.abc import Iterator

from dodona.validation.rules import TREES, Spot
from dodona.validation.sentences import Tree


@TREES.rule("punct-is-nonproj", 3, "a head that no arc separates it from")
def punct_is_nonproj(s: Tree) -> Iterator[Spot]:
    """Punctuation is attached projectively: all words between it and its head are below that head."""
    if not s.is_projective:
        for d in s.having("punct"):
            if s.heads[d - 1] and (gap := s.gap(d)):
                yield Spot(s.word(d).line, f"{s.shown(d)} over {', '.join(s.word(k).form for k in gap)}")


@TREES.rule("punct-causes-nonproj", 3, "a head inside of the phrase that it stands in")
def punct_causes_nonproj(s: Tree) -> Iterator[Spot]:
    """Punctuation does not stand in the gap of an arc, unless its head stands there too."""
    if not s.is_projective:
        for d in s.having("punct"):
            if crossed := _crossed(s, d):
                yield Spot(s.word(d).line, f"{s.shown(d)} inside of {', '.join(map(s.shown, crossed))}")


def _crossed(s: Tree, d: int) -> list[int]:
    """The words on one side of d whose head is on the other, is not above d, and lies on this side of d's own head."""
    h = s.heads[d - 1]
    n = len(s.words)
    left, right = (h + 1, n + 1) if h < d else (1, h)  # not beyond the head: what crosses there is its own fault
    found = []
    for k in range(left, right):
        over = s.heads[k - 1]
        crosses = over > d if k < d else h * (h < d) < over < d
        if k == d or not crosses or (h > d and over >= h):
            continue
        if not s.dominates(over, d):
            found.append(k)
    return found
