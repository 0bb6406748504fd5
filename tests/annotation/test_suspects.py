"""Words whose annotation may be wrong: errors that were put in are found, and what is known about arcs is counted as a
slow and simple program would count it."""

import random
from collections import Counter
from dataclasses import astuple, replace
from typing import Any

import numpy as np
import pytest
from samples.random_networks import random_network
from samples.recording import record
from samples.small_models import linear
from samples.treebank import treebank

from dodona import FormatError, OptionError, Sentence
from dodona.annotation import suspects as suspects_module
from dodona.annotation.suspects import INPUTS, Suspect, Variation, find_suspects, put_in_errors
from dodona.data.trees import find_cycle
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser
from dodona.pipeline import crossvalidation
from dodona.pipeline.pipeline import Pipeline
from dodona.pipeline.training import TrainingPlan

OPTIONS, PLAN = ParserOptions(iterations=2), TrainingPlan()


@pytest.fixture(scope="module")
def wrong_treebank() -> tuple[list[Sentence], set[tuple[int, int]]]:
    """A treebank that is easy to parse, with a wrong label and a wrong head in it."""
    sentences = treebank(90, crossing=0)
    words = set()
    for i in (11, 47):
        heads, labels = sentences[i].gold_heads(), list(sentences[i].labels)
        d = labels.index("nsubj") + 1
        if i == 11:
            labels[d - 1] = "punct"
        else:
            heads[0] = heads.index(0) + 1 if heads[0] != heads.index(0) + 1 else d
        words.add((i, d if i == 11 else 1))
        sentences[i].set_tree(heads, labels)
    return sentences, words


@pytest.fixture(scope="module")
def suspects(wrong_treebank: tuple[list[Sentence], set[tuple[int, int]]]) -> list[Suspect]:
    told: list[tuple[int, int]] = []
    suspects = find_suspects(
        wrong_treebank[0], OPTIONS, PLAN, seeds=2, folds=3, callback=lambda *counts: told.append(counts)
    )
    assert told == [(k, 6) for k in range(7)]
    return suspects


def test_errors_come_first(
    wrong_treebank: tuple[list[Sentence], set[tuple[int, int]]], suspects: list[Suspect]
) -> None:
    sentences, words = wrong_treebank
    assert {(each.sentence, each.word) for each in suspects[: len(words)]} == words
    for each in suspects:
        annotated = sentences[each.sentence]
        same_head = each.head == annotated.heads[each.word - 1]
        same_label = each.label == annotated.labels[each.word - 1]
        assert (
            each.kind == {(True, False): "label", (False, True): "head", (False, False): "both"}[same_head, same_label]
        )
        assert 0 < each.probability < 1
        assert "of 2 parsers prefer another arc" in each.reasons[0]
    assert [each.probability for each in suspects] == sorted((each.probability for each in suspects), reverse=True)
    assert {each.kind for each in suspects[:2]} >= {"label"}


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_same_on_any_number_of_processes(
    wrong_treebank: tuple[list[Sentence], set[tuple[int, int]]], suspects: list[Suspect], jobs: int
) -> None:
    sentences = wrong_treebank[0]
    before = [sentence.to_bytes() for sentence in sentences]
    again = find_suspects(sentences, OPTIONS, PLAN, seeds=2, jobs=jobs, folds=3)
    assert list(map(astuple, again)) == list(map(astuple, suspects))
    assert [sentence.to_bytes() for sentence in sentences] == before


