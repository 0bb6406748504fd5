"""What a parse writes about its trees, and that nothing of an earlier parse survives."""

import pytest

from dodona import OptionError, Sentence
from dodona.parser.request import Analysis, Request, annotate, rank_different, remove_notes, sentence_confidence

OLD = [
    "# sent_id = 7",
    "# nbest = 2",
    "# score = 1.5",
    "# confidence = 0.2",
    "# confidences are numbers",
    "# text = a b",
]
KEPT = ["# sent_id = 7", "# confidences are numbers", "# text = a b"]
TREE = Analysis([2, 0], ["det", "root"], 3.0, [0.5, 0.75])


def sentence() -> Sentence:
    misc = ["Confidence=0.1|SpaceAfter=No|NoConfidence=1", "Confidence=0.3"]
    return Sentence.from_words(["a", "b"], misc=misc, comments=OLD)


def test_notes_of_an_earlier_parse_go() -> None:
    one = sentence()
    remove_notes(one)
    assert one.comments == KEPT
    assert one.misc == ["SpaceAfter=No|NoConfidence=1", "_"]
    (parsed,) = annotate(sentence(), [TREE], Request())
    assert parsed.comments == KEPT
    assert parsed.misc == ["SpaceAfter=No|NoConfidence=1", "_"]
    text = parsed.to_bytes().decode()
    assert "0.2" not in text
    assert "Confidence=0" not in text


def test_a_sentence_without_notes_is_not_touched() -> None:
    one = Sentence.from_words(["a", "b"], misc=["A=b", "_"], comments=KEPT)
    before = one.to_bytes(), one.comments, one.misc
    remove_notes(one)
    assert (one.to_bytes(), one.comments, one.misc) == before
    assert one.comments is before[1]


def test_new_notes() -> None:
    (parsed,) = annotate(sentence(), [TREE], Request(confidence=True))
    assert parsed.comments == [*KEPT, "# confidence = 0.6250"]
    assert parsed.misc == ["SpaceAfter=No|NoConfidence=1|Confidence=0.5000", "Confidence=0.7500"]
    best, second = annotate(
        sentence(), [TREE, TREE._replace(score=2.0, confidence=[0.1, 0.2])], Request(9, 2, confidence=True)
    )
    assert best.comments == [*KEPT, "# nbest = 1", "# score = 3.000000", "# confidence = 0.6250"]
    assert second.comments[0] == "# sent_id = 7-2"
    assert second.comments[-3:] == ["# nbest = 2", "# score = 2.000000", "# confidence = 0.1500"]


def test_the_share_of_arcs_that_should_be_right() -> None:
    assert sentence_confidence([0.9, 0.3, 0.6]) == pytest.approx(0.6)


def test_ranks_of_different_trees() -> None:
    a, b = TREE, TREE._replace(labels=["amod", "root"])
    c = TREE._replace(heads=[0, 1])
    assert rank_different([a, a, b, a, c, b], 5) == [0, 2, 4]
    assert rank_different([a, a, b, a, c, b], 2) == [0, 2]


def test_a_format_without_a_column_for_confidence() -> None:
    """The last two columns of CoNLL-X are heads and labels of another kind of tree: nothing may be written there."""
    one = Sentence.from_words(["a", "b"], heads=[0, 1], labels=["x", "y"], format="conllx")
    tree = Analysis([2, 0], ["y", "x"], confidence=[0.5, 0.5])
    with pytest.raises(OptionError, match="CoNLL-X has no column"):
        list(annotate(one, [tree], Request(confidence=True)))
    assert list(annotate(one, [tree], Request())) == [one]
    assert one.heads == [2, 0]
