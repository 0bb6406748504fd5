"""Pictures of sentences: everything can be read, whatever the tree; any text is safe; marks without colours."""

import random
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.pictures import SVG, faults, pieces
from samples.treebank import treebank

from dodona import FormatError, MismatchError, Sentence, read
from dodona.drawing import html_page, svg_of
from dodona.drawing.dependencies import NAME, picture_svg, pictures_svg
from dodona.drawing.letters import text_width
from dodona.drawing.picture import EDGE, Link, Picture, Word, choose_line_ends, fold, is_reversed

SENTENCES = Path(__file__).parents[2] / "examples" / "sentences.conllu"
LABELS = ["det", "nsubj:pass", "acl:relcl", "root", "x", "a-very-long-relation:with-a-subtype", "_"]
NASTY = '</text><script>alert("1")</script>&amp;\x00\x1b\ud800\ufffe\u202e'


def random_tree(chance: random.Random, n: int) -> Sentence:
    """Any tree, most of them with many crossing arcs."""
    order = chance.sample(range(1, n + 1), n)
    heads = [0] * n
    for i, word in enumerate(order[1:], start=1):
        heads[word - 1] = chance.choice(order[max(0, i - chance.choice([1, 3, 50])) : i])
    words = ["".join(chance.choices("abmwil", k=chance.choice([1, 3, 9]))) for _ in range(n)]
    labels = [chance.choice(LABELS) for _ in range(n)]
    upos = chance.choices(["NOUN", "_", "X"], k=n)
    multiword = [(k, k + 1, "token" * chance.choice([1, 6])) for k in range(1, n, 5)]
    return Sentence.from_words(words, upos, heads=heads, labels=labels, multiword=multiword)


def groups(picture: str) -> list[tuple[str, str]]:
    """Class and label of each arc."""
    root = ElementTree.fromstring(picture)
    found = [group for group in root.iter(f"{SVG}g") if "class" in group.attrib]
    return [(group.attrib["class"], group[-1].text or "") for group in found]


def texts(picture: str, kind: str) -> list[tuple[float, str]]:
    """Where the texts of a class are, and what they say."""
    found = ElementTree.fromstring(picture).iter(f"{SVG}text")
    return [(float(text.attrib["x"]), "".join(text.itertext())) for text in found if text.get("class") == kind]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 25), st.integers(0, 1 << 30))
def test_nothing_covers_anything(n: int, seed: int) -> None:
    chance = random.Random(seed)
    one, other = random_tree(chance, n), random_tree(chance, n)
    assert faults(svg_of(one)) == []
    parsed = Sentence.from_words(one.words, heads=other.heads, labels=other.labels)
    assert faults(svg_of(one, parsed)) == []


def test_nothing_covers_anything_in_treebanks_and_long_sentences() -> None:
    for sentence in [*treebank(40, crossing=0.5), *read(SENTENCES)]:
        assert faults(svg_of(sentence)) == []
    assert faults(svg_of(random_tree(random.Random(3), 100))) == []


def test_the_checks_find_what_they_look_for() -> None:
    picture = svg_of(next(read(SENTENCES)))
    moved = picture.replace(">det</text>", ">determiner-of-the-noun</text>")
    assert any("goes through the text" in fault for fault in faults(moved))
    wide = picture.replace(">She</text>", ">Sheeeeeeeeeeeeeeeee</text>")
    assert any("covers" in fault for fault in faults(wide))
    narrow = picture.replace('width="358.7"', 'width="340"')
    assert narrow != picture
    assert faults(narrow) == ["'17 PUNCT' is outside"]
    assert list(pieces("M1 2V5Q1 6 2 6H9M11 6H20")) == [(1, 2, 1, 5), (2, 6, 9, 6), (11, 6, 20, 6)]


def test_a_projective_tree_has_no_crossing_lines() -> None:
    """Arcs that do not cross in the tree do not cross in the picture: no line has a gap but for its label."""
    for sentence in treebank(20, crossing=0.0):
        for line in ElementTree.fromstring(svg_of(sentence)).iter(f"{SVG}path"):
            assert line.attrib["d"].count("M") <= 2


