"""Repairs are counted as in Table 2 of Honnibal, Goldberg and Johnson (2013)."""

import random
from collections import Counter

import pytest

from dodona import Sentence
from dodona.data import projectivize
from dodona.experiments.repairs import count_repairs, judge, walk
from dodona.parser.options import ParserOptions
from dodona.parser.training import train_parser
from dodona.search.greedy import GreedySearch
from dodona.systems.registry import build
from dodona.transitions import derivations
from dodona.transitions.moves import ATTACH, LEFT, REDUCE, RIGHT, SHIFT


def random_tree(chance: random.Random, n: int = 7) -> Sentence:
    """A tree of any kind: each word hangs on one that was there before."""
    order = chance.sample(range(1, n + 1), n)
    heads = [0] * n
    for i, word in enumerate(order[1:], start=1):
        heads[word - 1] = chance.choice(order[:i])
    tags = chance.choices(["NOUN", "VERB", "PUNCT"], k=n)
    labels = ["dep" if h else "root" for h in heads]
    return Sentence.from_words([tag.lower() for tag in tags], tags, heads=heads, labels=labels)


SENTENCES = [random_tree(random.Random(seed)) for seed in range(40)]
OPTIONS = ParserOptions(system="nonmonotonic", templates="stack", iterations=1)


@pytest.mark.parametrize(
    ("before", "move", "heads", "expected"),
    [
        ([SHIFT, RIGHT], LEFT, [0, 3, 1], ("LEFT", "TP")),  # 2 had the head 1, and its gold head is at the front
        ([SHIFT, RIGHT], LEFT, [0, 1, 1], ("LEFT", "FP")),
        ([SHIFT, RIGHT], REDUCE, [0, 3, 1], ("LEFT", "FN")),
        ([SHIFT, RIGHT], REDUCE, [0, 1, 1], ("LEFT", "TN")),
        ([SHIFT, SHIFT], ATTACH, [0, 1, 1], ("REDUCE", "TP")),  # 2 has no head, and its gold head is below it
        ([SHIFT, SHIFT], ATTACH, [0, 3, 1], ("REDUCE", "FP")),
        ([SHIFT, SHIFT], LEFT, [0, 1, 1], ("REDUCE", "FN")),
        ([SHIFT, SHIFT], LEFT, [0, 3, 1], ("REDUCE", "TN")),
        ([SHIFT], LEFT, [2, 0, 2], None),  # nothing below it that it could be attached to
        ([SHIFT, RIGHT], RIGHT, [0, 3, 1], None),
        ([SHIFT, RIGHT], SHIFT, [0, 3, 1], None),
        ([], SHIFT, [0, 3, 1], None),
        ([SHIFT, RIGHT, RIGHT], LEFT, [2, 1, 0], ("LEFT", "TP")),  # ROOT is at the front
    ],
)
def test_verdicts(before: list[int], move: int, heads: list[int], expected: tuple[str, str] | None) -> None:
    system = build("nonmonotonic", ["x"], {}).core
    state = derivations.start(system, 3)
    for earlier in before:
        system.apply(state, earlier, 0, 0)
    assert judge(system, state, move, heads) == expected


def test_where_reduce_cannot_repair_it_is_not_judge() -> None:
    system = build("nonmonotonic", ["x"], {"moves": "left"}).core
    state = derivations.start(system, 3)
    for _ in range(2):
        system.apply(state, SHIFT, 0, 0)
    assert judge(system, state, LEFT, [0, 3, 1]) is None


def test_the_walk_is_that_of_the_parser() -> None:
    parser = train_parser(SENTENCES[:10], OPTIONS)
    built = parser.options.build_system(parser.labels, True)
    session = parser.model.session()
    for sentence in SENTENCES:
        (encoded,) = session.encode([sentence])
        heads: dict[int, int] = {}
        for state, move, _ in walk(built.core, session.greedy, encoded):
            dependent = built.core.dependent_of(state, move, 0)
            heads[dependent] = built.core.head_of(state, move, 0)
        found, _ = GreedySearch(built.core, session.greedy).parse(encoded)
        assert [heads[d] for d in range(1, len(sentence) + 1)] == found


@pytest.mark.parametrize("tag", [None, "PUNCT", "NOUN"])
def test_counts_are_of_all_words_but_punctuation(tag: str | None) -> None:
    """Whatever the tags are that the parser sees."""
    seen = [sentence.copy() for sentence in SENTENCES]
    for sentence in seen:
        sentence.set_column("upos", [tag or each for each in sentence.upos])
    parser = train_parser(SENTENCES[:4], OPTIONS)
    built = parser.options.build_system(parser.labels, True)
    session = parser.model.session()
    expected = {"LEFT": Counter[str](), "REDUCE": Counter[str]()}
    for sentence, as_seen in zip(SENTENCES, seen, strict=True):
        heads, _ = projectivize(sentence.gold_heads(), sentence.gold_labels(), "head")
        (encoded,) = session.encode([as_seen])
        for state, move, _ in walk(built.core, session.greedy, encoded):
            found = judge(built.core, state, move, heads)
            if found is not None and sentence.upos[state.s0() - 1] != "PUNCT":
                expected[found[0]][found[1]] += 1
    counted = count_repairs(parser, SENTENCES, seen)
    assert counted["counts"] == {
        k: {name: own[name] for name in ("TP", "FP", "TN", "FN")} for k, own in expected.items()
    }
    total = expected["LEFT"] + expected["REDUCE"]
    assert min(total.values()) > 0
    assert sum(count for *_, count in counted["labels"]) == total["TP"]