def test_no_parser_has_seen_the_sentence_that_it_is_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor one of its copies with errors; each seed has other folds, and is that of the parsers, too."""
    trained = record(monkeypatch, crossvalidation, "train_pipeline")
    asked = record(monkeypatch, Parser, "judge")
    sentences = treebank(12, crossing=0)
    for i, sentence in enumerate(sentences):
        sentence.set_column("lemmas", [f"own{i}"] * len(sentence))
    find_suspects(sentences, ParserOptions(iterations=1, seed=4), PLAN, seeds=2, folds=3)
    assert len(trained) == len(asked) == 2 * 3
    folds = []
    for training, question in zip(trained, asked, strict=True):
        assert training["plan"].components == ("parser",)
        learned, own = ({s.lemmas[0] for s in call} for call in (training["sentences"], question["gold"]))
        assert not learned & own
        assert len(learned | own) == 12
        assert {s.lemmas[0]: (s.heads, s.labels) for s in training["sentences"]} == {
            s.lemmas[0]: (s.heads, s.labels) for s in sentences if s.lemmas[0] in learned
        }
        folds.append(frozenset(own))
    assert set(folds[:3]) != set(folds[3:])
    usual = ParserOptions(iterations=1, seed=4)
    assert [training["options"] for training in trained] == [replace(usual, seed=4 + k // 3) for k in range(6)]


def test_what_cannot_be_searched() -> None:
    sentences = treebank(5)
    with pytest.raises(OptionError, match="seeds 0"):
        find_suspects(sentences, OPTIONS, PLAN, seeds=0)
    with pytest.raises(FormatError, match="HEAD '_'"):
        find_suspects([*sentences, Sentence.from_words(["a"])], OPTIONS, PLAN)


def test_a_system_that_cannot_follow_derivations() -> None:
    """Easy-first has sites: votes and constructions are all that is known."""
    sentences = treebank(30, crossing=0)
    labels = list(sentences[4].labels)
    labels[0] = "root"
    sentences[4].set_tree(sentences[4].gold_heads(), labels)
    options = ParserOptions(system="easy-first", iterations=1)
    first, *_ = find_suspects(sentences, options, PLAN, seeds=1, folds=2)
    assert (first.sentence, first.word) == (4, 1)


@pytest.mark.parametrize("kind", ["careless", "plausible"])
def test_errors_that_are_put_in(kind: str) -> None:
    sentences = treebank(200)
    words = sum(map(len, sentences))
    wrong = put_in_errors(sentences, random.Random(3), 0.05, kind)
    assert wrong == put_in_errors(sentences, random.Random(3), 0.05, kind)
    of_tags = {tags(each, h, d): Counter[str]() for each in sentences for d, h in enumerate(each.gold_heads(), start=1)}
    for each in sentences:
        for d, (h, label) in enumerate(zip(each.gold_heads(), each.labels, strict=True), start=1):
            of_tags[tags(each, h, d)][label] += 1
    count: Counter[str] = Counter()
    for i, ((heads, labels), changed) in wrong.items():
        gold = sentences[i].gold_heads()
        assert find_cycle(heads) is None
        assert 0 in heads
        different = {d for d in range(1, len(gold) + 1) if (heads[d - 1], labels[d - 1]) != arc(sentences[i], d)}
        assert different == changed
        for d in changed:
            count["label"] += labels[d - 1] != sentences[i].labels[d - 1]
            count["head"] += heads[d - 1] != gold[d - 1]
            if kind == "plausible":
                assert labels[d - 1] in of_tags[tags(sentences[i], gold[d - 1], d)]
                moved = sum(a != b for a, b in zip(heads, gold, strict=True))
                above = gold[gold[d - 1] - 1] if gold[d - 1] else None
                nearby = heads[d - 1] in (above, gold[d - 1]) or gold[heads[d - 1] - 1] == gold[d - 1]
                assert nearby or moved > 1  # a second error may come after the first
    if kind == "careless":
        assert count["label"] == round(0.05 * words)
        assert 0.9 * round(0.05 * words) <= count["head"] <= round(0.05 * words)
    assert count["label"] > 0 < count["head"]


def tags(sentence: Sentence, head: int, d: int) -> tuple[str, str]:
    return sentence.upos[d - 1], sentence.upos[head - 1] if head else "ROOT"


def arc(sentence: Sentence, d: int) -> tuple[int, str]:
    return sentence.gold_heads()[d - 1], sentence.labels[d - 1]


def related(sentence: Sentence, first: int, last: int) -> tuple[str, str]:
    heads = sentence.gold_heads()
    if heads[first - 1] == last:
        return sentence.labels[first - 1], "left"
    return (sentence.labels[last - 1], "right") if heads[last - 1] == first else ("", "")


def test_variation_against_a_slow_count() -> None:
    """A word between its neighbours, and word and head with all between them: how often elsewhere, and how else."""
    rng = random.Random(5)
    sentences = []
    for _ in range(40):
        n = rng.randint(2, 5)
        root = rng.randint(1, n)
        heads = [0 if d == root else root for d in range(1, n + 1)]
        words = [rng.choice("aAb") for _ in range(n)]
        columns: dict[str, Any] = {
            "upos": [rng.choice("XY") for _ in words],
            "feats": [rng.choice(["A=1", "_"]) for _ in words],
        }
        labels = [rng.choice(["p", "q"]) for _ in words]
        sentences.append(Sentence.from_words(words, **columns, heads=heads, labels=labels))
    variation = Variation(sentences)
    for i, own in enumerate(sentences):
        counts, _ = variation.count(own, own.gold_heads(), own.labels)
        for d in range(1, len(own) + 1):
            h, label = arc(own, d)
            expected = [0, 0, 0, 0]
            for j, other in enumerate(sentences):
                for e in range(1, len(other) + 1):
                    if (i, d) == (j, e):
                        continue
                    if window(own, d - 1, d + 1) == window(other, e - 1, e + 1):
                        head = arc(other, e)[0]
                        same = (head - e if head else 0, other.labels[e - 1]) == (h - d if h else 0, label)
                        expected[not same] += 1
            first, last = min(h, d), max(h, d)
            for j, other in enumerate(sentences):
                for e in range(1, len(other) + first - last + 1):
                    if h and (i, first) != (j, e) and window(own, first, last) == window(other, e, e + last - first):
                        same = related(own, first, last) == related(other, e, e + last - first)
                        expected[3 - same] += 1
            assert counts[d - 1].tolist() == expected


def window(sentence: Sentence, first: int, last: int) -> list[str]:
    words = ["", *(word.lower() for word in sentence.words), ""]
    return words[first : last + 1]


def test_constructions_without_the_word_itself() -> None:
    def make(label: str, head: int) -> Sentence:
        upos, feats = ["N", "V"], ["Case=Nom", "_"]
        heads = [2, 0] if head == 2 else [0, 1]
        return Sentence.from_words(["x", "y"], upos=upos, feats=feats, heads=heads, labels=[label, "root"])

    sentences = [make("s", 2), make("s", 2), make("o", 2), make("root", 0)]
    variation = Variation(sentences)
    _, logarithms = variation.count(sentences[0], [2, 0], ["s", "root"])
    # of two other nouns under a verb, one has this label; of three other nouns, two have such a head
    by_tags = (1 + 0.1) / (2 + 1)
    assert np.exp(logarithms[0]).tolist() == pytest.approx([by_tags, (1 + 2 * by_tags) / (2 + 2), (2 + 0.1) / (3 + 1)])
    _, logarithms = variation.count(sentences[0], [2, 0], ["o", "root"])  # another label: its own is not counted
    by_tags = (1 + 0.1) / (2 + 1)
    assert np.exp(logarithms[0]).tolist() == pytest.approx([by_tags, (1 + 2 * by_tags) / (2 + 2), (2 + 0.1) / (3 + 1)])
    _, logarithms = variation.count(sentences[2], [2, 0], ["o", "root"])
    by_tags = (0 + 0.1) / (2 + 1)
    assert np.exp(logarithms[0, :2]).tolist() == pytest.approx([by_tags, 2 * by_tags / (2 + 2)])


def test_inputs_have_different_names() -> None:
    assert len(set(INPUTS)) == len(INPUTS)


class Asked(Exception):
    """Raised in place of a training."""


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"iterations": 5}),
        ({"iterations": 3}, {"iterations": 3}),
        ({"iterations": 50}, {"iterations": 5}),
        ({"scorer": "neural", "iterations": 50}, {"iterations": 50}),
    ],
)
def test_what_parsers_are_trained_with(
    options: dict[str, Any], expected: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Linear ones in few iterations; on the tags of the treebank; in no more folds than there are sentences."""
    asked: dict[str, Any] = {}

    def ask(sentences: Any, options: Any, plan: Any, split: list[int], do: Any, jobs: int) -> Any:
        asked.update(options=options, plan=plan, folds=max(split) + 1, jobs=jobs)
        raise Asked

    monkeypatch.setattr(suspects_module, "map_folds", ask)
    own = ParserOptions(seed=7, **options)
    plan = TrainingPlan(components=("tagger", "parser"), tags="predicted", folds=3)
    told: list[tuple[int, int]] = []
    for folds, count in ((10, 10), (4, 4), (30, 12)):
        with pytest.raises(Asked):
            find_suspects(treebank(12), own, plan, 2, 5, lambda *counts: told.append(counts), folds)
        assert asked == {
            "options": replace(own, **expected), "plan": replace(plan, components=("parser",), tags="gold"),
            "folds": count, "jobs": 5,
        }  # fmt: skip
        assert told.pop() == (0, 2 * count)


