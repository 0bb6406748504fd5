"""Active learning, simulated: what is annotated when, and what comes of it."""

import random
from math import sqrt

import pytest
from samples.recording import record
from samples.treebank import treebank

from dodona import Sentence
from dodona.experiments import active
from dodona.experiments.active import (
    ARCS,
    BY_SENTENCE,
    GOAL,
    MEMBERS,
    RANDOM,
    SENTENCES,
    ArcAnnotation,
    SentenceAnnotation,
    annotate_by,
    find_crossing,
)
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser
from dodona.parser.request import Request
from dodona.parser.training import train_parser

OPTIONS = ParserOptions(iterations=1, seed=4)


@pytest.fixture(scope="module")
def gold() -> list[Sentence]:
    return treebank(30)


def test_crossing() -> None:
    curve = [[100, 50.0], [200, 60.0], [300, 58.0], [400, 70.0]]
    assert find_crossing(curve, 55) == 150
    assert find_crossing(curve, 60) == 200
    assert find_crossing(curve, 64) == 350
    assert find_crossing(curve, 40) == 100
    assert find_crossing(curve, 71) is None


@pytest.mark.parametrize("order", [*SENTENCES, *ARCS])
def test_until_the_goal(order: str, gold: list[Sentence]) -> None:
    test = treebank(20, seed=9)
    found = annotate_by(order, gold, None, test, OPTIONS)
    assert found == annotate_by(order, gold, None, test, OPTIONS)
    whole = train_parser(gold, OPTIONS).scores(test)[1]
    assert found["whole"] == pytest.approx(whole, abs=1e-4)
    assert found["words"] == sum(map(len, gold))
    words, scores = zip(*found["curve"], strict=True)
    places = list(range(30))
    random.Random(4).shuffle(places)
    first = [gold[i] for i in places[:6]]  # a fifth
    assert words[0] == sum(map(len, first))
    assert scores[0] == pytest.approx(train_parser(first, OPTIONS).scores(test)[1], abs=1e-4)
    assert list(words) == sorted(set(words))
    assert all(score < whole - GOAL for score in scores[:-1])
    assert scores[-1] >= whole - GOAL - 1e-4 or words[-1] == found["words"]


@pytest.mark.parametrize("order", [*SENTENCES, *ARCS])
def test_parsers_see_predicted_tags_beside_gold_trees(
    order: str, gold: list[Sentence], monkeypatch: pytest.MonkeyPatch
) -> None:
    """When they learn, and when they are asked what to annotate; each sentence has the tags that are predicted for it,
    also where single arcs are annotated."""
    seen = [sentence.copy() for sentence in gold]
    for i, sentence in enumerate(seen):
        sentence.set_column("xpos", [f"predicted{i}"] * len(sentence))
    tags_of = {tuple(sentence.words): sentence.xpos for sentence in seen}
    trained = record(monkeypatch, active, "train_parser")
    asked = record(monkeypatch, Parser, "analyses_of")
    work = (ArcAnnotation if order in ARCS else SentenceAnnotation)(order, gold, seen, OPTIONS)
    for _ in range(2):
        work.learn()
        work.annotate()
    assert len(trained) == 2 * (MEMBERS if order == "disagreement" else 1)
    for call in trained:
        assert len(call["sentences"]) == len(call["seen"]) > 0
        for sentence, shown in zip(call["sentences"], call["seen"], strict=True):
            assert shown.words == sentence.words
            assert shown.xpos == tags_of[tuple(shown.words)]
            assert not set(sentence.xpos) & set(shown.xpos)
    assert (order == RANDOM) == (not asked)
    for call in asked:
        assert all(shown.xpos == tags_of[tuple(shown.words)] for shown in call["batch"])


def test_the_least_sure_sentences_come_next(gold: list[Sentence]) -> None:
    work = SentenceAnnotation("doubt", gold, None, OPTIONS)
    rest = list(work.rest)
    work.learn()
    work.annotate()
    parser = train_parser([gold[i] for i in work.annotated[:6]], OPTIONS)
    means = {}
    for i in rest:
        (tree,) = parser.analyses(gold[i], Request(confidence=True))
        means[i] = sum(tree.confidence) / len(tree.confidence)
    chosen = work.annotated[6:]
    assert len(chosen) == 3  # a tenth
    assert max(means[i] for i in chosen) <= min(means[i] for i in rest if i not in chosen)
    assert sorted([*work.annotated, *work.rest]) == list(range(30))


def test_the_least_sure_words_come_next(gold: list[Sentence]) -> None:
    """Only their arcs are learned from, and none is asked for twice."""
    work = ArcAnnotation(ARCS[0], gold, None, OPTIONS)
    before = work.words
    for batch in (1, 2):
        work.learn()
        sure = dict(zip(work.rest, (tree.confidence for tree in work.trees()[0]), strict=True))
        old = {(i, k) for i, known in work.known.items() for k in known}
        work.annotate()
        new = {(i, k) for i, known in work.known.items() for k in known} - old
        assert len(new) == work.arcs == 3 * sum(map(len, gold)) // 30
        assert work.words == before + batch * work.arcs
        unknown = {(i, k) for i in work.rest for k in range(len(gold[i]))} - old - new
        assert max(sure[i][k] for i, k in new) <= min(sure[i][k] for i, k in unknown)


def test_doubtful_words_are_asked_for_sentence_by_sentence(
    gold: list[Sentence], monkeypatch: pytest.MonkeyPatch
) -> None:
    work = ArcAnnotation(BY_SENTENCE, gold, None, OPTIONS)
    work.learn()
    doubts = {i: [1 - sure for sure in tree.confidence] for i, tree in zip(work.rest, work.trees()[0], strict=True)}
    limit = sorted(doubt for own in doubts.values() for doubt in own)[work.words]  # so that many words are doubtful
    monkeypatch.setattr(active, "DOUBTFUL", limit)
    work.annotate()
    assert sum(map(len, work.known.values())) == work.arcs
    begun = {i for i, known in work.known.items() if known}
    whole = [i for i in begun if work.known[i] == {k for k, doubt in enumerate(doubts[i]) if doubt >= limit}]
    assert len(whole) >= len(begun) - 1, "all doubtful words of a sentence, but of the last one"
    assert all(doubts[i][k] >= limit for i in begun for k in work.known[i])

    def weigh(i: int) -> float:
        own = [doubt for doubt in doubts[i] if doubt >= limit]
        return sum(own) / sqrt(max(1, len(own)))

    assert min(map(weigh, begun)) >= max(weigh(i) for i in work.rest if i not in begun) - 1e-9
    asked = {i: set(known) for i, known in work.known.items() if i in whole}
    work.learn()
    work.annotate()
    assert all(work.known[i] == words for i, words in asked.items()), "nobody is asked about a sentence twice"
