"""Attachment scores and breakdowns over the same words."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.scored import treebank, trees

from dodona import FormatError, MismatchError, Sentence
from dodona.evaluation import (
    Comparison,
    Rate,
    Score,
    attachment,
    by_distance,
    by_length,
    by_relation,
    compare,
    evaluate,
)
from dodona.evaluation.attachment import find_reordering

GOLD = (
    "she/PRON/2/nsubj:pass left/VERB/0/root early/ADV/2/advmod ./PUNCT/2/punct",
    "oak/NOUN/0/root !/PUNCT/1/punct",
    "!/PUNCT/0/root",
)
SYSTEM = (
    "she/PRON/2/nsubj left/VERB/0/root early/ADV/2/obl ./PUNCT/3/punct",
    "oak/NOUN/0/root !/NOUN/1/dep",
    "!/NOUN/0/root",
)


@pytest.fixture
def comparison() -> Comparison:
    return compare(treebank(*GOLD), treebank(*SYSTEM))


def test_only_punct_is_punctuation() -> None:
    """Symbols, and what is written with other signs, are words."""
    tags = ("SYM", "X", "NUM", "PUNCT")
    both = treebank(" ".join(f"%/{tag}/{0 if k == 0 else 1}/dep" for k, tag in enumerate(tags)))
    assert attachment(compare(both, both), punctuation=False)["LAS"] == Rate(3, 3)


def test_with_and_without_punctuation(comparison: Comparison) -> None:
    assert attachment(comparison) == {
        "UAS": Rate(6, 7),
        "LAS": Rate(3, 7),
        "LAS universal": Rate(4, 7),
        "labels": Rate(4, 7),
        "labels universal": Rate(5, 7),
        "UAS exact match": Rate(2, 3),
        "LAS exact match": Rate(1, 3),
        "LAS universal exact match": Rate(1, 3),
    }
    # punctuation is what gold says it is, and the last sentence is nothing else
    assert attachment(comparison, punctuation=False) == {
        "UAS": Rate(4, 4),
        "LAS": Rate(2, 4),
        "LAS universal": Rate(3, 4),
        "labels": Rate(2, 4),
        "labels universal": Rate(3, 4),
        "UAS exact match": Rate(2, 2),
        "LAS exact match": Rate(1, 2),
        "LAS universal exact match": Rate(1, 2),
    }


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.lists(st.text(alphabet="abc", min_size=1, max_size=6).flatmap(trees), min_size=1, max_size=4))
def test_numbers_agree_with_the_shared_task_and_with_each_other(sentences: list[str]) -> None:
    gold = treebank(*sentences)
    system = treebank(*sentences)
    for sentence in system:
        n = len(sentence)
        sentence.set_tree([0] + [1] * (n - 1), ["obj:lost", *sentence.labels[1:]])
    comparison = compare(gold, system)
    rates, scores = attachment(comparison), evaluate(gold, system)
    assert (rates["UAS"].correct, rates["LAS universal"].correct) == (scores["UAS"].correct, scores["LAS"].correct)
    for breakdown in (by_relation(comparison), by_distance(comparison)):
        for total in ("gold", "system"):
            assert sum(getattr(score, total) for score in breakdown.values()) == rates["LAS"].total
        assert sum(score.correct for score in breakdown.values()) == rates["LAS"].correct
    bins = by_length(comparison).values()
    assert sum(b.las.correct for b in bins) == rates["LAS"].correct
    assert sum(b.uas.correct for b in bins) == rates["UAS"].correct
    assert sum(b.exact_match.correct for b in bins) == rates["LAS exact match"].correct
    assert sum(b.exact_match.total for b in bins) == len(gold)


def test_by_relation(comparison: Comparison) -> None:
    assert by_relation(comparison) == {
        "root": Score(3, 3, 3),
        "punct": Score(2, 1, 0),
        "advmod": Score(1, 0, 0),
        "nsubj:pass": Score(1, 0, 0),
        "dep": Score(0, 1, 0),
        "nsubj": Score(0, 1, 0),
        "obl": Score(0, 1, 0),
    }
    assert list(by_relation(comparison))[:2] == ["root", "punct"]


def test_by_distance(comparison: Comparison) -> None:
    assert by_distance(comparison) == {"root": Score(3, 3, 3), "1": Score(3, 4, 0), "2": Score(1, 0, 0)}


def test_bins_by_length_and_distance() -> None:
    def flat(n: int) -> str:
        return " ".join(["w/X/0/root", *["w/X/1/flat"] * (n - 1)])

    treebank_of_lengths = treebank(*map(flat, (1, 10, 11, 50, 51)))
    comparison = compare(treebank_of_lengths, treebank_of_lengths)
    assert [(name, b.exact_match.total) for name, b in by_length(comparison).items()] == [
        ("1-10", 2),
        ("11-20", 1),
        ("41-50", 1),
        ("51+", 1),
    ]
    assert {name: score.gold for name, score in by_distance(comparison).items()} == {
        "root": 5,
        "1": 4,
        "2": 4,
        "3-6": 16,
        "7+": 3 + 4 + 43 + 44,
    }


def test_per_sentence_counts(comparison: Comparison) -> None:
    assert comparison.per_sentence(comparison.arc_right).tolist() == [1, 1, 1]
    assert comparison.per_sentence(np.zeros_like(comparison.arc_right)).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("system", "message"),
    [
        (SYSTEM[:2], r"sample.conllu:9: sentence 3 begins here, but .*sample.conllu has only 2"),
        ((*SYSTEM, SYSTEM[0]), r"sample.conllu:11: sentence 4 begins here, but .* has only 3"),
        (
            (SYSTEM[0], "elm/NOUN/0/root !/PUNCT/1/punct"),
            r":6: word 1 of sentence 2 is 'elm'; expected 'oak' as in .*:6",
        ),
        ((SYSTEM[0], "oak/NOUN/0/root"), r":6: sentence 2 has 1 words; expected 2 as in .*:6"),
        ((), "sentence 1 begins here, but the other file has only 0"),
    ],
)
def test_other_words(system: tuple[str, ...], message: str) -> None:
    with pytest.raises(MismatchError, match=message):
        compare(treebank(*GOLD), treebank(*system))


@pytest.mark.parametrize(("head", "shown"), [(None, "_"), (3, "3")])
def test_a_marked_arc_without_a_head_or_to_the_word_itself(head: int | None, shown: str) -> None:
    (plain,) = treebank(GOLD[0])
    comments, misc = ["# annotation = open"], ["Confirmed=arc", "_", "_", "_"]
    gold = Sentence.from_words(
        plain.words, plain.upos, heads=[2, 0, head, 2], labels=plain.labels, misc=misc, comments=comments
    )
    assert len(compare([gold], treebank(SYSTEM[0])).head_right) == 1  # what is not marked may be anything
    gold.misc = ["Confirmed=arc", "_", "Changed=arc", "_"]
    with pytest.raises(FormatError, match=rf"the arc of word 3 is marked, but HEAD is {shown}; expected a head"):
        compare([gold], treebank(SYSTEM[0]))


def test_a_missing_head() -> None:
    with pytest.raises(FormatError, match=r"sample.conllu:2: word 2 of this sentence has HEAD '_'; expected"):
        compare(treebank(GOLD[0]), treebank(SYSTEM[0].replace("left/VERB/0/root", "left/VERB/_/_")))


def test_every_rate_is_its_own() -> None:
    """A subtype, two relations, a head and two heads are wrong, in a sentence each: no two rates are the same."""
    gold = "a/NOUN/0/root b/NOUN/1/nsubj:pass c/NOUN/1/obj"
    systems = [
        gold,
        "a/NOUN/0/root b/NOUN/1/nsubj c/NOUN/1/obj",
        "a/NOUN/0/root b/NOUN/1/dep c/NOUN/1/dep",
        "a/NOUN/0/root b/NOUN/1/nsubj:pass c/NOUN/2/obj",
        "a/NOUN/0/root b/NOUN/3/nsubj:pass c/NOUN/0/obj",
    ]
    found = compare(treebank(*[gold] * 5), treebank(*systems))
    expected = {
        "UAS": Rate(12, 15), "LAS": Rate(9, 15), "LAS universal": Rate(10, 15), "labels": Rate(12, 15),
        "labels universal": Rate(13, 15), "UAS exact match": Rate(3, 5), "LAS exact match": Rate(1, 5),
        "LAS universal exact match": Rate(2, 5),
    }  # fmt: skip
    assert attachment(found) == expected
    found.punctuation[2] = True  # of the sentence that is right
    rows = re.findall(r"<tr>(.*?)</tr>", found._repr_html_(), re.S)
    cells = [re.findall(r"[^<>]+(?=</t[dh]>|</strong>)", row) for row in rows[1:]]
    both = {
        name: [f"{100 * rate.accuracy:.2f}", f"{100 * attachment(found, punctuation=False)[name].accuracy:.2f}"]
        for name, rate in expected.items()
    }
    assert {name: shares for name, *shares in cells} == both
    assert both["UAS"] == ["80.00", "78.57"]


def test_which_file_ends_first() -> None:
    gold, system = treebank(*GOLD), treebank(*SYSTEM)
    for name, sentences in (("gold", gold), ("system", system)):
        for sentence in sentences:
            sentence.file = name
    for more, fewer in ((gold, system), (system, gold)):
        pairs = (more, fewer[:2]) if more is gold else (fewer[:2], more)
        with pytest.raises(MismatchError, match=rf"^{more[0].file}:9: sentence 3 begins here, but {fewer[0].file} has"):
            compare(*pairs)


def test_whole_errors_of_other_words() -> None:
    gold, system = treebank(*GOLD[:2]), treebank(SYSTEM[0], "oak/NOUN/0/root")
    gold[1].file, gold[1].line, system[1].file, system[1].line = "gold", 70, "system", 80
    with pytest.raises(MismatchError) as caught:
        compare(gold, system)
    assert str(caught.value) == "system:80: sentence 2 has 1 words; expected 2 as in gold:70"
    gold[0].file, gold[0].line, system[0].file, system[0].line = "gold", 3, "system", 5
    system[0] = Sentence.from_words(["she", "went", "early", "."])
    system[0].file, system[0].line = "system", 5
    with pytest.raises(MismatchError) as caught:
        compare(gold, system)
    word = gold[0].word_line(2), system[0].word_line(2)
    assert (
        str(caught.value) == f"system:{word[1]}: word 2 of sentence 1 is 'went'; expected 'left' as in gold:{word[0]}"
    )
    assert word[0] != word[1]


def test_a_sentence_that_stands_twice_in_another_order() -> None:
    gold, system = treebank(GOLD[0], GOLD[0], GOLD[1]), treebank(GOLD[0], GOLD[1], GOLD[0])
    assert find_reordering(gold, system) == (
        f"the same sentences in another order: sentence 2 ({gold[0].file}:6) is sentence 3 ({system[0].file}:9); "
        "expected the same order in both files"
    )
    assert find_reordering(gold, gold) is None
    assert find_reordering(gold, system[:2]) is None
