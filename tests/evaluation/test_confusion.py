"""Confusions against counts that are made word by word."""

import random

import numpy as np
import pytest

from dodona import Sentence
from dodona.evaluation import compare
from dodona.evaluation.attachment import (
    Flaws,
    Mistake,
    head_confusion,
    label_confusion,
    tag_confusion,
    worst_sentences,
)

LABELS = ["det", "nsubj", "nsubj:pass", "obj", "root"]
TAGS = ["NOUN", "VERB", "DET"]


def sentence(heads: list[int], labels: list[str], upos: list[str] | None = None) -> Sentence:
    return Sentence.from_words([f"w{i}" for i in range(len(heads))], upos, heads=heads, labels=labels)


def random_pair(chance: random.Random) -> tuple[Sentence, Sentence]:
    n = chance.randrange(1, 13)
    both = []
    for _ in range(2):
        order = chance.sample(range(1, n + 1), n)
        heads = [0] * n
        for i, d in enumerate(order[1:], start=1):
            heads[d - 1] = chance.choice(order[:i])
        both.append(sentence(heads, chance.choices(LABELS, k=n), chance.choices(TAGS, k=n)))
    return both[0], both[1]


@pytest.fixture(scope="module")
def pairs() -> list[tuple[Sentence, Sentence]]:
    chance = random.Random(5)
    return [random_pair(chance) for _ in range(40)]


def described(head: int, d: int) -> str:
    if head == 0:
        return "root"
    distance = abs(head - d)
    name = "1" if distance == 1 else "2" if distance == 2 else "3-6" if distance <= 6 else "7+"
    return f"{'left' if head < d else 'right'} {name}"


def test_each_word_is_counted_once(pairs: list[tuple[Sentence, Sentence]]) -> None:
    gold, system = [list(side) for side in zip(*pairs, strict=True)]
    comparison = compare(gold, system)
    found = label_confusion(comparison), tag_confusion(gold, system), head_confusion(comparison)
    naive: list[dict[tuple[str, str], int]] = [{}, {}, {}]
    right: list[dict[tuple[str, str], int]] = [{}, {}, {}]
    for one, other in pairs:
        for i in range(len(one)):
            h, g = one.gold_heads()[i], other.gold_heads()[i]
            for k, pair in enumerate(
                [
                    (one.labels[i], other.labels[i]),
                    (one.upos[i], other.upos[i]),
                    (described(h, i + 1), described(g, i + 1)),
                ]
            ):
                naive[k][pair] = naive[k].get(pair, 0) + 1
                right[k][pair] = right[k].get(pair, 0) + (h == g)
    for confusion, counts, heads in zip(found, naive, right, strict=True):
        assert confusion.counts == counts
        assert sum(sum(confusion.row(name)) for name in confusion.names) == sum(map(len, gold))
        if confusion.right_heads is not None:
            assert all(confusion.right_heads.get(pair, 0) == number for pair, number in heads.items())
    assert found[2].names == [
        "left 7+", "left 3-6", "left 2", "left 1", "root", "right 1", "right 2", "right 3-6", "right 7+"
    ]  # fmt: skip


def test_the_most_frequent_mistakes_come_first() -> None:
    gold = [sentence([2, 0, 2, 2, 2], ["nsubj", "root", "obj", "obj", "det"])]
    system = [sentence([2, 0, 2, 1, 2], ["obj", "root", "nsubj", "nsubj", "det"])]
    found = label_confusion(compare(gold, system))
    assert found.names == ["obj", "det", "nsubj", "root"]
    assert found.row("obj") == [0, 0, 2, 0]
    assert found.mistakes() == [Mistake("obj", "nsubj", 2, 1.0, 1), Mistake("nsubj", "obj", 1, 1.0, 1)]


def test_words_without_tags_are_left_out() -> None:
    gold = [sentence([0, 1], ["root", "obj"], ["VERB", "_"])]
    system = [sentence([0, 1], ["root", "obj"], ["NOUN", "NOUN"])]
    assert tag_confusion(gold, system).counts == {("VERB", "NOUN"): 1}
    assert tag_confusion(gold, system).mistakes() == [Mistake("VERB", "NOUN", 1, 1.0)]
    assert tag_confusion(gold, [sentence([0, 1], ["root", "obj"])]).names == []


def test_worst_sentences(pairs: list[tuple[Sentence, Sentence]]) -> None:
    gold, system = [list(side) for side in zip(*pairs, strict=True)]
    found = worst_sentences(compare(gold, system), len(pairs))
    for flaws in found:
        one, other = pairs[flaws.sentence]
        heads = sum(h != g for h, g in zip(one.heads, other.heads, strict=True))
        arcs = sum(
            (h, l) != (g, m) for h, l, g, m in zip(one.heads, one.labels, other.heads, other.labels, strict=True)
        )
        assert flaws == Flaws(flaws.sentence, len(one), heads, arcs - heads)
        assert flaws.wrong_arcs == arcs > 0
    keys = [(-flaws.wrong_arcs, flaws.words, flaws.sentence) for flaws in found]
    assert keys == sorted(keys)
    flawless = [i for i, (one, other) in enumerate(pairs) if (one.heads, one.labels) == (other.heads, other.labels)]
    assert sorted([*flawless, *(flaws.sentence for flaws in found)]) == list(range(len(pairs)))
    assert worst_sentences(compare(gold, system), 3) == found[:3]
    assert worst_sentences(compare(gold, gold), 3) == []
    assert np.all(compare(gold, gold).head_right)


@pytest.mark.parametrize("aspect", ["arc", "upos"])
def test_of_an_open_sentence_only_what_is_marked_is_counted(aspect: str) -> None:
    """Arcs for relations and heads, tags for tags; the others are guesses."""
    made = sentence([0, 1, 2], ["root", "obj", "det"], ["VERB", "NOUN", "DET"])
    gold = Sentence.from_words(
        made.words, made.upos, heads=[0, 1, 2], labels=made.labels, misc=["_", f"Confirmed={aspect}", "_"]
    )
    gold.set_comments(["# annotation = open"])
    system = sentence([2, 0, 1], ["det", "root", "obj"], ["DET", "VERB", "NOUN"])
    comparison = compare([gold], [system])
    arcs = [label_confusion(comparison).counts, head_confusion(comparison).counts]
    assert arcs == ([{("obj", "root"): 1}, {("left 1", "root"): 1}] if aspect == "arc" else [{}, {}])
    assert tag_confusion([gold], [system]).counts == ({("NOUN", "VERB"): 1} if aspect == "upos" else {})


def test_a_notebook_shows_the_most_frequent_mistakes() -> None:
    for count, shown in ((20, 20), (21, 20)):
        gold = [sentence([0] * count, [f"x{k:02}" for k in range(count)])]
        page = label_confusion(compare(gold, [sentence([0] * count, ["y"] * count)]))._repr_html_()
        assert page.count("<tr>") == 1 + shown
