"""Marks of annotation: written and read again, and what they make of a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dodona.data import Sentence
from dodona.data.marks import (
    ASPECTS,
    CHANGED,
    CONFIRMED,
    KINDS,
    MENTIONS,
    find_mark_faults,
    is_annotated,
    is_open,
    mask_guesses,
    read_marks,
    read_status,
    release,
    remove_marks,
    select_annotated,
    take_annotated_arcs,
    write_marks,
    write_status,
)

MARKS = st.dictionaries(st.sampled_from(ASPECTS), st.sampled_from(list(KINDS.values())))
OTHERS = st.lists(st.sampled_from(["SpaceAfter=No", "Gloss=x", "Note", "ConfirmedBy=me"]), unique=True)


@given(MARKS, MARKS, OTHERS)
def test_marks_are_read_as_they_were_written(first: dict[str, str], marks: dict[str, str], others: list[str]) -> None:
    plain = "|".join(others) or "_"
    misc = write_marks(write_marks(plain, first), marks)
    assert read_marks(misc) == marks
    assert write_marks(misc, {}) == plain
    assert find_mark_faults(misc) == []


@pytest.mark.parametrize(
    "misc",
    [
        "Confirmed=upos,arc", "Confirmed=arc,arc", "Confirmed=", "Changed=head", "Confirmed=arc|Changed=arc",
        "Confirmed=arc|Confirmed=upos", "Changed=arc,",
    ],
)  # fmt: skip
def test_other_forms_are_faults(misc: str) -> None:
    assert len(find_mark_faults(misc)) == 1


def test_aspects_stand_in_this_order() -> None:
    """Which files on disk have."""
    for kind, name in ((CONFIRMED, "Confirmed"), (CHANGED, "Changed")):
        assert write_marks("A=b", dict.fromkeys(reversed(ASPECTS), kind)) == f"A=b|{name}=arc,upos,feats,lemma,token"
    both = {"token": CONFIRMED, "lemma": CHANGED, "arc": CHANGED}
    assert write_marks("_", both) == "Confirmed=token|Changed=arc,lemma"


def test_the_status_keeps_its_place() -> None:
    comments = ["# sent_id = 1", "#annotation=open", "# text = a"]
    assert read_status(comments) == "open"
    assert write_status(comments, "done") == ["# sent_id = 1", "# annotation = done", "# text = a"]
    assert write_status(comments, None) == ["# sent_id = 1", "# text = a"]
    twice = ["# annotation = open", "# a", "# annotation = done"]
    assert (write_status(twice, "done"), write_status(twice, None)) == (["# annotation = done", "# a"], ["# a"])
    assert write_status(["# a"], "open") == ["# a", "# annotation = open"]
    assert read_status(["# annotations = open", "# text = annotation"]) is None


def make(status: str | None, *misc: str) -> Sentence:
    comments = [] if status is None else [f"# annotation = {status}"]
    n = len(misc)
    return Sentence.from_words(
        list("abcdef"[:n]), heads=[0, *([1] * (n - 1))], labels=["root", *(["dep"] * (n - 1))], misc=misc,
        comments=comments,
    )  # fmt: skip


def test_only_what_is_marked_counts_in_an_open_sentence() -> None:
    sentence = make("open", "_", "Confirmed=arc,upos", "Changed=arc")
    assert is_open(sentence)
    assert take_annotated_arcs(sentence) == ([None, 1, 1], ["_", "dep", "dep"])
    assert is_annotated(sentence, "upos") == [False, True, False]
    masked = mask_guesses(sentence)
    assert masked.heads == [None, 1, 1]
    assert sentence.heads == [0, 1, 1]
    for status in (None, "done"):
        other = make(status, "_", "Confirmed=arc")
        assert take_annotated_arcs(other) == ([0, 1], ["root", "dep"])
        assert mask_guesses(other) is other
    whole = make("open", "Confirmed=upos,feats", "Changed=upos,feats")
    assert select_annotated([sentence, whole, other], "upos", "feats") == [whole, other]


@pytest.mark.parametrize("mark", ["Confirmed=arc", "Changed=arc", "Changed=upos|Confirmed=arc,lemma"])
@pytest.mark.parametrize("status", [None, "open", "done"])
def test_marks_can_be_taken_out(mark: str, status: str | None) -> None:
    sentence = make(status, f"SpaceAfter=No|{mark}", "_")
    remove_marks(sentence)
    assert sentence.to_bytes() == make(None, "SpaceAfter=No", "_").to_bytes()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("status", "after"), [(None, None), ("open", "open"), ("done", "open")])
def test_marks_go_with_the_values_that_a_model_replaces(kind: str, status: str | None, after: str | None) -> None:
    for aspect in ASPECTS:
        kept = ",".join(each for each in ASPECTS if each != aspect)
        sentence = make(status, f"A=b|{kind}={','.join(ASPECTS)}", f"{kind}={aspect}", f"{kind}={kept}")
        release(sentence, aspect)
        assert sentence.to_bytes() == make(after, f"A=b|{kind}={kept}", "_", f"{kind}={kept}").to_bytes()
        release(sentence, *ASPECTS)
        assert sentence.misc == ["A=b", "_", "_"]


def test_nothing_with_a_mark_or_a_status_is_passed_over() -> None:
    """Where bytes are searched for what a sentence would mention."""
    for text in ("Confirmed=arc", "Changed=arc", "# annotation = open"):
        assert any(mention in text.encode() for mention in MENTIONS)
