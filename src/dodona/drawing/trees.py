"""Dependency trees as text: one word per line, in the order of the sentence, and the arcs as branches to its left.

       ╭─ Oak      NOUN   compound
     ╭─┴─ leaves   NOUN   nsubj
    ─┼─── rustle   VERB   root
     ╰─── .        PUNCT  punct

A word with dependents has a vertical line in a lane of its own, and its dependents branch off to the right: so heads
are to the left of their dependents, and root words begin at the left edge. `┬`, `┴` and `┼` mark the word that the line
belongs to. In non-projective trees a branch may have to cross the line of another word: `─│─`.
"""

from bisect import bisect
from collections.abc import Sequence
from typing import NamedTuple

from dodona.data import Sentence
from dodona.drawing.letters import is_right_to_left, isolated, shortened, shown, width_of

__all__ = ["GAP", "Line", "draw"]

LANES = 100  # a deeper tree would be more lines than words
GAP = "  "
BRANCHES = {(False, True): "╭", (True, True): "├", (True, False): "╰"}  # goes on above, below
NODES = {(False, True): "┬", (True, True): "┼", (True, False): "┴"}
LEFT_TO_RIGHT = "\N{LEFT-TO-RIGHT MARK}"


class Line(NamedTuple):
    """A line of a drawing; `str` joins its parts, which have the same widths in all lines."""

    branches: str
    word: str
    rest: tuple[str, ...]

    def __str__(self) -> str:
        return GAP.join((f"{self.branches} {self.word}", *self.rest)).rstrip()


class Trunk(NamedTuple):
    """The vertical line of a word: its lane, and the first and last word that it touches."""

    lane: int
    first: int
    last: int

    def goes_on(self, k: int) -> tuple[bool, bool]:
        return self.first < k, k < self.last


def draw(sentence: Sentence, width: int | None = None) -> list[Line]:
    """Return the tree of a sentence, one line per word with its UPOS, relation and, if there is one, confidence.

    With a `width`, lines are no longer than that: long words are truncated, and if the branches would take more than
    half of it, the numbers of head and dependent are printed instead: `2 → 1`. An unknown head is `?`.
    """
    heads = sentence.known_heads()
    trunks = _trunks(heads)
    lanes = 1 + max((trunk.lane for trunk in trunks.values()), default=-1)
    if lanes > (LANES if width is None else min(LANES, width // 4)):
        branches = _numbers(heads)
    else:
        branches = _branches(heads, trunks, lanes)
    columns = [sentence.upos, sentence.labels]
    if any("Confidence=" in misc for misc in sentence.misc):
        columns.append([misc.partition("Confidence=")[2].partition("|")[0] for misc in sentence.misc])
    rest = list(zip(*(_padded([shown(value) for value in column]) for column in columns), strict=True))
    words = [shown(word) for word in sentence.words]
    if width is not None:
        taken = len(branches[0]) + 1 + sum(len(GAP) + width_of(value) for value in rest[0])
        words = [shortened(word, max(8, width - taken)) for word in words]
    lines = map(Line, branches, _padded(words), rest)
    return [_isolated(line) if is_right_to_left(line.word) else line for line in lines]


def _trunks(heads: Sequence[int | None]) -> dict[int, Trunk]:
    """Return a lane for each word with dependents: to the right of its head's, the first that is free.

    In a projective tree this is the depth of the word.
    """
    below: dict[int, list[int]] = {}
    for d, h in enumerate(heads, start=1):
        below.setdefault(h or 0, []).append(d)
    trunks: dict[int, Trunk] = {}
    lanes: list[list[tuple[int, int]]] = []  # the occupied intervals of each, in order
    todo = list(below.get(0, ()))
    for k in todo:  # grows while it is walked through
        if k not in below:
            continue
        todo += below[k]
        head = trunks.get(heads[k - 1] or 0)
        first, last = min(k, below[k][0]), max(k, below[k][-1])
        lane = head.lane + 1 if head else 0
        while lane < len(lanes) and not _has_room(lanes[lane], first, last):
            lane += 1
        lanes += [[] for _ in range(lane + 1 - len(lanes))]
        lanes[lane].insert(bisect(lanes[lane], (first, last)), (first, last))
        trunks[k] = Trunk(lane, first, last)
    return trunks


def _has_room(taken: Sequence[tuple[int, int]], first: int, last: int) -> bool:
    at = bisect(taken, (first, last))
    return (at == 0 or taken[at - 1][1] < first) and (at == len(taken) or last < taken[at][0])


def _branches(heads: Sequence[int | None], trunks: dict[int, Trunk], lanes: int) -> list[str]:
    """Return the branches to the left of each word."""
    rows = [[" "] * (1 + 2 * lanes) for _ in heads]
    for trunk in trunks.values():
        for k in range(trunk.first + 1, trunk.last):
            rows[k - 1][1 + 2 * trunk.lane] = "│"
    for d, (head, cells) in enumerate(zip(heads, rows, strict=True), start=1):
        begin = 1 + 2 * trunks[head].lane if head else 0
        cells[begin:] = ["─" if cell == " " else cell for cell in cells[begin:]]
        if head:
            cells[begin] = BRANCHES[trunks[head].goes_on(d)]
        elif head is None:
            cells[0] = "?"
        if d in trunks:
            cells[1 + 2 * trunks[d].lane] = NODES[trunks[d].goes_on(d)]
    return ["".join(cells) for cells in rows]


def _numbers(heads: Sequence[int | None]) -> list[str]:
    size = len(str(len(heads)))
    return [f"{'?' if h is None else h:>{size}} → {d:>{size}}" for d, h in enumerate(heads, start=1)]


def _padded(values: Sequence[str]) -> list[str]:
    widths = [width_of(value) for value in values]
    return [value + " " * (max(widths) - width) for value, width in zip(values, widths, strict=True)]


def _isolated(line: Line) -> Line:
    """Isolate a word with zero-width characters, so that right-to-left text does not reorder its neighbours."""
    word = line.word.rstrip(" ")
    padding = line.word[len(word) :]
    return Line(LEFT_TO_RIGHT + line.branches, isolated(word) + padding, line.rest)