@pytest.mark.parametrize("word", ["w", "ש"])
def test_tips_are_at_dependents_and_lines_that_cross_have_gaps(word: str) -> None:
    """Of four words, the arcs 1 → 3 and 2 → 4 cross; 3 is the root."""
    sentence = Sentence.from_words([word] * 4, heads=[3, 1, 0, 2], labels=["x", "y", "root", "z"])
    picture = svg_of(sentence)
    places = [x for x, _ in texts(picture, "word")]
    lines = list(ElementTree.fromstring(picture).iter(f"{SVG}g"))
    for dependent, (_, line, tip, _) in enumerate(lines):
        x = float(tip.attrib["d"][1:].split(" ")[0])
        assert min(range(4), key=lambda k: abs(places[k] - x)) == dependent
        assert f"M{x:g} " in line.attrib["d"] or f" {x:g} " in line.attrib["d"]
    gaps = [line.attrib["d"].count("M") - 2 for _, line, _, _ in lines]
    assert [gap if gap > 0 else 0 for gap in gaps] == [1, 0, 0, 1]  # arc 2 → 4 crosses 3 → 1, and the root arc 2 → 4


def test_words_from_right_to_left() -> None:
    words = ["הכלב", "ראה", "חתול", "3", "(", "."]
    heads, labels = [2, 0, 2, 3, 2, 2], ["nsubj", "root", "obj", "nummod", "punct", "punct"]
    picture = svg_of(Sentence.from_words(words, heads=heads, labels=labels))
    places = [x for x, _ in texts(picture, "word")]
    assert places == sorted(places, reverse=True)
    assert faults(picture) == []
    assert picture.count('direction="rtl"') == 3
    latin = [x for x, _ in texts(svg_of(Sentence.from_words(["a", "ב"], heads=[0, 1], labels=["root", "x"])), "word")]
    assert latin == sorted(latin)
    assert [is_reversed(each) for each in (["."], ["שלום", "."], ["a", "שלום", "UD"], ["abcdef", "שלום"])] == [
        False,
        True,
        True,
        False,
    ]


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 40), st.integers(0, 1 << 30), st.sampled_from([150, 300, 700]))
def test_long_sentences_in_several_lines(n: int, seed: int, width: int) -> None:
    chance = random.Random(seed)
    one, other = random_tree(chance, n), random_tree(chance, n)
    picture = Picture.of(one, Sentence.from_words(one.words, heads=other.heads, labels=other.labels))
    ends = choose_line_ends(picture, [50.0 * k for k in range(n)], width)
    lines = fold(picture, ends)
    for line in lines:
        assert faults(picture_svg(line)) == []
    seen = [word.form for line in lines for word in line.words if word is not EDGE]
    assert seen == one.words
    crossing = [
        link
        for link in (*picture.above, *picture.below)
        if link.head and _line_of(link.head, ends) != _line_of(link.dependent, ends)
    ]
    parts = [link for line in lines for link in (*line.above, *line.below)]
    assert len(parts) == len(picture.above) + len(picture.below) + len(crossing)
    assert len(groups(svg_of(one, width=width))) >= n


def _line_of(word: int, ends: list[int]) -> int:
    return next(i for i, end in enumerate(ends) if word <= end)


def test_lines_are_as_wide_as_they_may_be_and_tell_the_other_word() -> None:
    sentence = Sentence.from_words(["oak"] * 30, heads=[0, *range(1, 30)], labels=["root", *["x"] * 29])
    picture = svg_of(sentence, width=400)
    root = ElementTree.fromstring(picture)
    assert 300 < float(root.attrib["width"]) <= 400
    labels = [label for _, label in groups(picture)]
    assert labels.count("x … oak") >= 4
    assert labels.count("x") + labels.count("x … oak") // 2 == 29
    heights = float(root.attrib["height"])
    assert heights > 2 * float(ElementTree.fromstring(svg_of(sentence)).attrib["height"])
    assert svg_of(sentence, width=10**6) == svg_of(sentence)
    assert len(texts(svg_of(sentence, width=1), "word")) == 30


def test_a_line_ends_where_few_arcs_are_cut_and_in_no_token() -> None:
    heads = [2, 3, 4, 0, 4, 7, 4, 7]
    picture = Picture.of(Sentence.from_words(["w"] * 8, heads=heads, multiword=[(4, 5, "ww")]))
    places = [10.0 * k for k in range(8)]
    assert choose_line_ends(picture, places, 60.0) == [7, 8]
    assert choose_line_ends(picture, places, 59.0) == [5, 8]  # not after the sixth word, where two arcs would be cut
    assert choose_line_ends(picture, places, 35.0) == [
        3,
        7,
        8,
    ]  # not after the fourth word: a token begins there
    assert choose_line_ends(picture, places, 1000.0) == [8]