@pytest.mark.parametrize(("scorer", "temperature"), [("linear", 45.0), ("neural", None)])
def test_actions_of_linear_parsers_are_judged_at_one_temperature(scorer: str, temperature: float | None) -> None:
    parser = linear("arc-eager").parser if scorer == "linear" else random_network("arc-eager")
    parser = Pipeline.from_bytes(Pipeline(parser).to_bytes()).parser
    before = parser.action_temperature
    sentences = treebank(2, crossing=0)
    trees = [[(each.gold_heads(), list(each.labels))] * (2 + k) for k, each in enumerate(sentences)]
    opinions = suspects_module._ask(trees, Pipeline(parser), sentences, [0, 1])
    assert parser.action_temperature == (temperature or before) != before * (temperature is not None)
    assert [len(each.judgements) for each in opinions] == [2, 3]


@pytest.mark.parametrize(
    ("words", "copies"), [(10, 20), (3_750, 20), (7_500, 10), (7_200, 10), (50_000, 2), (75_000, 1), (10**7, 1)]
)
def test_errors_are_put_into_as_many_copies_as_it_takes(
    words: int, copies: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of both kinds, each time by another chance."""
    chances: list[tuple[str, float]] = []

    def put_in(sentences: Any, rng: random.Random, share: float, kind: str) -> dict[int, Any]:
        assert share == 0.01
        chances.append((kind, rng.random()))
        return {3: ("a tree", {7})}

    monkeypatch.setattr(suspects_module, "put_in_errors", put_in)
    sentences: Any = ["a" * words]  # nothing but its length is looked at
    made: list[Any] = list(suspects_module._make_copies(sentences, 5))
    assert len({*chances}) == len(chances)
    assert [kind for kind, _ in chances] == ["careless"] * copies + ["plausible"] * copies
    assert made == [(3, "a tree", (kind, {7})) for kind, _ in chances]


def test_the_reasons_for_a_suspect_in_full() -> None:
    """Each of them from its bound on, and none where nothing speaks against the arc."""
    sentence = Sentence.from_words(["a", "b"], heads=[2, 0], labels=["det", "root"])

    def describe(inputs: dict[str, float] | None = None, head: int = 2, label: str = "amod") -> Suspect:
        row = np.array([(inputs or {}).get(name, 0.0) for name in INPUTS])
        evidence = suspects_module.WordEvidence(np.array([row]), np.ones(1), [head], [label])
        return suspects_module._describe(sentence, 4, 0, evidence, 0.75, 3)

    first = "3 of 3 parsers prefer another arc"
    plain = Suspect(4, 1, "label", 0.75, 2, "amod", (first,))
    assert describe() == plain
    assert describe(head=0) == replace(plain, kind="both", head=0)
    assert describe(head=0, label="det") == replace(plain, kind="head", head=0, label="det")
    assert describe({"arc votes": 1 / 3}).reasons == ("2 of 3 parsers prefer another arc",)
    texts = {"arc": "the arc beside the others of its tree", "label": "the label under this head"}
    for name, text in texts.items():
        for value, shown in (
            (0.0501, None), (0.0499, "probability 0.0499"), (0.00011, "probability 0.0001"),
            (0.00009, "probability under 0.0001"),
        ):  # fmt: skip
            expected = () if shown is None else (f"{text}: {shown}",)
            assert describe({name: float(np.log(value))}).reasons == (first, *expected)
    texts = {"in context": "the word between the same words", "pair": "the same words from head to word"}
    for name, text in texts.items():
        own = {f"only different {name}": 1.0, f"different {name}": float(np.log1p(4))}
        assert describe(own).reasons == (first, f"{text}: annotated differently in all 4 other places")
        assert describe({f"different {name}": 4.0}).reasons == (first,)
