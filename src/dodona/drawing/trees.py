"""Dependency trees as text: one word per line, in the order of the sentence, and the arcs as branches to its left.

       ╭─ Oak      NOUN   compound
     ╭─┴─ leaves   NOUN   nsubj
    ─┼─── rustle   VERB   root
     ╰─── .        PUNCT  punct

A word with dependents has a vertical line in a lane of its own, and its dependents branch off to the right: so heads
are to the left of their dependents, and root words begin at the left edge. `┬`, `┴` and `┼` mark the word that the line
belongs to. In non-projective trees a branch may have to cross the line of another word: `─│─`.

Two trees of the same sentence are beside each other if there is room, with a mark at each arc that differs:

   ╭─ Oak      NOUN   compound  ✗  ╭─── Oak      NOUN   nsubj
 ╭─┴─ leaves   NOUN   nsubj     ≠  ├─── leaves   NOUN   obj
─┼─── rustle   VERB   root        ─┼─── rustle   VERB   root
 ╰─── .        PUNCT  punct        ╰─── .        PUNCT  punct
"""

from bisect import bisect
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dodona.data import Sentence
from dodona.drawing.letters import is_right_to_left, isolate, pad, shorten, width_of
from dodona.tables import make_printable

__all__ = ["GAP", "NO_MARK", "OTHER_HEAD", "OTHER_LABEL", "Line", "draw", "draw_both"]

MAX_LANES = 100  # a deeper tree would be more lines than words
GAP = "  "
BRANCHES = {(False, True): "╭", (True, True): "├", (True, False): "╰"}  # goes on above, below
NODES = {(False, True): "┬", (True, True): "┼", (True, False): "┴"}
LEFT_TO_RIGHT = "\N{LEFT-TO-RIGHT MARK}"
OTHER_HEAD, OTHER_LABEL, NO_MARK = "✗", "≠", " "


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


def draw(sentence: Sentence, width: int | None = None, names: Mapping[int, str] | None = None) -> list[Line]:
    """Return the tree of a sentence, one line per word with its UPOS, relation and, if there is one, confidence; and
    with the name of the word, if there are `names`.

    With a `width`, lines are no longer than that: long words are truncated, and if the branches would take more than
    half of it, the numbers of head and dependent are printed instead: `2 → 1`. An unknown head is `?`.
    """
    heads = sentence.known_heads()
    trunks = _trunks(heads)
    lanes = 1 + max((trunk.lane for trunk in trunks.values()), default=-1)
    if lanes > (MAX_LANES if width is None else min(MAX_LANES, width // 4)):
        size = len(str(len(heads)))
        branches = [f"{'?' if h is None else h:>{size}} → {d:>{size}}" for d, h in enumerate(heads, start=1)]
    else:
        branches = _branches(heads, trunks, lanes)
    columns = [sentence.upos, sentence.labels]
    if any("Confidence=" in misc for misc in sentence.misc):
        columns.append([misc.partition("Confidence=")[2].partition("|")[0] for misc in sentence.misc])
    if names:
        columns.append([f"◀ {names[k]}" if k in names else "" for k in range(1, len(sentence) + 1)])
    rest = list(zip(*(_pad_column([make_printable(value) for value in column]) for column in columns), strict=True))
    words = list(map(make_printable, sentence.words))
    if width is not None:
        taken = len(branches[0]) + 1 + sum(len(GAP) + width_of(value) for value in rest[0])
        words = [shorten(word, max(8, width - taken)) for word in words]
    lines = map(Line, branches, _pad_column(words), rest)
    return [_isolate(line) if is_right_to_left(line.word) else line for line in lines]


def _trunks(heads: Sequence[int | None]) -> dict[int, Trunk]:
    """Return a lane for each word with dependents: to the right of its head's, the first that is free.

    In a projective tree this is the depth of the word. The first one beyond MAX_LANES is the last one: such a tree is
    not drawn with branches.
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
        if lane >= MAX_LANES:
            break
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


def _pad_column(values: Sequence[str]) -> list[str]:
    width = max(map(width_of, values), default=0)
    return [pad(value, width) for value in values]


def _isolate(line: Line) -> Line:
    """Isolate a word with zero-width characters, so that right-to-left text does not reorder its neighbours."""
    word = line.word.rstrip(" ")
    padding = line.word[len(word) :]
    return Line(LEFT_TO_RIGHT + line.branches, isolate(word) + padding, line.rest)


def draw_both(
    gold: Sentence, system: Sentence, width: int | None = None, titles: tuple[str, str] = ("gold", "system")
) -> list[tuple[str, str]]:
    """Return the lines of both trees, each with its mark: `✗` for another head, `≠` for another relation only.

    With a `width` that is too small for both, one tree comes below the other.
    """
    pairs = zip(gold.heads, gold.labels, system.heads, system.labels, strict=True)
    marks = [OTHER_HEAD if a != c else OTHER_LABEL if b != d else NO_MARK for a, b, c, d in pairs]
    left, right = (list(map(str, draw(sentence))) for sentence in (gold, system))
    half = max(map(width_of, left))
    if width is None or half + max(map(width_of, right)) + 2 * len(GAP) + 1 <= width:
        both = zip([titles[0], *left], [NO_MARK, *marks], [titles[1], *right], strict=True)
        return [(f"{pad(one, half)}{GAP}{mark}{GAP}{other}".rstrip(), mark) for one, mark, other in both]
    room = width - 1 - len(GAP)
    lines: list[tuple[str, str]] = []
    for title, sentence, own in ((titles[0], gold, [NO_MARK] * len(marks)), (titles[1], system, marks)):
        marked = zip([NO_MARK, *own], [title, *map(str, draw(sentence, room))], strict=True)
        lines += [(f"{mark}{GAP}{line}".rstrip(), mark) for mark, line in marked]
    return lines
