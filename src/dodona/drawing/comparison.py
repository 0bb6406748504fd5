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

__all__ = ["OTHER_HEAD", "OTHER_LABEL", "compared"]

OTHER_HEAD, OTHER_LABEL = "✗", "≠"
SPACE = "  "


def compared(
    gold: Sentence, system: Sentence, width: int | None = None, titles: tuple[str, str] = ("gold", "system")
) -> list[str]:
    """Return the lines of both trees, in the second one marked by `✗` for another head, `≠` for another relation only.

    With a `width` that is too small for both, one tree comes below the other.
    """
    pairs = zip(gold.heads, gold.labels, system.heads, system.labels, strict=True)
    marks = [OTHER_HEAD if a != c else OTHER_LABEL if b != d else " " for a, b, c, d in pairs]
    left, right = ([str(line) for line in draw(sentence)] for sentence in (gold, system))
    half = max(map(width_of, left))
    if width is None or half + max(map(width_of, right)) + 2 * len(SPACE) + 1 <= width:
        both = zip(left, marks, right, strict=True)
        rows = [f"{_padded(one, half)}{SPACE}{mark}{SPACE}{other}".rstrip() for one, mark, other in both]
        return [f"{_padded(titles[0], half)}{SPACE} {SPACE}{titles[1]}", *rows]
    room = width - 1 - len(SPACE)
    return [
        *_titled(titles[0], [" "] * len(marks), [str(line) for line in draw(gold, room)]),
        *_titled(titles[1], marks, [str(line) for line in draw(system, room)]),
    ]


def _titled(title: str, marks: Sequence[str], lines: Sequence[str]) -> list[str]:
    return [f" {SPACE}{title}", *(f"{mark}{SPACE}{line}".rstrip() for mark, line in zip(marks, lines, strict=True))]


def _padded(text: str, width: int) -> str:
    return text + " " * (width - width_of(text))
