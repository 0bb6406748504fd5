"""Sentences that were made: they say the same about themselves as when they are written and read again."""

from pathlib import Path
from typing import Any

import pytest

from dodona import OptionError, Sentence, read
from dodona.data.conllu import read_conllu
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


@pytest.mark.parametrize("name", [name for name in NUMBERS if name != "heads"])
def test_no_value_breaks_a_line_or_leaves_a_column_empty(name: str) -> None:
    for value in ("", *(f"a{sign}b" for sign in "\t\n\r\0\ud800")):
        values = ["x", value]
        given: dict[str, Any] = {"words": ["x", "y"], name: values}
        with pytest.raises(OptionError, match="expected text without"):
            Sentence.from_words(**given)
        with pytest.raises(OptionError, match=r"expected text without|cannot be replaced"):
            setattr(Sentence.from_words(["x", "y"]), name, values)


def test_a_comment_is_found_by_its_whole_name() -> None:
    others = ["# text_en = the oak", "# sent_id_before = 7", "# a text = b", "#text", "# text"]
    sentence = Sentence.from_words(["a"], comments=others)
    assert (sentence.text, sentence.sent_id) == (None, None)
    sentence.set_comments([*others, "#text=das Holz = x", "# sent_id =  8 ", "# text = y"])
    assert (sentence.text, sentence.sent_id) == ("das Holz = x", "8")
