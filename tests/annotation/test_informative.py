"""What to annotate next: measures of what a sentence can teach, against slow and simple counts; and the same sentences
in that order, equal ones as they came."""

import random
import tempfile
from math import log
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from samples.recording import record
from samples.small_models import linear
from samples.treebank import treebank

from dodona import DodonaError, FormatError, OptionError, Sentence, read, train
from dodona.annotation.informative import MEASURES, measure_sentences, rank_sentences, sort_by_measure
from dodona.data.stream import Boundary, Pause, only_sentences
from dodona.parser.parser import Parser
from dodona.parser.request import Analysis, Request
from dodona.pipeline.pipeline import Pipeline


def sentence(name: str, *comments: str, n: int = 2) -> Sentence:
    notes = [f"# sent_id = {name}", *comments]
    words = [f"Ψω{name}{k}" for k in range(n)]
    return Sentence.from_words(words, heads=[0] * n, labels=["root"] * n, misc=["A=b"] * n, comments=notes)


@pytest.mark.parametrize("seed", range(5))
def test_sorted_and_stable(seed: int) -> None:
    chance = random.Random(seed)
    given = [
        sentence(str(i), f"# confidence = {chance.choice([0.1, 0.25, 0.9999, 1.0]):.4f}", n=chance.randint(1, 5))
        for i in range(chance.randint(0, 30))
    ]
    values = [float(one.comments[-1].rpartition(" ")[2]) for one in given]
    order = sorted(range(len(given)), key=lambda i: (values[i], i))
    found = only_sentences(sort_by_measure(iter(given)))
    assert [one.to_bytes() for one in found] == [given[i].to_bytes() for i in order]


def test_other_trees_of_a_sentence_follow_its_best() -> None:
    given = [
        sentence("1", "# nbest = 1", "# confidence = 0.9000"),
        sentence("1-2", "# nbest = 2", "# confidence = 0.1000"),
        sentence("2", "# nbest = 1", "# confidence = 0.5000"),
        sentence("2-2", "# nbest = 2", "# confidence = 0.9500"),
        sentence("3", "# nbest = 1", "# confidence = 0.9000"),
    ]
    assert [one.sent_id for one in only_sentences(sort_by_measure(given))] == ["2", "2-2", "1", "1-2", "3"]


@pytest.mark.parametrize("measure", ["doubt", "errors", "information"])
def test_other_trees_follow_whatever_they_would_teach(measure: str) -> None:
    given = []
    for name, rank, sure in (("1", 1, 0.9), ("1-2", 2, 0.1), ("2", 1, 0.5), ("2-2", 2, 0.95), ("3", 1, 0.9)):
        given.append(sentence(name, f"# nbest = {rank}", f"# confidence = {sure:.4f}"))
        given[-1].misc = [f"Confidence={sure:.4f}"] * 2
    found = only_sentences(sort_by_measure(given, measure))
    assert [one.sent_id for one in found] == ["2", "2-2", "1", "1-2", "3"]


def test_bytes_of_a_file_stay_as_they_are(tmp_path: Path) -> None:
    """Empty nodes, ranges, CRLF: a warning about them is given once, when the file is read."""
    words = "1-2\tzum\t" + "\t".join("_" * 8) + "\r\n1\tzu\t" + "\t".join("_" * 4) + "\t0\troot\t_\t_\r\n"
    words += "2\tdem\t" + "\t".join("_" * 4) + "\t1\tdet\t_\t_\r\n2.1\tx\t" + "\t".join("_" * 8) + "\r\n\r\n"
    texts = [f"# confidence = {value}\r\n{words}" for value in (0.7, 0.2, 0.5)]
    file = tmp_path / "some.conllu"
    file.write_bytes("".join(texts).encode())
    with pytest.warns(match="CRLF"):
        given = list(read(file))
    found = only_sentences(sort_by_measure(given))
    assert b"".join(one.to_bytes() for one in found).decode() == texts[1] + texts[2] + texts[0]


def test_a_sentence_without_confidence() -> None:
    with pytest.raises(FormatError, match="expected one to sort by"):
        next(sort_by_measure([sentence("1")]))


