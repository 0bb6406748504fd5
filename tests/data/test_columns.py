"""Sentences that were made: they say the same about themselves as when they are written and read again."""

from pathlib import Path
from typing import Any

import pytest

from dodona import OptionError, Sentence, read
from dodona.data.conllu import read_conllu
from dodona.data.dictionary import NODE, RANGE, TOKEN
from dodona.data.stream import only_sentences
from dodona.data.ud import NUMBERS


def made() -> Sentence:
    return Sentence.from_words(
        ["da", "me", "lo", "."],
        ["VERB", "PRON", "_", "_"],
        heads=[0, 1, None, 1],
        labels=["root", "iobj", "_", "punct"],
        misc=["_", "_", "_", "SpacesAfter=\\n"],
        comments=["# sent_id = 1", "# text = dámelo."],
        multiword=[(1, 3, "dámelo")],
        multiword_misc=["SpaceAfter=No"],
    )


def again(sentence: Sentence, folder: Path) -> Sentence:
    (folder / "made.conllu").write_bytes(sentence.to_bytes())
    (found,) = read(folder / "made.conllu")
    return found


def long_one() -> Sentence:
    """Longer than the numbers that are kept."""
    sentence = Sentence.from_words(["w"] * 3000)
    sentence.set_tree(list(range(3000)), ["dep"] * 3000)
    return sentence


def replaced() -> Sentence:
    sentence = made()
    sentence.set_column("lemmas", ["dar", "yo", "él", "."])
    sentence.set_tree([0, 1, 1, 1], ["root", "iobj", "obj", "punct"])
    return sentence


@pytest.mark.parametrize("make", [made, replaced, long_one])
def test_made_and_read_again_it_is_the_same(make: object, tmp_path: Path) -> None:
    assert callable(make)
    sentence = make()
    found = again(sentence, tmp_path)
    assert found.to_bytes() == sentence.to_bytes()
    for name in (*NUMBERS, "comments", "multiword"):
        assert getattr(found, name) == getattr(sentence, name), name
    for name in NUMBERS:
        assert found.lacks(name) == sentence.lacks(name) == (set(getattr(sentence, name)) == {"_"}), name
    words = range(1, len(sentence) + 1)
    assert [found.word_line(d) for d in words] == [sentence.word_line(d) for d in words]


def test_a_column_that_is_filled_in_lacks_nothing(tmp_path: Path) -> None:
    for sentence in (made(), again(made(), tmp_path)):
        assert sentence.lacks("lemmas")
        sentence.set_column("lemmas", ["_", "_", "lo", "_"])
        assert not sentence.lacks("lemmas")
        sentence.set_column("lemmas", ["_"] * 4)
        assert sentence.lacks("lemmas")


def test_what_is_said_about_a_made_sentence_stays_what_it_was() -> None:
    sentence = made()
    before = sentence.to_bytes()
    sentence.comments.append("# not set")
    assert sentence.to_bytes() == before
    sentence.set_comments(["# set"])
    assert sentence.to_bytes() == b"# set\n" + before[before.index(b"1-3") :]


LISTS = (
    "words",
    "lemmas",
    "upos",
    "xpos",
    "feats",
    "heads",
    "labels",
    "deps",
    "misc",
    "comments",
    "multiword",
    "offsets",
)


def make_sentence(kind: str) -> Sentence:
    """A sentence that was made, read or parsed, all of whose lists somebody has looked at."""
    sentence = Sentence.from_words(["a", "b"], ["X", "Y"], heads=[0, 1], labels=["root", "dep"])
    if kind == "read":
        [sentence] = only_sentences(read_conllu([b"# c\n1-2\tab" + b"\t_" * 8 + b"\n" + sentence.to_bytes()], "x"))
    sentence.offsets = [(0, 1), (1, 2)]
    if kind == "parsed":
        sentence.set_column("lemmas", ["c", "d"])
        sentence.set_tree([2, 0], ["obj", "root"])
    for name in LISTS:
        getattr(sentence, name)
    return sentence


@pytest.mark.parametrize("kind", ["made", "read", "parsed"])
def test_copies_share_no_lists(kind: str) -> None:
    sentence = make_sentence(kind)
    before = sentence.to_bytes()
    copy = sentence.copy()
    assert copy.to_bytes() == before
    for name in LISTS:
        own, other = getattr(sentence, name), getattr(copy, name)
        assert own == other
        assert own is not other
        other.append(other[0] if other else "# more")
    assert sentence.to_bytes() == before
    again = sentence.copy()
    again.words[0] = "c"
    assert sentence.words[0] == "a"
    assert sentence.copy().words[0] == "a"


