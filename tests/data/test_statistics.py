"""Counts of a treebank, against definitions that can be read at a glance."""

import random
from typing import Any

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


def summarize(sentences: list[Sentence]) -> dict[str, float | None]:
    """Every row of the summary, as its name says."""
    words = [pair for s in sentences for pair in zip(s.words, s.upos, strict=True)]
    whole = [s.gold_heads() for s in sentences if None not in s.heads]
    depths = [max(depth(heads, k) for k in range(1, len(heads) + 1)) for heads in whole]
    crossing = [sum(not arc_is_projective(tuple(heads), d + 1) for d in range(len(heads))) for heads in whole]
    arcs = [(h, d, label) for s in sentences for d, (h, label) in enumerate(zip(s.heads, s.labels, strict=True), 1)]
    labels = {label for h, _, label in arcs if h is not None}
    distances = [abs(h - d) for h, d, _ in arcs if h]
    forms = {form for form, _ in words}
    ambiguous = {form for form in forms if len({tag for other, tag in words if other == form}) > 1}
    lengths = sorted(map(len, sentences))
    n = len(sentences)
    return {
        "sentences": n,
        "tokens": sum(1 for s in sentences for _ in s.tokens()),
        "words": len(words),
        "multiword tokens": sum(len(s.multiword) for s in sentences),
        "types (forms)": len(forms),
        "lemmas": len({lemma for s in sentences for lemma in s.lemmas} - {"_"}),
        "words per type": len(words) / len(forms),
        "UPOS": len({tag for _, tag in words} - {"_"}),
        "XPOS": len({tag for s in sentences for tag in s.xpos} - {"_"}),
        "features (name=value)": len({each for s in sentences for f in s.feats for each in f.split("|")} - {"_"}),
        "relations": len({label.partition(":")[0] for label in labels}),
        "relations with subtypes": len(labels),
        "words per sentence, mean": len(words) / n,
        "words per sentence, median": (lengths[(n - 1) // 2] + lengths[n // 2]) / 2,
        "words per sentence, most": lengths[-1],
        "depth, mean": sum(depths) / len(whole),
        "depth, most": max(depths),
        "distance from head, mean": sum(distances) / len(distances),
        "non-projective sentences": sum(map(bool, crossing)),
        "non-projective sentences %": 100 * sum(map(bool, crossing)) / len(whole),
        "non-projective arcs %": 100 * sum(crossing) / sum(map(len, whole)),
        "sentences with part of a tree": n - len(whole),
        "words without a head": sum(h is None for h, *_ in arcs),
        "ambiguous types %": 100 * len(ambiguous) / len(forms),
        "words of ambiguous types %": 100 * sum(form in ambiguous for form, _ in words) / len(words),
    }


def test_every_row_of_the_summary() -> None:
    """Of whole trees and of parts of trees, with multiword tokens, columns of nothing, and subtypes."""
    chance = random.Random(5)
    sentences = []
    for s in SENTENCES[:120]:
        lost = chance.random() < 0.3
        columns: dict[str, Any] = {name: getattr(s, name) for name in ("words", "upos", "feats", "labels")}
        columns |= {name: chance.choices(["_", "a", "b"], k=len(s)) for name in ("lemmas", "xpos")}
        heads = [None if lost and chance.random() < 0.4 else head for head in s.heads]
        ranges = [(1, 2, "ab")] if len(s) > 1 and chance.random() < 0.2 else []
        sentences.append(Sentence.from_words(**columns, heads=heads, multiword=ranges))
    (table,) = statistics_tables([count(sentences)], ["summary"])
    assert {name: value for name, (value,) in rows_of(table).items()} == pytest.approx(summarize(sentences))


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
