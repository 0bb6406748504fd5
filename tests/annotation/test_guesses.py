"""What is counted, guessed and offered, in full: against slow counts, for every column, with any model."""

import random
from collections import Counter
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from samples.random_networks import random_network
from samples.recording import record
from samples.small_models import full_treebank, linear, whole

from dodona import Sentence
from dodona.annotation import guesses
from dodona.annotation.draft import Draft
from dodona.annotation.guesses import Frequencies, complete, find_choices
from dodona.data.marks import ASPECTS, is_annotated, write_marks, write_status
from dodona.data.ud import UNIVERSAL_TAGS
from dodona.parser.parser import Parser
from dodona.pipeline.pipeline import Pipeline

COLUMNS = ("upos", "xpos", "feats", "lemma")


def annotated_by_chance(chance: random.Random) -> Sentence:
    """A sentence of few words with few values, done or open with any marks."""
    n = chance.randint(1, 5)
    values: dict[str, Any] = {
        name: chance.choices(letters, k=n)
        for name, letters in {
            "upos": ["NOUN", "ADV", "VERB", "_"], "xpos": ["x", "y", "_"], "feats": ["A=1", "A=2", "_"],
            "lemmas": ["l", "m", "_"],
        }.items()
    }  # fmt: skip
    heads = [0, *(chance.choice([1, None]) for _ in range(1, n))]
    labels = ["_" if head is None else chance.choice("pqr_") for head in heads]
    sentence = Sentence.from_words(chance.choices("abC", k=n), **values, heads=heads, labels=labels)
    if chance.random() < 0.6:
        marks = [{a: "confirmed" for a in ASPECTS if chance.random() < 0.6} for _ in range(n)]
        sentence.misc = [write_marks("_", own) for own in marks]
        sentence.set_comments(write_status([], "open"))
    return sentence


Row = dict[str, Any]


def list_rows(sentences: list[Sentence]) -> list[Row]:
    """The words, each with its values as far as they are annotated, and None for others."""
    rows = []
    for s in sentences:
        marks = {aspect: is_annotated(s, aspect) for aspect in ASPECTS}
        for k in range(len(s)):
            tag, has_tag = s.upos[k], marks["upos"][k] and s.upos[k] != "_"
            head = s.heads[k] if marks["arc"][k] and s.labels[k] != "_" else None
            rows.append({
                "form": s.words[k], "tag": tag,
                "upos": tag if has_tag else None, "xpos": s.xpos[k] if has_tag else None,
                "feats": s.feats[k] if has_tag and marks["feats"][k] else None,
                "lemma": s.lemmas[k] if marks["lemma"][k] and s.lemmas[k] != "_" else None,
                "label": None if head is None else s.labels[k],
                "above": "ROOT" if not head else s.upos[head - 1],
            })  # fmt: skip
    return rows


def sort_values(values: list[str | None]) -> list[str]:
    counts = Counter(value for value in values if value is not None)
    return sorted(counts, key=lambda value: (-counts[value], value))


@pytest.fixture(params=range(3))
def some(request: pytest.FixtureRequest) -> tuple[list[Sentence], Frequencies]:
    chance = random.Random(request.param)
    sentences = [annotated_by_chance(chance) for _ in range(30)]
    frequencies = Frequencies()
    for each in [*sentences, sentences[0]]:
        frequencies.add(each)
    frequencies.add(sentences[0], -1)
    return sentences, frequencies