def test_marks() -> None:
    """Pauses are not waited for, and comments at the end of the input stay there."""
    doubtful, sure = sentence("1", "# confidence = 0.2000"), sentence("2", "# confidence = 0.9000")
    end = Pause(b"# the end\n")
    found = list(sort_by_measure([sure, Pause(), doubtful, Boundary(), end]))
    assert [one.sent_id for one in only_sentences(found)] == ["1", "2"]
    assert found[2:] == [end]


def parsed(tags: str, heads: list[int], labels: str, sure: list[float], n: int) -> Sentence:
    columns: dict[str, Any] = {
        "upos": list(tags),
        "lemmas": [f"l{tag}" for tag in tags],
        "feats": [f"A={tag}" for tag in tags],
    }
    misc = [f"Confidence={value:.4f}" for value in sure]
    notes = [f"# sent_id = {n}", f"# confidence = {sum(sure) / len(sure):.4f}"]
    return Sentence.from_words(list(tags), **columns, heads=heads, labels=list(labels), misc=misc, comments=notes)


@pytest.fixture
def some() -> list[Sentence]:
    chance = random.Random(7)
    sentences = []
    for i in range(25):
        n = chance.randint(1, 6)
        heads = [0, *(chance.randint(1, d) for d in range(1, n))]
        sure = [round(chance.choice([0.2, 0.5, 0.9, 1.0]), 4) for _ in range(n)]
        sentences.append(parsed("".join(chance.choices("NVX", k=n)), heads, "r" * n, sure, i))
    return sentences


def trees_of(sentences: list[Sentence]) -> list[Analysis]:
    values = [[float(misc.rpartition("=")[2]) for misc in each.misc] for each in sentences]
    pairs = zip(sentences, values, strict=True)
    return [Analysis(each.gold_heads(), list(each.labels), confidence=sure) for each, sure in pairs]


def test_doubt_and_errors(some: list[Sentence]) -> None:
    trees = trees_of(some)
    doubt, errors = (measure_sentences(some, [trees], name) for name in ("doubt", "errors"))
    for i, tree in enumerate(trees):
        assert errors[i] == pytest.approx(len(tree.heads) - sum(tree.confidence))
        assert doubt[i] == pytest.approx(1 - sum(tree.confidence) / len(tree.heads))


def test_disagreement() -> None:
    sentence = parsed("NVX", [2, 0, 2], "abc", [1.0, 1.0, 1.0], 1)
    arcs = [([2, 0, 2], "abc"), ([2, 0, 1], "abc"), ([2, 0, 1], "axc")]  # 0 differ, then 1, then 2 of 3 words
    trees = [[Analysis(heads, list(labels))] for heads, labels in arcs]
    assert measure_sentences([sentence], trees, "disagreement") == [pytest.approx((1 + 2) / (2 * 3))]
    with pytest.raises(OptionError, match="expected several"):
        measure_sentences([sentence], trees[:1], "disagreement")
    with pytest.raises(OptionError, match="measure 'boredom'"):
        measure_sentences([sentence], trees, "boredom")


def test_information_against_a_slow_count(some: list[Sentence]) -> None:
    """The doubt about each word, times the mean logarithm of the doubt about similar words in all sentences."""
    trees = trees_of(some)

    def construction(i: int, k: int) -> tuple[str, str, str, bool]:
        head = trees[i].heads[k]
        return some[i].upos[k], some[i].feats[k], some[i].upos[head - 1] if head else "ROOT", head > k + 1

    words = [(i, k) for i, each in enumerate(some) for k in range(len(each))]
    found = measure_sentences(some, [trees], "information")
    for i, each in enumerate(some):
        expected = 0.0
        for k in range(len(each)):
            others = [place for place in words if place != (i, k)]
            alike = [(j, m) for j, m in others if some[j].lemmas[m] == each.lemmas[k]]
            built_alike = [(j, m) for j, m in others if construction(j, m) == construction(i, k)]
            masses = [sum(1 - trees[j].confidence[m] for j, m in group) for group in (alike, built_alike)]
            expected += (1 - trees[i].confidence[k]) * (log(1 + masses[0]) + log(1 + masses[1])) / 2
        assert found[i] == pytest.approx(expected / len(each) ** 0.5)