def test_any_text_is_safe() -> None:
    words = [Word(NASTY, NASTY, NASTY), Word("b", "X", "")]
    links = [Link(0, 1, NASTY), Link(1, 2, "x")]
    picture = picture_svg(Picture(NASTY, words, links, [], [(1, 2, NASTY)], False, NASTY))
    root = ElementTree.fromstring(picture)
    assert not list(root.iter(f"{SVG}script"))
    assert "<script" not in picture
    assert (
        picture.count("&lt;script&gt;") == 10
    )  # title, word, tag, token, label and legend; what is told about a word and arcs
    assert not any(letter in picture for letter in "\x00\x1b\ud800\ufffe\u202e")
    typed = "".join(letter for letter in NASTY if letter not in "\x00\x1b\ud800")  # those no sentence can have
    sentence = Sentence.from_words([typed, "b"], [typed, "X"], heads=[0, 1], labels=[typed, "x"])
    for written in (svg_of(sentence), html_page([sentence], typed)):
        assert "<script" not in written
        assert not any(letter in written for letter in "\ufffe\u202e")
    ElementTree.fromstring(svg_of(sentence))


def test_errors_are_marked_without_colours() -> None:
    words = ["a", "b", "c", "d"]
    gold = Sentence.from_words(words, heads=[2, 0, 2, None], labels=["det", "root", "obj", "_"])
    parsed = Sentence.from_words(words, heads=[2, 0, 1, 2], labels=["nsubj", "root", "obj", "x"])
    picture = svg_of(gold, parsed)
    assert groups(picture) == [
        ("arc missed", "det"),
        ("arc plain", "root"),
        ("arc missed", "obj"),
        ("arc unknown", "?"),
        ("arc other-label", "≠ nsubj"),
        ("arc other-head", "✗ obj"),
    ]
    for kind in ("other-head", "other-label", "unknown"):
        assert f".{NAME} .{kind} path {{ " in picture
        assert "stroke-dasharray" in picture.partition(f".{kind} path {{")[2].partition("}")[0]
    assert "above: gold" in picture
    assert faults(picture) == []
    with pytest.raises(MismatchError, match="different words"):
        svg_of(gold, Sentence.from_words(["x", *words[1:]], heads=[0, 1, 1, 1]))


def test_several_sentences_in_one_picture() -> None:
    pictures = [Picture.of(sentence) for sentence in read(SENTENCES)]
    picture = pictures_svg(pictures)
    assert picture.count("<style>") == 1
    assert len(texts(picture, "word")) == sum(len(each.words) for each in pictures)
    heights = [float(ElementTree.fromstring(pictures_svg([each])).attrib["height"]) for each in pictures]
    assert float(ElementTree.fromstring(picture).attrib["height"]) == pytest.approx(sum(heights), abs=0.2)
    ElementTree.fromstring(pictures_svg([]))


def test_no_tree_is_an_error_that_names_the_word() -> None:
    with pytest.raises(FormatError, match="word 1 of this sentence has HEAD 2, which leads into a cycle"):
        svg_of(Sentence.from_words(["a", "b"], heads=[2, 1], labels=["x", "y"]))


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("mill", 0.974 + 3 * 0.278),
        ("OAK", 0.787 + 0.684 + 0.656),
        ("ναί", 1.7),
        ("橡树", 2.0),
        ("é", 0.615),
        ("ж", 0.9),
    ],
)
def test_letters_are_at_least_as_wide_as_those_of_a_wide_font(text: str, least: float) -> None:
    assert 10 * least <= text_width(text, 10) <= 10 * least * 1.6


def test_a_mark_above_a_letter_takes_no_room() -> None:
    assert text_width("e\u0301", 10) == text_width("e", 10)
    assert text_width("é", 10) == text_width("e", 10)


class Unlisted(list[Word]):
    """Words of which each can be looked at, but not all of them: for thousands of arcs that would take for ever."""

    def __iter__(self) -> Iterator[Word]:
        raise AssertionError("all words are looked at")


def test_a_tooltip_looks_at_two_words_only() -> None:
    words = Unlisted([Word("oaks", "", ""), Word("grow", "", "")])
    assert Link(2, 1, "nsubj").tooltip_among(words) == "grow → oaks: nsubj"
    assert Link(0, 2, "root").tooltip_among(words) == "ROOT → grow: root"


def test_a_sentence_that_is_too_long_for_a_picture(tmp_path: Path) -> None:
    file = tmp_path / "long.conllu"
    rows = [f"{k}\ta\t_\t_\t_\t_\t{k - 1}\tdep\t_\t_\n" for k in range(1, 2002)]
    file.write_text("".join(rows[:2000]) + "\n" + "".join(rows) + "\n")
    fits, long = read(file)
    assert len(groups(svg_of(fits))) == 2000
    with pytest.raises(FormatError, match=r"long.conllu:2002: a sentence of 2,001 words; expected at most 2,000 in"):
        svg_of(long)
    with pytest.raises(FormatError, match=r"^a sentence of 2,001 words"):
        Picture.of(Sentence.from_words(["a"] * 2001))