def test_counts_and_shares_against_a_slow_count(some: tuple[list[Sentence], Frequencies]) -> None:
    sentences, frequencies = some
    rows = list_rows(sentences)
    for name in ("label", "upos", "xpos", "feats"):
        assert frequencies.list_values(name) == sort_values([row[name] for row in rows]), name
    for form, upos, xpos, feats, lemma in product("abCd", ("NOUN", "VERB", "_"), "xy", ("A=1", "_"), ("l", "_")):
        word = Draft.from_sentence(
            Sentence.from_words([form], [upos], xpos=[xpos], feats=[feats], lemmas=[lemma], misc=["Confidence=0.125"])
        )
        own = [row for row in rows if row["form"] == form]
        tagged, of_tag = ([row for row in own if row["upos"] is not None and each(row)] for each in (
            lambda row: True, lambda row: row["upos"] == upos  # noqa: B023
        ))  # fmt: skip
        lemmas = [row["lemma"] for row in own if row["tag"] == upos and row["lemma"] is not None]
        for aspect, count, total in (
            ("upos", len(of_tag), len(tagged)),
            ("feats", sum(row["feats"] == feats for row in of_tag), len(tagged)),
            ("lemma", lemmas.count(lemma), len(lemmas)),
        ):
            expected = round(count / (total + 1), 4) if total else None
            assert frequencies.share(1, aspect, word) == expected, (form, upos, aspect)
        assert frequencies.share(1, "arc", word) == 0.125
        assert frequencies.share(1, "token", word) is None


def test_what_is_taken_out_again_leaves_nothing(some: tuple[list[Sentence], Frequencies]) -> None:
    sentences, frequencies = some
    for sentence in sentences:
        frequencies.add(sentence, -1)
    for name, counts in vars(frequencies).items():
        assert not any(count for each in counts.values() for count in each.values()), name


def list_expected(rows: list[Row], form: str, guess: Row, column: str) -> list[tuple[str, float | None]]:
    """What is offered: values of the form with its tag, the guess counted once more, and then all others."""
    own = [row for row in rows if row["form"] == form]
    if column != "upos":
        own = [row for row in own if row["tag" if column == "lemma" else "upos"] == guess["upos"]]
    if column == "xpos":  # the tags of a word are one value
        own = [row for row in own if row["feats"] is not None]
    counts = Counter(row[column] for row in own if row[column] is not None)
    values = [row[column] for row in rows]
    rest: list[str] = sort_values([row[column] for row in rows if row["upos"] == guess["upos"]])
    rest += sort_values(values)
    if column == "upos":
        rest = [*sort_values(values), *UNIVERSAL_TAGS]
    elif column == "lemma":
        rest = [form, form.lower()]
    if not counts:
        return [(value, None) for value in dict.fromkeys([guess[column], *rest])]
    counts[guess[column]] += 1
    ranked = sorted(counts, key=lambda value: (-counts[value], value))
    shares = [(value, round(counts[value] / counts.total(), 4)) for value in ranked if value != "_" or len(counts) == 1]
    return [*shares, *((value, None) for value in dict.fromkeys(rest) if value not in counts)]


