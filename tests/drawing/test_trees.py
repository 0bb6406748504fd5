"""Drawings against their trees: whoever follows the lines must find every head, and nothing else."""

import random
from unicodedata import name

import pytest

from dodona import FormatError, Sentence
from dodona.drawing import draw, width_of
from dodona.drawing.trees import draw_both

NODES = "┬┼┴"
GOES_UP, GOES_DOWN = "├╰│┼┴", "├╭│┼┬"


def followed(branches: list[str]) -> list[int | None]:
    """Heads, found as a reader does: from the word to the left as far as the line goes, then along to a node."""
    return [_head(branches, row) for row in range(len(branches))]


def _head(branches: list[str], row: int) -> int | None:
    line = branches[row]
    at = len(line)
    while at > 0 and (line[at - 1] in f"─{NODES}" or (line[at - 1] == "│" and line[at - 2] in "─?")):
        at -= 1
    if at == 0:
        return 0
    if line[at - 1] == "?":
        return None
    assert line[at - 1] in "╭├╰", line
    lane = at - 1
    found = []
    for step, letters, back in ((-1, GOES_UP, GOES_DOWN), (1, GOES_DOWN, GOES_UP)):
        k = row
        while branches[k][lane] in letters:
            k += step
            assert branches[k][lane] in back, "a line that leads nowhere"
            if branches[k][lane] in NODES:
                found.append(k + 1)
                break
    (head,) = found
    return head


def sentence(heads: list[int | None], words: list[str] | None = None) -> Sentence:
    n = len(heads)
    return Sentence.from_words(words or ["w"] * n, ["X"] * n, heads=heads, labels=["dep"] * n)


def random_heads(chance: random.Random, n: int, roots: int, unknown: float = 0) -> list[int | None]:
    """Any tree at all, so most of these are far from projective."""
    order = chance.sample(range(1, n + 1), n)
    heads: list[int | None] = [0] * n
    for place, d in enumerate(order):
        if place >= roots:
            heads[d - 1] = chance.choice(order[max(0, place - chance.choice([2, 5, n])) : place])
        if chance.random() < unknown:
            heads[d - 1] = None
    return heads


def test_an_example() -> None:
    drawn = draw(Sentence.from_words(
        ["Oak", "leaves", "rustle", "."], ["NOUN", "NOUN", "VERB", "PUNCT"], heads=[2, 3, 0, 3],
        labels=["compound", "nsubj", "root", "punct"],
    ))  # fmt: skip
    assert list(map(str, drawn)) == [
        "   ╭─ Oak     NOUN   compound",
        " ╭─┴─ leaves  NOUN   nsubj",
        "─┼─── rustle  VERB   root",
        " ╰─── .       PUNCT  punct",
    ]


@pytest.mark.parametrize("roots", [1, 2, 7])
@pytest.mark.parametrize("unknown", [0, 0.2])
def test_the_lines_tell_the_heads(roots: int, unknown: float) -> None:
    chance = random.Random(roots)
    for n in [*range(1, 30), 60] * 6:
        heads = random_heads(chance, n, roots, unknown)
        drawn = draw(sentence(heads))
        assert followed([line.branches for line in drawn]) == heads
        assert len({len(line.branches) for line in drawn}) == 1


def test_crossing_lines_do_not_touch() -> None:
    drawn = draw(sentence([3, 4, 0, 3]))
    assert [line.branches for line in drawn] == [" ╭───", " │ ╭─", "─┼─│─", " ╰─┴─"]


def test_a_projective_tree_is_as_wide_as_it_is_deep() -> None:
    drawn = draw(sentence([2, 0, 4, 2, 6, 4, 6]))
    assert {len(line.branches) for line in drawn} == {1 + 2 * 3}


def test_numbers_stand_for_branches_that_do_not_fit() -> None:
    chain: list[int | None] = list(range(300))
    assert str(draw(sentence(chain))[299]) == "299 → 300 w  X  dep"
    assert str(draw(sentence(chain[:30]), width=40)[0]) == " 0 →  1 w  X  dep"
    assert "┬" in str(draw(sentence(chain[:30]))[0])


