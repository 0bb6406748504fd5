"""The spread of scores over folds."""

from samples.small_models import full_treebank
from samples.treebank import treebank

from dodona.evaluation import attachment, compare, evaluate
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


def test_each_score_needs_its_column() -> None:
    needs = {
        "upos": {"UPOS", "MLAS"}, "xpos": {"XPOS"}, "feats": {"UFeats"}, "lemmas": {"Lemmas", "BLEX"}
    }  # fmt: skip
    every = set().union(*needs.values())
    assert not find_unpredicted(full_treebank(1), needs)
    for column, names in needs.items():
        assert find_unpredicted(full_treebank(1), {column}) == every - names
        gold = full_treebank(1)
        gold[0].set_column(column, ["_"] * len(gold[0]))
        assert find_unpredicted(gold, needs) == names