def test_choices_are_all_that_the_treebank_has_in_its_order(
    some: tuple[list[Sentence], Frequencies], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a form that it has and of one that it has not; and only so many."""
    sentences, frequencies = some
    rows = list_rows(sentences)
    bare = Draft.from_sentence(Sentence.from_words(["a", "C", "Sees"], misc=["Confidence=0.5"] * 3))
    for k, column in product((1, 2, 3), COLUMNS):
        free = complete(bare, whole(), frequencies)
        guess = {name: getattr(free.words[k - 1], name) for name in COLUMNS}
        expected = list_expected(rows, bare.forms[k - 1], guess, column)
        for most in (200, 3, 1):
            monkeypatch.setattr(guesses, "MAX_CHOICES", most)
            choices = find_choices(free, k, column, None, whole(), frequencies)
            known = sum(probability is not None for _, probability in expected)
            assert choices == [*expected[: min(most, known)], *expected[known:most]], (k, column, most)


def test_choices_of_arcs_end_with_what_is_near_and_with_what_is_usual() -> None:
    frequencies = Frequencies()
    for each in full_treebank(8):
        frequencies.add(each)
    draft = complete(Draft.from_sentence(full_treebank(8)[5]).open_up().release([], []), whole(), frequencies)
    n = len(draft.words)
    for k in range(1, n + 1):
        heads = find_choices(draft, k, "head", None, whole(), frequencies)
        rest = [value for value, probability in heads if probability is None]
        near = sorted((d for d in range(n + 1) if d != k), key=lambda d: abs(d - k))
        assert rest == [d for d in near if d in rest]
        for head in [None, *(d for d in range(n + 1) if d != k)]:
            above = draft.words[k - 1].head if head is None else head
            tags = draft.words[k - 1].upos, draft.words[above - 1].upos if above else "ROOT"
            usual = [*sort_values(list(frequencies.labels[tags].elements())), *frequencies.list_values("label")]
            choices = find_choices(draft, k, "label", head, whole(), frequencies)
            known = [value for value, probability in choices if probability is not None]
            assert known, "also where the tree with this head has a cycle"
            everything = dict.fromkeys([*usual, *whole().parser.tree_labels])
            assert [value for value, _ in choices] == [*known, *(v for v in everything if v not in known)]


@pytest.mark.parametrize(("least", "beam", "asked"), [(2, 4, 4), (6, 4, 6)])
def test_choices_are_counted_in_no_fewer_trees_than_the_parser_finds(
    least: int, beam: int, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guesses, "BEAM", least)
    pipeline = linear("arc-hybrid", beam)
    calls = record(monkeypatch, Parser, "analyses")
    draft = Draft.from_sentence(full_treebank(1)[0]).open_up().release([], ["arc"])
    find_choices(draft, 1, "head", None, pipeline, Frequencies())
    request = calls[-1]["request"]
    assert (request.beam, request.nbest, request.constrained) == (asked, asked, True)


NETWORK = Pipeline(random_network("arc-hybrid"), whole().tagger, whole().lemmatizer, whole().tokenizer)


@pytest.mark.parametrize("pipeline", [whole(), NETWORK], ids=["tags of the tagger", "tags of the parser"])
def test_guesses_are_what_the_model_says_with_any_model(pipeline: Pipeline) -> None:
    for sentence in full_treebank(4):
        bare = Sentence.from_words(sentence.words)
        draft = complete(Draft.from_sentence(bare).open_up().release([], []), pipeline, Frequencies())
        (parsed,) = pipeline.parse([bare])
        for name, column in (("upos", "upos"), ("xpos", "xpos"), ("feats", "feats"), ("lemma", "lemmas"),
                             ("head", "heads"), ("label", "labels")):  # fmt: skip
            assert [getattr(word, name) for word in draft.words] == list(getattr(parsed, column)), name
        assert all(word.confidence == round(word.confidence or 0, 4) for word in draft.words)


@pytest.mark.parametrize("seed", range(8))
def test_what_is_completed_has_no_holes_and_holds_only_what_it_could(seed: int) -> None:
    """A tree that is taken may cross itself, and labels that somebody leaves open are holes."""
    chance = random.Random(seed)
    for sentence in full_treebank(4, seed):
        n = len(sentence)
        order = chance.sample(range(1, n + 1), n)
        heads = [0] * n
        for place, d in enumerate(order[1:], start=1):
            heads[d - 1] = chance.choice(order[:place])
        taken = Draft.from_sentence(sentence).open_up().take(heads, chance.choices(["obj", "odd"], k=n))
        k = chance.randint(1, n)
        draft = taken.set_arc(k, heads[k - 1], None)
        for given in (taken, draft):
            full, free = (
                complete(each, linear("arc-eager"), Frequencies())
                for each in (given, replace(given, words=tuple(word._replace(held=False) for word in given.words)))
            )
            arcs, held = ([(w.head, w.label) for w in each.words] for each in (full, given))
            kept = [arc == own for arc, own, word in zip(arcs, held, given.words, strict=True) if word.held]
            assert all(kept) or arcs == [(w.head, w.label) for w in free.words], "all of another tree, or nothing"
            for old, new in zip(given.words, full.words, strict=True):
                assert new.head is not None
                assert new.label != "_"
                assert new.held == (old.held and (old.head, old.label) == (new.head, new.label))
                assert (new.confidence is None) == (new.has("arc") or new.held)