@pytest.mark.parametrize("measure", ["doubt", "errors", "information"])
def test_sorted_as_measured(some: list[Sentence], measure: str) -> None:
    values = [round(value, 9) for value in measure_sentences(some, [trees_of(some)], measure)]
    order = sorted(range(len(some)), key=lambda i: (-values[i], i))
    found = list(only_sentences(sort_by_measure(iter(some), measure)))
    assert [values[int(each.sent_id or "")] for each in found] == [values[i] for i in order]
    assert sorted(each.to_bytes() for each in found) == sorted(each.to_bytes() for each in some)


def test_models_that_disagree() -> None:
    """Sentences are not changed; a committee of one model agrees with itself; the first model's arcs are compared."""
    sentences = treebank(20, seed=3)
    plain = [each.to_bytes() for each in sentences]
    good, poor = (train(treebank(n), components=["parser"], iterations=1) for n in (40, 3))
    assert rank_sentences([good, good], sentences, "disagreement") == [0.0] * 20
    values = rank_sentences([good, poor], sentences, "disagreement")
    assert max(values) > 0
    for name in ("doubt", "errors", "information"):
        assert rank_sentences([good, poor], sentences, name) == rank_sentences(good, sentences, name)
    assert rank_sentences(good, [], "information") == []
    assert [each.to_bytes() for each in sentences] == plain
    copies = good.parse([each.copy() for each in sentences], Request(confidence=True))
    ordered = list(only_sentences(sort_by_measure(copies, "disagreement", [poor])))
    place = {" ".join(each.words): i for i, each in enumerate(sentences)}
    assert [values[place[" ".join(each.words)]] for each in ordered] == sorted(values, reverse=True)


def test_information_counts_lemmas_also_where_sentences_have_none() -> None:
    gold = treebank(40)
    for each in gold:
        each.lemmas = [word.lower()[:4] for word in each.words]
    nlp = train(gold, components=["tagger", "lemmatizer", "parser"], iterations=1)
    bare = [Sentence.from_words(each.words) for each in treebank(20, seed=3)]
    whole = list(nlp.parse([each.copy() for each in bare]))
    trees = [best for best, *_ in nlp.parser.analyses_of(whole, Request(confidence=True))]
    assert {lemma for each in whole for lemma in each.lemmas} != {"_"}
    assert rank_sentences(nlp, bare, "information") == measure_sentences(whole, [trees], "information")


@pytest.mark.parametrize("measure", MEASURES)
def test_only_as_many_models_are_asked_as_a_measure_needs(measure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Disagreement needs several, others take the first one; wherever sentences are measured."""
    one, other = (Pipeline(linear(system).parser) for system in ("arc-eager", "arc-hybrid"))
    asked = record(monkeypatch, Parser, "analyses_of")
    rank_sentences([one, other], treebank(2), measure)
    assert [call["self"] for call in asked] == [one.parser, other.parser][: 1 + (measure == "disagreement")]
    parsed = list(one.parse(treebank(2), Request(confidence=True)))
    for alone in (
        lambda: rank_sentences([one], treebank(2), measure),
        lambda: rank_sentences(one, treebank(2), measure),
        lambda: list(sort_by_measure(parsed, measure)),
        lambda: measure_sentences(parsed, [trees_of(parsed)], measure),
    ):
        if measure == "disagreement":
            with pytest.raises(OptionError, match=r"^disagreement of one model; expected several$"):
                alone()
        else:
            alone()
    assert len(list(sort_by_measure(parsed, measure, [other]))) == 2 + 1
    for wrong in (lambda: rank_sentences(one, [], "boredom"), lambda: list(sort_by_measure([], "boredom"))):
        with pytest.raises(OptionError, match=f"^measure 'boredom': expected one of {', '.join(MEASURES)}$"):
            wrong()


def test_a_disk_that_is_full_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    file = mock.MagicMock()
    file.__enter__.return_value.write.side_effect = OSError(28, "No space left on device")
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda prefix: file)
    with pytest.raises(DodonaError, match=r"^a temporary file cannot be written: No space left on device$"):
        list(sort_by_measure([sentence("1", "# confidence = 0.5000")]))
