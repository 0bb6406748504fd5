"""The spread of scores, and suspicious arcs."""

import pytest
from samples.treebank import treebank

from dodona import FormatError, Sentence
from dodona.evaluation import attachment, compare, evaluate
from dodona.evaluation.calibration import Suspect, find_suspects
from dodona.evaluation.significance import SCORES, Spread, find_unpredicted, scores_of, spread


def test_mean_and_deviation_of_a_sample() -> None:
    found = spread([80.0, 84.0, 88.0])
    assert found == Spread(84.0, 4.0, 80.0, 88.0)  # (16 + 0 + 16) / 2 = 4 squared
    assert spread([80.0, None]) is None


def test_scores_are_those_of_evaluate() -> None:
    gold, system = treebank(5), treebank(5)
    for sentence in system[:2]:
        sentence.set_tree(sentence.gold_heads(), [*sentence.labels[:-1], "punct:x"])
        sentence.set_column("upos", ["X", *sentence.upos[1:]])
    found = scores_of(gold, system, without=("XPOS",))
    assert list(found) == list(SCORES)
    assert found["XPOS"] is None
    assert found["UPOS"] == 100 * evaluate(gold, system)["UPOS"].f1 < 100
    assert found["LAS"] == 100
    assert found["LAS with subtypes"] == 100 * attachment(compare(gold, system))["LAS"].accuracy < 100


def test_scores_that_say_nothing() -> None:
    gold = treebank(3)  # has neither lemmas nor features
    tags = ["upos", "xpos", "feats"]
    assert find_unpredicted(gold, [*tags, "lemmas"]) == {"UFeats", "Lemmas", "BLEX"}
    assert find_unpredicted(gold, tags) == {"UFeats", "Lemmas", "BLEX"}
    assert find_unpredicted(gold, ()) == {"UPOS", "XPOS", "UFeats", "Lemmas", "MLAS", "BLEX"}


def sentence(heads: list[int], labels: list[str], sure: list[float] | None = None) -> Sentence:
    misc = None if sure is None else [f"Confidence={value}" for value in sure]
    return Sentence.from_words(list("abc"), heads=heads, labels=labels, misc=misc)


def test_the_most_confident_suspects_come_first() -> None:
    gold = [sentence([2, 0, 2], ["x", "root", "y"]), sentence([2, 0, 2], ["x", "root", "y"])]
    parsed = [
        sentence([2, 0, 1], ["z", "root", "y"], [0.7, 0.99, 0.8]),
        sentence([3, 0, 2], ["x", "root", "z"], [0.7, 1.0, 0.9]),
    ]
    assert find_suspects(gold, parsed) == [
        Suspect(0.9, 1, 3, 2, "y", 2, "z"),
        Suspect(0.8, 0, 3, 2, "y", 1, "y"),
        Suspect(0.7, 0, 1, 2, "x", 2, "z"),
        Suspect(0.7, 1, 1, 2, "x", 3, "x"),
    ]
    with pytest.raises(FormatError, match="expected Confidence="):
        find_suspects(gold, gold)
