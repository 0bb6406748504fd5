"""Counts of a treebank, against definitions that can be read at a glance."""

import random

import pytest
from reference.lifting import arc_is_projective

from dodona.data import Sentence
from dodona.data.statistics import TreebankCounts, UnknownWords, statistics_tables
from dodona.tables import Table

TAGS, LABELS = ("NOUN", "VERB", "X"), ("nsubj", "nsubj:pass", "obj", "punct")


def random_sentence(chance: random.Random) -> Sentence:
    n = chance.randint(1, 9)
    order = chance.sample(range(1, n + 1), n)
    heads = [0] * n
    for i, d in enumerate(order[1:], start=1):
        heads[d - 1] = chance.choice(order[:i])
    return Sentence.from_words(
        [chance.choice("abcdE") for _ in range(n)],
        [chance.choice(TAGS) for _ in range(n)],
        feats=[chance.choice(("_", "A=1", "A=2|B=1")) for _ in range(n)],
        heads=heads,
        labels=[chance.choice(LABELS) if h else "root" for h in heads],
    )


def count(sentences: list[Sentence], name: str = "x") -> TreebankCounts:
    counts = TreebankCounts(name)
    for sentence in sentences:
        counts.add(sentence)
    return counts


def rows_of(table: Table) -> dict[str, tuple[object, ...]]:
    return {str(row[0]): tuple(row[1:]) for row in table.rows}


SENTENCES = [random_sentence(random.Random(seed)) for seed in range(200)]
COUNTS = count(SENTENCES)
TABLES = {table.name: rows_of(table) for table in statistics_tables([COUNTS])}


def depth(heads: list[int], k: int) -> int:
    return 1 + depth(heads, heads[k - 1]) if k else 0


def test_the_shape_of_trees() -> None:
    trees = [sentence.gold_heads() for sentence in SENTENCES]
    depths = [max(depth(heads, k) for k in range(1, len(heads) + 1)) for heads in trees]
    crossing = [sum(not arc_is_projective(tuple(heads), d + 1) for d in range(len(heads))) for heads in trees]
    summary = TABLES["summary"]
    assert summary["depth, mean"] == (pytest.approx(sum(depths) / 200),)
    assert summary["depth, most"] == (max(depths),)
    assert summary["non-projective sentences"] == (sum(map(bool, crossing)),)
    assert summary["non-projective arcs %"] == (pytest.approx(100 * sum(crossing) / sum(map(len, trees))),)
    lengths = sorted(map(len, trees))
    assert summary["words per sentence, median"] == ((lengths[99] + lengths[100]) / 2,)


def test_relations_and_word_order() -> None:
    arcs = [
        (label, d - h) for s in SENTENCES for d, (h, label) in enumerate(zip(s.heads, s.labels, strict=True), 1) if h
    ]
    objects = [distance for label, distance in arcs if label == "obj"]
    words, percent, before, distance = TABLES["relations"]["obj"]
    assert words == len(objects)
    assert percent == pytest.approx(100 * len(objects) / sum(map(len, SENTENCES)))
    assert before == pytest.approx(100 * sum(d < 0 for d in objects) / len(objects))
    assert distance == pytest.approx(sum(map(abs, objects)) / len(objects))
    subjects = [distance for label, distance in arcs if label.startswith("nsubj")]
    assert TABLES["order"]["nsubj after head"][0] == sum(d > 0 for d in subjects)
    assert TABLES["relations"]["root"] == (200, pytest.approx(20000 / sum(map(len, SENTENCES))), None, None)


def test_orders_of_subject_verb_and_object() -> None:
    expected = dict.fromkeys(("SVO", "SOV", "VSO", "VOS", "OVS", "OSV"), 0)
    for sentence in SENTENCES:
        for verb in sentence:
            first = {name: [c.id for c in verb.children if c.label.startswith(name)][:1] for name in ("nsubj", "obj")}
            if first["nsubj"] and first["obj"]:
                letters = {first["nsubj"][0]: "S", verb.id: "V", first["obj"][0]: "O"}
                expected["".join(letters[place] for place in sorted(letters))] += 1
    assert {order: TABLES["order"][order][0] for order in expected} == expected
    assert min(expected.values()) > 0


def test_tags_features_and_ambiguity() -> None:
    pairs = [pair for s in SENTENCES for pair in zip(s.words, s.upos, strict=True)]
    nouns = sum(tag == "NOUN" for _, tag in pairs)
    assert TABLES["upos"]["NOUN"] == (nouns, pytest.approx(100 * nouns / len(pairs)))
    features = [value for s in SENTENCES for column in s.feats for value in column.split("|")]
    assert TABLES["features"]["B=1"][0] == features.count("B=1")
    of_a = {tag: pairs.count(("a", tag)) for tag in TAGS}
    listed = ", ".join(f"{tag} {of_a[tag]}" for tag in sorted(TAGS, key=lambda tag: (-of_a[tag], tag)))
    assert TABLES["ambiguity"]["a"] == (listed,)


def test_lengths_are_all_counted() -> None:
    assert sum(int(str(row[0])) for row in TABLES["lengths"].values()) == 200
    assert TABLES["lengths"]["1-5 words"][0] == sum(len(s) <= 5 for s in SENTENCES)


def test_partial_trees_and_multiword_tokens() -> None:
    sentence = Sentence.from_words(
        ["a", "b", "c"], heads=[2, None, 2], labels=["nsubj", "_", "obj"], multiword=[(1, 2, "ab")]
    )
    (table,) = statistics_tables([count([sentence])], ["summary"])
    summary = rows_of(table)
    assert summary["sentences with part of a tree"] == (1,)
    assert summary["words without a head"] == (1,)
    assert (summary["tokens"], summary["words"], summary["multiword tokens"]) == ((2,), (3,), (1,))
    three = Sentence.from_words(list("abcd"), heads=[0, 1, 1, 1], labels=list("rxxx"), multiword=[(1, 3, "abc")])
    assert count([three]).tokens == 2
    assert "depth, mean" not in summary


def test_the_median_is_between_two_sentences() -> None:
    sentences = [Sentence.from_words(["w"] * n, heads=[0] * n, labels=["root"] * n) for n in (1, 4)]
    (table,) = statistics_tables([count(sentences)], ["summary"])
    assert rows_of(table)["words per sentence, median"] == (2.5,)


def test_unknown_words() -> None:
    unknown = UnknownWords({"a": 3, "b": 2, "c": 5}, {"a", "c"})
    assert (unknown.words, unknown.types) == (2, 1)
    assert unknown.words_percent == 20
    assert unknown.types_percent == pytest.approx(100 / 3)


def test_a_long_sentence_with_crossing_arcs() -> None:
    n = 30_000
    heads = [0, 1, *(k - 2 for k in range(3, n + 1))]
    counts = count([Sentence.from_words(["w"] * n, heads=heads, labels=["x"] * n)])
    assert counts.nonprojective_arcs == n - 3
    assert dict(counts.depths) == {1 + n // 2: 1}
