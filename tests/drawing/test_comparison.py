"""Two trees beside each other or one below the other; differences are marked without colours."""

from dodona import Sentence
from dodona.drawing import width_of
from dodona.drawing.trees import draw_both

GOLD = Sentence.from_words(
    ["Oak", "leaves", "rustle"], ["NOUN"] * 3, heads=[2, 3, 0], labels=["compound", "nsubj", "root"]
)
SYSTEM = Sentence.from_words(["Oak", "leaves", "rustle"], ["NOUN"] * 3, heads=[3, 3, 0], labels=["obl", "obj", "root"])


def compared(
    gold: Sentence, system: Sentence, width: int | None = None, titles: tuple[str, str] = ("gold", "system")
) -> list[str]:
    return [line for line, _ in draw_both(gold, system, width, titles)]


def test_side_by_side() -> None:
    assert compared(GOLD, SYSTEM) == [
        "gold                             system",
        "   ╭─ Oak     NOUN  compound  ✗   ╭─ Oak     NOUN  obl",
        " ╭─┴─ leaves  NOUN  nsubj     ≠   ├─ leaves  NOUN  obj",
        "─┴─── rustle  NOUN  root         ─┴─ rustle  NOUN  root",
    ]


def test_one_below_the_other_where_there_is_no_room() -> None:
    both = compared(GOLD, SYSTEM)
    width = max(map(width_of, both))
    assert compared(GOLD, SYSTEM, width) == both
    assert compared(GOLD, SYSTEM, width - 1, ("annotated", "predicted")) == [
        "   annotated",
        "      ╭─ Oak     NOUN  compound",
        "    ╭─┴─ leaves  NOUN  nsubj",
        "   ─┴─── rustle  NOUN  root",
        "   predicted",
        "✗   ╭─ Oak     NOUN  obl",
        "≠   ├─ leaves  NOUN  obj",
        "   ─┴─ rustle  NOUN  root",
    ]


def test_wide_letters_keep_the_columns() -> None:
    trees = [
        Sentence.from_words(["橡树", "a"], heads=[0, 1], labels=labels) for labels in (["root", "x"], ["root", "y"])
    ]
    lines = compared(trees[0], trees[1])
    assert len({width_of(line[: line.rindex("─")]) for line in lines[1:]}) == 1
    assert lines[2].count("≠") == 1
