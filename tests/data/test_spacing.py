from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dodona import Sentence, read, write
from dodona.data.spacing import detokenize, escape, paragraphs, raw_text, rebuild_text, unescape
from dodona.errors import FormatError


def sentence(words: Sequence[str], text: str | None = None, **options: object) -> Sentence:
    comments = [f"# text = {text}"] if text is not None else []
    return Sentence.from_words(words, **({"comments": comments} | options))  # type: ignore[arg-type]


@given(st.text(st.characters(exclude_categories=[]) | st.sampled_from("\\|stnrpu0 \t")))
def test_escapes_are_undone(text: str) -> None:
    value = escape(text)
    assert unescape(value) == text
    assert not any(char.isspace() or char in "|\0" or "\ud800" <= char <= "\udfff" for char in value)


def test_escapes_are_those_of_udpipe() -> None:
    assert escape(" \t\n\r|\\") == "\\s\\t\\n\\r\\p\\\\"
    assert escape("a\xa0\0\u2028b") == "a\\u00A0\\u0000\\u2028b"


def test_what_is_no_escape_stays() -> None:
    assert unescape("\\x\\u12") == "\\x\\u12"


def test_rebuilds_from_misc_of_words_and_ranges(tmp_path: Path) -> None:
    one = sentence(
        ["go", "a", "b", "c d"],
        multiword=[(2, 3, "ab")],
        multiword_misc=["Gloss=x|SpacesAfter=\\n\\n"],
        misc=["SpacesBefore=\\t|SpaceAfter=No", "SpaceAfter=No", "_", "SpacesInToken=c\\s\\sd|Lang=x"],
    )
    two = sentence(["_", "."], misc=["SpaceAfter=No", "SpaceAfter=No"])
    assert rebuild_text([one, two]) == "\tgoab\n\nc  d _."
    write([one, two], tmp_path / "x.conllu")
    assert rebuild_text(read(tmp_path / "x.conllu")) == "\tgoab\n\nc  d _."


def test_paragraphs_by_comments_and_misc() -> None:
    sentences = [
        sentence(["a", "b", "."], "a b.", misc=["_", "SpaceAfter=No", "SpaceAfter=No"]),
        sentence(["c"], "c"),
        sentence(["d"], "d", misc=["SpacesAfter=\\n"]),
        sentence(["e"], "e"),
        sentence(["f", "g"], "fg", comments=["# newpar", "# text = fg"], multiword=[(1, 2, "fg")]),
        sentence(["h"], "h", comments=["# newdoc id = x", "# text = h"]),
    ]
    found = list(paragraphs(sentences))
    assert [text for text, _ in found] == ["a b.c d\ne", "fg", "h"]
    assert [tuple(token) for token in found[0][1]] == [
        (0, 1, False, None),
        (2, 3, False, None),
        (3, 4, True, None),
        (4, 5, True, None),
        (6, 7, True, None),
        (8, 9, True, None),
    ]
    assert [tuple(token) for token in found[1][1]] == [(0, 2, True, ["f", "g"])]
    assert raw_text(sentences) == "a b.c d\ne\n\nfg\n\nh\n"


def test_forms_and_text_may_differ_in_blanks() -> None:
    ((text, tokens),) = paragraphs([sentence(["10 000", "x y"], "10\xa0000  xy")])
    assert [text[token.start : token.end] for token in tokens] == ["10\xa0000", "xy"]


@pytest.mark.parametrize(
    ("words", "text", "fault"),
    [
        (["a"], None, ":1: a sentence without '# text'"),
        (["a", "b"], "a c", ":3: FORM 'b' is not what '# text' has here: 'c'"),
        (["a", "b"], "a", ":3: FORM 'b'"),
        (["a"], "a b", ":1: '# text' goes on after the last word: ' b'"),
        (["a "], "a b", ":2: FORM .* has blanks at its end"),
        ([" "], "a", ":2: FORM .* has blanks at its end"),
    ],
)
def test_text_that_does_not_fit(words: list[str], text: str | None, fault: str) -> None:
    with pytest.raises(FormatError, match=fault):
        list(paragraphs([sentence(words, text)]))


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["He", "said", ":", '"', "Go", "(", "now", ")", ",", "please", "!", '"'], 'He said: "Go (now), please!"'),
        (["«", "Oui", "»", ",", "dit", "-il", "."], "«Oui», dit -il."),
        (["¿", "Qué", "?"], "¿Qué?"),
        (["彼", "は", "10", "本", "を", "IBM", "Think", "で", "見る", "。"], "彼は10本をIBM Thinkで見る。"),
    ],
)
def test_detokenizes_by_rules(words: list[str], text: str) -> None:
    (one,) = detokenize([sentence(words)])
    assert one.text == text
    assert rebuild_text([one]).rstrip() == text
    assert [text[t.start : t.end] for _, tokens in paragraphs([one]) for t in tokens] == words


def test_japanese_sentences_follow_without_a_space() -> None:
    assert raw_text(detokenize([sentence(["見る", "。"]), sentence(["聞く", "。"])])) == "見る。聞く。\n"


def test_detokenizes_by_misc_where_there_is_any() -> None:
    one, two = detokenize([sentence(["a", ".", "b"], misc=["_", "SpaceAfter=No", "_"]), sentence(["c", "."])])
    assert one.text == "a .b"
    assert two.text == "c ."
    one, two = detokenize([sentence(["a", "b"], misc=["SpacesAfter=\\s\\s", "_"]), sentence(["c", "."])])
    assert (one.text, two.text) == ("a b", "c .")


@given(st.lists(st.sampled_from([",", ".", "a", "(", ")", '"', "彼"]), min_size=1), st.booleans(), st.data())
def test_detokenizing_changes_nothing_else(words: list[str], has_spaces: bool, data: st.DataObject) -> None:
    """What stands in MISC, and all other columns and comments."""
    values = ["_", "Gloss=x", "Gloss=x|A=b", *(["SpaceAfter=No"] if has_spaces else [])]
    misc = [data.draw(st.sampled_from(values)) for _ in words]
    columns: dict[str, Any] = {name: [f"{name}{k}" for k in range(len(words))] for name in ("upos", "lemmas", "xpos")}
    before = sentence(words, misc=misc, comments=["# sent_id = s"], **columns)
    (after,) = detokenize([before.copy()])
    assert after.comments[:-1] == before.comments
    assert after.comments[-1].startswith("# text = ")
    if any("SpaceAfter=No" in each for each in misc):
        assert after.misc == misc
    else:
        parts = [[part for part in each.split("|") if part != "SpaceAfter=No"] for each in after.misc]
        assert ["|".join(each) or "_" for each in parts] == misc
    after.set_column("misc", misc)
    after.set_comments(before.comments)
    assert after.to_bytes() == before.to_bytes()


def test_a_text_that_is_there_stays() -> None:
    (one,) = detokenize([sentence(["a", "."], "a .")])
    assert one.comments == ["# text = a ."]
    assert one.misc == ["_", "_"]
