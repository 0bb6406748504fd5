"""Sentences that were made: they say the same about themselves as when they are written and read again."""

from pathlib import Path

import pytest

from dodona import Sentence, read
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
