"""Two trees of the same sentence, beside each other if there is room, with a mark at each arc that differs.

   ╭─ Oak      NOUN   compound  ✗  ╭─── Oak      NOUN   nsubj
 ╭─┴─ leaves   NOUN   nsubj     ≠  ├─── leaves   NOUN   obj
─┼─── rustle   VERB   root        ─┼─── rustle   VERB   root
 ╰─── .        PUNCT  punct        ╰─── .        PUNCT  punct
"""

from collections.abc import Sequence

from dodona.data import Sentence
from dodona.drawing.letters import width_of
from dodona.drawing.trees import draw

__all__ = ["NO_MARK", "OTHER_HEAD", "OTHER_LABEL", "compared", "marked"]

OTHER_HEAD, OTHER_LABEL, NO_MARK = "✗", "≠", " "
SPACE = "  "


def compared(
    gold: Sentence, system: Sentence, width: int | None = None, titles: tuple[str, str] = ("gold", "system")
) -> list[str]:
    """Return the lines of both trees, in the second one marked by `✗` for another head, `≠` for another relation only.

    With a `width` that is too small for both, one tree comes below the other.
    """
    return [line for line, _ in marked(gold, system, width, titles)]


def marked(
    gold: Sentence, system: Sentence, width: int | None = None, titles: tuple[str, str] = ("gold", "system")
) -> list[tuple[str, str]]:
    """Return the same lines, each with its mark, so that they can be shown in colours, too."""
    pairs = zip(gold.heads, gold.labels, system.heads, system.labels, strict=True)
    marks = [OTHER_HEAD if a != c else OTHER_LABEL if b != d else NO_MARK for a, b, c, d in pairs]
    left, right = ([str(line) for line in draw(sentence)] for sentence in (gold, system))
    half = max(map(width_of, left))
    if width is None or half + max(map(width_of, right)) + 2 * len(SPACE) + 1 <= width:
        both = zip(left, marks, right, strict=True)
        rows = [(f"{_padded(one, half)}{SPACE}{mark}{SPACE}{other}".rstrip(), mark) for one, mark, other in both]
        return [(f"{_padded(titles[0], half)}{SPACE} {SPACE}{titles[1]}", NO_MARK), *rows]
    room = width - 1 - len(SPACE)
    return [
        *_titled(titles[0], [NO_MARK] * len(marks), [str(line) for line in draw(gold, room)]),
        *_titled(titles[1], marks, [str(line) for line in draw(system, room)]),
    ]


def _titled(title: str, marks: Sequence[str], lines: Sequence[str]) -> list[tuple[str, str]]:
    both = zip(marks, lines, strict=True)
    return [(f" {SPACE}{title}", NO_MARK), *((f"{mark}{SPACE}{line}".rstrip(), mark) for mark, line in both)]


def _padded(text: str, width: int) -> str:
    return text + " " * (width - width_of(text))