ROWS: dict[str, list[dict[str, Any]]] = {
    "tokens": [{"form": "x"}, {"form": "y"}],
    "multiword": [{"id": [1, 2], "form": "xy"}],
    "empty": [{"id": [1, 1], "form": "z"}],
}
PLACES = [
    *(f"made {name}" for name in NUMBERS if name != "heads"),
    *(f"set {name}" for name in ("lemmas", "upos", "xpos", "feats", "labels", "misc")),
    *(f"token {name}" for name in ("lemma", "upos", "xpos", "feats", "deprel", "misc")),
    *(f"tokens {key}" for key in TOKEN if key not in ("id", "head", "start", "end", "confidence")),
    *(f"multiword {key}" for key in RANGE if key not in ("id", "start", "end")),
    *(f"empty {key}" for key in NODE if key != "id"),
    *("tree labels", "range form", "range misc", "comments made", "comments set", "comments given"),
    *("given sent_id", "given text"),
]
"""Where a string can get into a sentence."""


def put(place: str, value: str) -> None:
    kind, name = place.split()
    given: dict[str, Any] = {"words": ["x", "y"]}
    made = Sentence.from_words(["x"])
    if kind == "made":
        Sentence.from_words(**(given | {name: ["x", value]}))
    elif kind == "set":
        setattr(made, name, [value])
    elif kind == "token":
        setattr(made[0], name, value)
    elif kind in ROWS:
        Sentence.from_dict(ROWS | {kind: [row | {name: value} for row in ROWS[kind]]})
    elif kind == "tree":
        made.set_tree([0], [value])
    elif kind == "range":
        form, misc = (value, "_") if name == "form" else ("xy", value)
        Sentence.from_words(**given, multiword=[(1, 2, form)], multiword_misc=[misc])
    elif kind == "given":
        Sentence.from_dict(ROWS | {name: value})
    elif name == "made":
        Sentence.from_words(**given, comments=[f"# {value}"])
    elif name == "set":
        made.set_comments([f"# {value}"])
    else:
        Sentence.from_dict(ROWS | {"comments": [f"# {value}"]})


@pytest.mark.parametrize("place", PLACES)
def test_no_value_breaks_a_line_or_leaves_a_column_empty(place: str) -> None:
    of_comment = place.startswith(("comments", "given"))
    for value in (*(f"a{sign}b" for sign in "\n\r\0\ud800"), *(() if of_comment else ("", "a\tb"))):
        with pytest.raises(OptionError, match="expected text without" if not of_comment else "expected a single line"):
            put(place, value)
    put(place, "a\u00a0b")


def test_whole_errors_of_ranges() -> None:
    words = ["a", "b", "c", "d", "e"]
    for ranges, misc, message in (
        ([(1, 2, "x")], ["_", "_", "_"], "3 values in multiword_misc; expected 1, one for each range"),
        ([(1, 2, "x"), (4, 3, "x")], None, "multiword range 4-3; expected ranges in order, from 3 to 5"),
        ([(1, 2, "x"), (2, 3, "x")], None, "multiword range 2-3; expected ranges in order, from 3 to 5"),
        ([(2, 2, "x")], None, "multiword range 2-2; expected ranges in order, from 1 to 5"),
        ([(4, 6, "x")], None, "multiword range 4-6; expected ranges in order, from 1 to 5"),
        ([(0, 2, "x")], None, "multiword range 0-2; expected ranges in order, from 1 to 5"),
    ):
        with pytest.raises(OptionError) as caught:
            Sentence.from_words(words, multiword=ranges, multiword_misc=misc)
        assert str(caught.value) == message


@pytest.mark.parametrize("name", ["words", "deps"])
def test_columns_that_cannot_be_replaced(name: str) -> None:
    with pytest.raises(OptionError, match=f"column '{name}' cannot be replaced; expected a new sentence"):
        setattr(Sentence.from_words(["x"]), name, ["y"])


def test_a_comment_is_found_by_its_whole_name() -> None:
    others = ["# text_en = the oak", "# sent_id_before = 7", "# a text = b", "#text", "# text"]
    sentence = Sentence.from_words(["a"], comments=others)
    assert (sentence.text, sentence.sent_id) == (None, None)
    sentence.set_comments([*others, "#text=das Holz = x", "# sent_id =  8 ", "# text = y"])
    assert (sentence.text, sentence.sent_id) == ("das Holz = x", "8")