def test_lines_keep_to_the_width() -> None:
    words = ["short", "a" * 200, "字" * 200, "e\N{COMBINING ACUTE ACCENT}" * 200]
    drawn = draw(sentence([0, 1, 1, 1], words), width=60)
    assert [width_of(str(line)) for line in drawn][1:] == [60, 60, 60]
    assert "…" in str(drawn[1])
    assert "…" not in str(draw(sentence([0, 1, 1, 1], words))[1])


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("oak", 3),
        ("樫の木", 6),
        ("ｶｼ", 2),
        ("e\N{COMBINING ACUTE ACCENT}", 1),
        ("हिन्दी", 5),
        ("\u1112\u1161\u11ab", 2),  # Jamo
        ("🌳", 2),
        ("👩\u200d🌾", 2),
        ("👍🏽", 2),
        ("❤\ufe0f", 2),
        ("🇬🇷", 2),
        ("می\u200cخواهم", 7),
    ],
)
def test_widths(text: str, width: int) -> None:
    assert width_of(text) == width, [name(letter) for letter in text]


def test_columns_are_aligned_whatever_the_words() -> None:
    words = ["樫", "oak", "e\N{COMBINING ACUTE ACCENT}", "🌳", "אלון"]
    drawn = [str(line) for line in draw(sentence([2, 0, 2, 2, 2], words))]
    assert {width_of(line[: line.index("X")]) for line in drawn} == {10}


def test_words_from_right_to_left_stay_in_their_column() -> None:
    drawn = [str(line) for line in draw(sentence([2, 0], ["אלון", "oak"]))]
    marked = "\N{FIRST STRONG ISOLATE}אלון\N{POP DIRECTIONAL ISOLATE}"
    assert drawn == [f"\N{LEFT-TO-RIGHT MARK} ╭─ {marked}  X  dep", "─┴─ oak   X  dep"]


def test_nothing_in_a_word_reaches_the_terminal_as_a_command() -> None:
    drawn = str(draw(sentence([0], ["a\x1b[31m\u202eb\u00a0c"]))[0])
    assert drawn == "─ a\N{REPLACEMENT CHARACTER}[31mb c  X  dep"


@pytest.mark.parametrize("place", ["form", "tag", "relation", "name", "confidence"])
def test_nothing_reaches_the_terminal_as_a_command_wherever_it_stands(place: str) -> None:
    """Nor in two trees beside each other."""
    nasty = "a\x1b[31m\u202eb\u009bc"
    given = {each: nasty if each == place else "x" for each in ("form", "tag", "relation", "name", "confidence")}
    made = Sentence.from_words(
        [given["form"]],
        [given["tag"]],
        heads=[0],
        labels=[given["relation"]],
        misc=[f"Confidence={given['confidence']}"],
    )
    shown = "a\N{REPLACEMENT CHARACTER}[31mb\N{REPLACEMENT CHARACTER}c"
    (line,) = map(str, draw(made, names={1: given["name"]}))
    assert line.count(shown) == 1
    assert line.isprintable()
    both = [line for line, _ in draw_both(made, made)]
    assert all(line.isprintable() for line in both)
    assert "\n".join(both).count(shown) == 2 * (place != "name")


def test_confidence_is_shown() -> None:
    sure = Sentence.from_words(
        ["Rustle", "."], heads=[0, 1], misc=["SpaceAfter=No|Confidence=0.9", "Confidence=1.0|X=Y"]
    )
    assert [line.rest[-1] for line in draw(sure)] == ["0.9", "1.0"]


def test_two_trees_are_as_wide_as_there_is_room() -> None:
    """Beside each other or below each other; long words are cut."""
    long = Sentence.from_words(["oak" * 20, "grows", "tall" * 9], ["NOUN", "VERB", "ADJ"], heads=[2, 0, 2])
    other = Sentence.from_words(long.words, long.upos, heads=[3, 0, 2])
    for width in range(36, 240):
        lines = [line for line, _ in draw_both(long, other, width)]
        assert max(map(width_of, lines)) <= width, width


def test_what_is_no_tree_is_refused() -> None:
    with pytest.raises(FormatError, match="cycle"):
        draw(Sentence.from_words(["a", "b"], heads=[2, 1]))
