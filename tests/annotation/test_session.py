"""Annotating: guesses around what counts, choices, other annotations, two pages, and what a page is told."""

import random
import time
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from samples.annotated import EACH_KIND, RICH, act, make_folder, make_rich_folder, open_session
from samples.small_models import full_treebank, linear, neural, whole

from dodona import DodonaError, Sentence
from dodona.annotation import session as session_module
from dodona.annotation.draft import Draft
from dodona.annotation.guesses import Frequencies, complete, find_choices
from dodona.annotation.informative import rank_sentences
from dodona.annotation.project import Project, find_files
from dodona.annotation.session import (
    EDITS,
    AnnotationSession,
    StaleVersionError,
    _describe,
    _find_word,
    _list_changed,
)
from dodona.data.trees import find_cycle
from dodona.data.ud import UNIVERSAL_TAGS
from dodona.pipeline.pipeline import Pipeline
from dodona.validation.rules import Finding


@pytest.fixture
def session(tmp_path: Path) -> AnnotationSession:
    return open_session(make_folder(tmp_path / "p"))


def columns(view: dict[str, Any], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(word[name] for name in names) for word in view["words"]]


def test_what_is_not_marked_is_what_the_model_says(session: AnnotationSession) -> None:
    view = session.open(4, "page")
    bare = Sentence.from_words([word["form"] for word in view["words"]])
    (parsed,) = whole().parse([bare])
    expected = list(zip(parsed.upos, parsed.feats, parsed.lemmas, parsed.heads, parsed.labels, strict=True))
    assert columns(view, "upos", "feats", "lemma", "head", "label") == expected
    assert all(0 <= word["confidence"]["arc"] <= 1 for word in view["words"])
    assert view["status"] == "open"


def test_a_change_is_kept_and_the_rest_parsed_around_it(session: AnnotationSession) -> None:
    before = session.open(4, "page")
    word = next(k for k, each in enumerate(before["words"], start=1) if each["head"] not in (0, 1) and k > 1)
    after = act(session, 4, kind="arc", word=word, head=1, label="obj")
    changed = after["words"][word - 1]
    assert (changed["head"], changed["label"], changed["marks"]["arc"]) == (1, "obj", "changed")
    assert changed["confidence"]["arc"] is None
    assert find_cycle([each["head"] for each in after["words"]]) is None
    guessed = ("head", "label", "upos", "feats", "lemma")
    pairs = zip(columns(before, *guessed), columns(after, *guessed), strict=True)
    assert after["changed"] == [k for k, (old, new) in enumerate(pairs, start=1) if k != word and old != new]
    back = act(session, 4, kind="undo")
    assert columns(back, "head", "label") == columns(before, "head", "label")
    assert (back["undo"], back["redo"]) == (False, True)


def test_with_another_model_all_that_is_shown_is_what_that_one_says(tmp_path: Path) -> None:
    """Also of sentences that a page has open, that were changed before, and that were never looked at."""
    session = open_session(make_folder(tmp_path / "p", guesses=5))
    other = Pipeline(neural("arc-hybrid").parser, whole().tagger)
    before = [session.open(number, "page") for number in (1, 4, 5, 6)]
    act(session, 5, kind="arc", word=2, head=0, label="root")
    act(session, 6, kind="set", word=1, column="upos", value="INTJ")
    act(session, 6, kind="undo")
    session.learner.pipeline = other
    fresh = open_session(make_folder(tmp_path / "q", guesses=5))
    fresh.learner.pipeline = other
    act(fresh, 5, kind="arc", word=2, head=0, label="root")
    names = ("head", "label", "upos", "xpos", "feats", "lemma", "confidence", "marks")
    for number in range(1, 9):
        shown = session.open(number, "page")
        assert columns(shown, *names) == columns(fresh.open(number, "page"), *names), number
        for column in ("head", "label", "upos"):
            assert session.choose(number, 2, column, None) == fresh.choose(number, 2, column, None)
    assert columns(before[1], "head", "label") != columns(session.open(4, "page"), "head", "label")
    session.close()
    fresh.close()


def test_nothing_is_parsed_in_a_sentence_that_is_done(session: AnnotationSession) -> None:
    before = session.open(1, "page")
    assert before["status"] == "done"
    last = len(before["words"])
    after = act(session, 1, kind="arc", word=last, head=1, label="odd")
    assert columns(after, "head", "label")[:-1] == columns(before, "head", "label")[:-1]
    assert after["status"] == "done"
    kept = act(session, 1, kind="arc", word=last, head=2, label=None)
    assert (kept["words"][-1]["head"], kept["words"][-1]["label"]) == (2, "odd")


def test_a_tag_of_somebody_is_not_taken_back(session: AnnotationSession) -> None:
    view = act(session, 4, kind="set", word=1, column="upos", value="INTJ")
    assert (view["words"][0]["upos"], view["words"][0]["marks"]["upos"]) == ("INTJ", "changed")
    assert view["words"][0]["feats"] == "_"
    usual = session.frequencies.xpos["NOUN"].most_common(1)[0][0]
    assert act(session, 4, kind="set", word=1, column="upos", value="NOUN")["words"][0]["xpos"] == usual
    view = act(session, 4, kind="set", word=1, column="upos", value="INTJ")
    view = act(session, 4, kind="set", word=1, column="lemma", value="oh")
    view = act(session, 4, kind="arc", word=2, head=1, label="obj")
    assert (view["words"][0]["upos"], view["words"][0]["lemma"]) == ("INTJ", "oh")


def test_crossing_arcs_are_no_obstacle() -> None:
    """A parser that builds projective trees gets them nevertheless; two roots, too."""
    words = [f"w{k}" for k in range(1, 9)]
    for heads in ([3, 4, 0, 3, 7, 8, 3, 7], [0, 1, 5, 1, 0, 5, 5, 5], [None, 5, 6, None, None, 1, None, None]):
        sentence = Sentence.from_words(
            words, ["NOUN"] * 8, heads=heads, labels=["_" if head is None else "obj" for head in heads]
        )
        draft = Draft.from_sentence(sentence).open_up()
        for pipeline in (linear("arc-eager"), linear("easy-first"), linear("swap-standard"), neural("arc-hybrid")):
            draft = draft.change(8, draft.words[7].mark(["arc"], None))
            result = complete(draft, pipeline, Frequencies())
            assert [(w.head, w.label) for w in result.words if w.has("arc")] == [
                (w.head, w.label) for w in draft.words if w.has("arc")
            ]
            assert None not in result.heads
            assert find_cycle(result.heads) is None


def test_a_taken_tree_is_held_until_something_contradicts_it(session: AnnotationSession) -> None:
    act(session, 1, kind="reopen")
    act(session, 1, kind="release", words=[], columns=["arc"])
    act(session, 1, kind="take", name="as in the file")
    taken = session.open(1, "page")
    gold = session.project.get(1).sentence
    assert gold is not None
    assert columns(taken, "head", "label") == list(zip(gold.heads, gold.labels, strict=True))
    assert all(word["marks"]["arc"] is None for word in taken["words"])
    after = act(session, 1, kind="confirm", words=[1], columns=["arc"])
    assert columns(after, "head", "label") == columns(taken, "head", "label")
    with pytest.raises(
        DodonaError, match="no tree 'nix' for these words; expected one of: model whole, as in the file"
    ):
        act(session, 1, kind="take", name="nix")


@pytest.mark.parametrize("seed", range(4))
def test_any_arcs_without_a_cycle_become_a_tree(seed: int) -> None:
    """Crossing ones, with several roots: guesses that would close a cycle with them hang elsewhere."""
    chance = random.Random(seed)
    for _ in range(15):
        n = chance.randint(3, 9)
        order = chance.sample(range(1, n + 1), n)
        heads: list[int | None] = [None] * n
        for i, d in enumerate(order):
            if chance.random() < 0.6:
                heads[d - 1] = chance.choice([0, *order[:i]])
        labels = ["_" if head is None else "obj" for head in heads]
        draft = Draft.from_sentence(Sentence.from_words([f"w{k}" for k in range(n)], heads=heads, labels=labels))
        result = complete(draft, linear("arc-eager"), Frequencies())
        assert [a if b is not None else None for a, b in zip(result.heads, heads, strict=True)] == heads
        assert None not in result.heads
        assert find_cycle(result.heads) is None


def test_of_a_word_that_nobody_has_seen_the_guess_is_offered_first(session: AnnotationSession) -> None:
    view = act(session, 4, kind="set", word=2, column="form", value="Unseenword")
    for column in ("upos", "lemma"):
        choice, *others = session.choose(4, 2, column, None)
        assert choice == {"value": view["words"][1][column], "probability": None}
        assert {other["probability"] for other in others} <= {None}


def test_the_enhanced_graph_follows_corrected_arcs(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p")
    rows = [line.split("\t") for line in (folder / "gold.conllu").read_text("utf-8").split("\n")]
    for row in rows:
        row[8:9] = [f"{row[6]}:{row[7]}"] if len(row) == 10 else []
    text = "\n".join("\t".join(row) for row in rows)
    (folder / "gold.conllu").write_text(text.replace("# sent_id", "# annotation = open\n# sent_id"), "utf-8")
    session = open_session(folder)
    view = session.open(1, "page")
    for action in ({"kind": "arc", "word": 1, "head": 3, "label": "obl"}, {"kind": "take", "name": "as in the file"}):
        view = act(session, 1, **action)
        draft = session.project.get(1).draft
        assert [word.deps for word in draft.words] == [f"{w['head']}:{w['label']}" for w in view["words"]], action
    session.close()


def test_choices(session: AnnotationSession) -> None:
    view = session.open(4, "page")
    n = len(view["words"])
    heads = session.choose(4, 2, "head", None)
    assert sorted(choice["value"] for choice in heads) == [0, *(k for k in range(1, n + 1) if k != 2)]
    known = [choice["probability"] for choice in heads if choice["probability"] is not None]
    assert sum(known) == pytest.approx(1, abs=0.01)
    assert known == sorted(known, reverse=True)
    assert [c["probability"] for c in heads[len(known) :]] == [None] * (len(heads) - len(known))
    for column in ("label", "upos", "xpos", "feats", "lemma"):
        choices = session.choose(4, 2, column, None)
        assert len({choice["value"] for choice in choices}) == len(choices)
        assert view["words"][1][column] in [choice["value"] for choice in choices]
    for upos, column in product(("NOUN", "VERB"), ("xpos", "feats")):
        act(session, 4, kind="set", word=2, column="form", value="unheard")
        act(session, 4, kind="set", word=2, column="upos", value=upos)
        own, *others = (choice["value"] for choice in session.choose(4, 2, column, None))
        pairs = [pair for each in full_treebank(3) for pair in zip(each.upos, getattr(each, column), strict=True)]
        usual = {value for tag, value in pairs if tag == upos and value != own}
        assert set(others[: len(usual)]) == usual, "first what words with this tag have"
    roots = session.choose(4, 2, "label", 0)
    assert roots[0]["value"] == "root"
    columns_of_choices = "label, head, upos, xpos, feats, lemma"
    for word, column, message in (
        (0, "label", f"word 0; expected a number from 1 to {n}"),
        (n + 1, "head", f"word {n + 1}; expected a number from 1 to {n}"),
        (1, "size", f"column 'size'; expected one of: {columns_of_choices}"),
        (1, "misc", f"column 'misc'; expected one of: {columns_of_choices}"),
    ):
        with pytest.raises(DodonaError, match=f"^{message}$"):
            session.choose(4, word, column, None)


@pytest.mark.parametrize(("column", "value"), [("upos", "INTJ"), ("feats", "Case=Voc"), ("lemma", "oh")])
def test_what_a_model_guesses_does_not_depend_on_what_stands_there(
    session: AnnotationSession, column: str, value: str
) -> None:
    """Somebody who has decided sees what the model would say, and not the own value as a guess."""
    for k in (1, 2, 3):
        draft = session.project.get(4).draft
        free = draft.release([k], [column])
        decided = free.set_value(k, column, value)
        choices, again = (find_choices(d, k, column, None, whole(), session.frequencies) for d in (free, decided))
        assert [choice for choice in again if choice[1] is not None] == [c for c in choices if c[1] is not None]
        assert again[0][0] == choices[0][0] != value


def test_labels_are_as_probable_as_the_parser_finds_them(session: AnnotationSession) -> None:
    """Given all heads of the tree, with the head that was asked about."""
    view = session.open(4, "page")
    words, parser = view["words"], whole().parser
    heads = [word["head"] for word in words]
    for k, head in [(k, heads[k]) for k in range(len(words)) if heads[k]] + [(len(words) - 1, 1)]:
        expected = {}
        for label in parser.tree_labels:
            one = Sentence.from_words(
                [word["form"] for word in words],
                [word["upos"] for word in words],
                xpos=[word["xpos"] for word in words],
                feats=[word["feats"] for word in words],
                lemmas=[word["lemma"] for word in words],
                heads=[*heads[:k], head, *heads[k + 1 :]],
                labels=[label if d == k else word["label"] for d, word in enumerate(words)],
            )
            (judgement,) = parser.judge([one])
            expected[label] = judgement.labels[k]
        found = {each["value"]: each["probability"] for each in session.choose(4, k + 1, "label", head)}
        total = sum(expected.values())
        assert total > 0
        for label, share in expected.items():
            assert found[label] == (pytest.approx(share / total, abs=1e-4) if share >= total / 1000 else None)


def test_labels_are_those_of_words_with_such_heads() -> None:
    """With the head that is asked about, or else with the one that the word has."""
    seen = Sentence.from_words(
        list("abcde"), ["VERB", "NOUN", "NOUN", "ADP", "NOUN"],
        heads=[0, 1, 4, 1, 1], labels=["root", "of-verb", "of-adp", "x", "of-verb"],
    )  # fmt: skip
    frequencies = Frequencies()
    frequencies.add(seen)
    draft = Draft.from_sentence(seen)
    for head, label in ((None, "of-verb"), (1, "of-verb"), (4, "of-adp")):
        choices = find_choices(draft, 2, "label", head, linear("arc-eager"), frequencies)
        assert next(value for value, probability in choices if probability is None) == label


def test_frequencies_follow_what_is_annotated(session: AnnotationSession) -> None:
    form = session.open(4, "page")["words"][0]["form"]
    before = session.frequencies.upos[form]["INTJ"]
    act(session, 4, kind="set", word=1, column="upos", value="INTJ")
    assert session.frequencies.upos[form]["INTJ"] == before + 1
    act(session, 4, kind="undo")
    assert session.frequencies.upos[form]["INTJ"] == before
    act(session, 4, kind="redo")
    counts = Frequencies()
    act(session, 1, kind="split_sentence", word=2)
    act(session, 1, kind="undo")
    act(session, 2, kind="join_sentence")
    for each in session.project.sentences.values():
        counts.add(each.current)
    for name, counted in vars(counts).items():
        now, expected = (
            {key: +value for key, value in each.items() if +value}
            for each in (vars(session.frequencies)[name], counted)
        )
        assert now == expected, name
    act(session, 4, kind="set", word=1, column="upos", value="X")
    assert session.frequencies.upos[form]["INTJ"] == before


def test_other_annotations(session: AnnotationSession) -> None:
    act(session, 4, kind="arc", word=1, head=2, label="odd")
    versions = {version["name"]: version for version in session.compare(4)}
    assert list(versions) == ["model whole", "as in the file", "before the last change"]
    assert versions["model whole"]["labels"] != [word["label"] for word in session.open(4, "page")["words"]]
    act(session, 4, kind="split_token", word=1, at=1)
    versions = {version["name"]: version["heads"] for version in session.compare(4)}
    assert versions["as in the file"] is None
    assert versions["model whole"] is not None


def test_guesses_that_were_not_seen_are_not_approved_of(session: AnnotationSession) -> None:
    """When a better model has come, or another one had guessed before a restart."""
    view = session.open(4, "page")
    version, digest = view["version"], view["digest"]
    assert session.open(4, "page")["digest"] == digest
    session.learner.pipeline = linear("arc-eager")
    kinds: tuple[dict[str, Any], ...] = (
        {"kind": "done"},
        {"kind": "accept", "threshold": 0.0},
        {"kind": "confirm", "words": [1], "columns": ["arc"]},
    )
    for action in kinds:
        with pytest.raises(StaleVersionError) as caught:
            session.act(4, version, "page", action, digest)
        assert caught.value.view["digest"] != digest
        assert not any(word["marks"][name] for word in caught.value.view["words"] for name in word["marks"])
    set_by_hand = {"kind": "arc", "word": 2, "head": 1, "label": "odd"}
    assert session.act(4, version, "page", set_by_hand, digest)["words"][1]["label"] == "odd"
    view = session.open(4, "page")
    after = session.act(4, view["version"], "page", kinds[0], view["digest"])
    assert (after["status"], after["digest"] != view["digest"]) == ("done", True)


def test_the_second_page_is_told(session: AnnotationSession) -> None:
    assert session.open(1, "one")["other"] is None
    assert session.open(1, "two")["other"] == "ana"
    version = session.open(1, "one")["version"]
    session.act(1, version, "one", {"kind": "arc", "word": 1, "head": 2, "label": "x"})
    with pytest.raises(StaleVersionError) as caught:
        session.act(1, version, "two", {"kind": "arc", "word": 1, "head": 2, "label": "y"})
    assert (caught.value.view["words"][0]["label"], caught.value.view["other"]) == ("x", "ana")
    session.open(2, "one")
    assert session.open(1, "two")["other"] is None
    assert session.open(2, "two")["other"] == "ana"
    session.leave("one")
    session.leave("never heard of")
    assert session.open(2, "two")["other"] is None


def test_problems_are_at_their_words(session: AnnotationSession) -> None:
    view = act(session, 4, kind="set", word=2, column="feats", value="b=c")
    assert [(each["word"], each["level"], each["rule"]) for each in view["problems"]] == [(2, 2, "invalid-feature")]
    assert "b=c" in view["problems"][0]["message"]
    session.project.refresh(4, session.project.get(4).draft.set_comment("sent_id", "a b"))
    assert {each["word"] for each in session.check(4) if "sent-id" in each["rule"]} == {None}


def test_actions_that_change_nothing_are_no_actions(session: AnnotationSession) -> None:
    act(session, 4, kind="done")
    version = session.open(4, "page")["version"]
    assert act(session, 4, kind="done")["version"] == version
    assert act(session, 1, kind="accept", threshold=1.0)["version"] == 0


def test_actions_that_are_none(session: AnnotationSession) -> None:
    for action, message in (
        ({"kind": "nix"}, "action 'nix'; expected one of: accept, arc, "),
        ({"kind": "arc", "word": 1}, "action 'arc' without 'head'"),
        ({"kind": "undo"}, "there is nothing to undo"),
        ({"kind": "set", "word": 1, "column": "head", "value": "1"}, "column 'head'"),
    ):
        with pytest.raises(DodonaError, match=message):
            act(session, 4, **action)
    with pytest.raises(DodonaError, match="there is no sentence 99"):
        session.open(99, "page")
    with pytest.raises(DodonaError, match="the last sentence of the file"):
        act(session, 6, kind="join_sentence")


def test_the_project_is_described(session: AnnotationSession) -> None:
    act(session, 4, kind="done")
    described = session.describe()
    assert described["files"] == [
        {"file": "gold.conllu", "sentences": 3, "done": 3}, {"file": "new.conllu", "sentences": 3, "done": 1},
    ]  # fmt: skip
    assert (described["sentences"], described["done"], described["annotator"]) == (6, 4, "ana")
    assert set(whole().parser.tree_labels) <= set(described["labels"])
    assert described["learning"]["state"] == "idle"


def test_orders_of_the_queue(session: AnnotationSession) -> None:
    def select(order: str, pattern: str | None = None, first: int = 0, count: int = 50) -> dict[str, Any]:
        return session.queue.select(order, pattern, first, count, session.pipeline)

    files = select("file", first=2, count=2)
    assert (files["total"], [item["sentence"] for item in files["items"]]) == (6, [3, 4])
    assert [item["status"] for item in files["items"]] == ["done", "open"]
    pattern = "pattern { A -[root]-> B }"
    roots = select("search", pattern)["items"]
    assert [item["sentence"] for item in roots] == [1, 2, 3, 4, 5, 6]
    gold = session.project.get(1).current
    assert roots[0]["word"] == gold.heads.index(0) + 1
    act(session, 1, kind="arc", word=roots[0]["word"], head=0, label="top")
    assert [item["sentence"] for item in select("search", pattern)["items"]] == [2, 3, 4, 5, 6]
    for order, text in (("nix", None), ("search", "pattern {")):
        with pytest.raises(DodonaError):
            select(order, text)


def test_places_in_a_queue_stay_while_items_go(tmp_path: Path) -> None:
    session = open_session(make_folder(tmp_path / "p", treebank=3, guesses=30))

    def select(order: str, first: int = 0, count: int = 5, **more: Any) -> tuple[list[int], int, int | None]:
        answer = session.queue.select(order, None, first, count, session.pipeline, **more)
        return [item["sentence"] for item in answer["items"]], answer["first"], answer["next"]

    assert select("file") == ([1, 2, 3, 4, 5], 0, 5)
    assert select("file", 5) == ([6, 7, 8, 9, 10], 5, 10)
    assert select("file", 30) == ([31, 32, 33], 30, None)
    assert select("file", is_open=True) == ([4, 5, 6, 7, 8], 3, 8)
    act(session, 6, kind="done")
    assert select("file", 5, 2, is_open=True) == ([7, 8], 6, 8)
    assert select("file", sentence=20, count=12) == (list(range(10, 22)), 9, 21)
    assert select("file", sentence=2) == ([1, 2, 3, 4, 5], 0, 5)
    assert select("file", 33)[0] == []
    ranked = [item["sentence"] for item in wait_for(session, "doubt")]
    assert select("doubt")[0] == ranked[:5]
    for number in ranked[:4]:
        act(session, number, kind="done")
    assert select("doubt", 5) == (ranked[5:10], 5, 10), "who goes on after five sees the sixth"
    assert select("doubt") == (ranked[4:9], 0, 9)
    assert select("doubt", sentence=ranked[0])[0] == ranked[4:9], "one that is no longer there"
    session.close()


def wait_for(session: AnnotationSession, order: str) -> list[dict[str, Any]]:
    """Ask for a queue until it is there, as a page does."""
    for _ in range(600):
        answer = session.queue.select(order, None, 0, 500, session.pipeline)
        if "wait" not in answer:
            return list(answer["items"])
        assert answer["wait"]
        time.sleep(0.1)
    raise AssertionError(answer)


def test_the_least_sure_sentences_come_first(session: AnnotationSession) -> None:
    for order in ("doubt", "information"):
        items = wait_for(session, order)
        assert sorted(item["sentence"] for item in items) == [4, 5, 6]
        scores = [item["score"] for item in items]
        assert scores == sorted(scores, reverse=True)
        expected = rank_sentences(whole(), [session.project.get(n).current for n in (4, 5, 6)], order)
        assert scores == pytest.approx(sorted(expected, reverse=True), abs=1e-4)
    act(session, items[0]["sentence"], kind="done")
    rest = [item["sentence"] for item in items[1:]]
    assert [item["sentence"] for item in wait_for(session, "information")] == rest
    act(session, 2, kind="reopen")
    again = wait_for(session, "information")
    assert [(item["sentence"], item["score"] is None) for item in again] == [*((n, False) for n in rest), (2, True)]


@pytest.mark.slow
def test_suspects_go_when_somebody_has_looked(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p", treebank=30, guesses=1)
    session = open_session(folder)
    act(session, 1, kind="arc", word=1, head=2, label="vocative")
    act(session, 1, kind="undo")
    items = wait_for(session, "suspects")
    assert items
    assert all(item["word"] and item["sentence"] <= 30 and "perhaps" in item["why"] for item in items)
    for item in items:
        head, label = item["arc"]
        words = session.open(item["sentence"], "page")["words"]
        now = words[item["word"] - 1]
        assert (now["head"], now["label"]) != (head, label), "another arc is proposed than the present one"
        assert item["why"].startswith(f"perhaps {label} of {['ROOT', *(word['form'] for word in words)][head]}")
        assert item["form"] == now["form"]
    first = items[0]
    act(session, first["sentence"], kind="confirm", words=[first["word"]], columns=["arc"])
    left = [(item["sentence"], item["word"]) for item in wait_for(session, "suspects")]
    assert left == [(item["sentence"], item["word"]) for item in items[1:]]
    session.close()


# All of each answer


def columns_of(text: str) -> list[list[str]]:
    rows = [line.split("\t") for line in text.split("\n")]
    return [row for row in rows if row[0].isdecimal()]


def test_a_view_is_the_sentence_and_nothing_else(tmp_path: Path) -> None:
    session = open_session(make_rich_folder(tmp_path / "p"))
    done = {"arc": None, "upos": None, "feats": None, "lemma": None}
    marks: dict[str, Any] = {**done, "token": None}
    names = ("form", "lemma", "upos", "xpos", "feats", "head", "label", "misc")
    second = [
        dict(zip(names, values, strict=True)) | {"start": start, "end": end, "confidence": done, "marks": marks}
        for *values, start, end in (
            ("It", "it", "PRON", "P", "_", 2, "nsubj", "_", 0, 2),
            ("is", "be", "VERB", "V", "_", 0, "root", "SpaceAfter=No", 3, 5),
            (".", ".", "PUNCT", "P", "_", 2, "punct", "_", 5, 6),
        )
    ]
    assert session.open(2, "page") == {
        "sentence": 2, "version": 0, "digest": session.project.get(2).draft.digest, "file": "rich.conllu",
        "sent_id": "r-2", "text": "It is.", "status": "done", "words": second, "multiword": [], "changed": [],
        "problems": [], "undo": False, "redo": False, "other": None, "previous": 1, "next": None,
    }  # fmt: skip
    view = session.open(1, "page")
    draft, frequencies = session.project.get(1).draft, session.frequencies
    words = [
        {name: getattr(word, name) for name in names} | {"start": start, "end": end, "marks": marks | {
            "arc": "confirmed" if k == 1 else None
        }, "confidence": {
            aspect: None if (k, aspect) == (1, "arc") else frequencies.share(k, aspect, draft) for aspect in done
        }}
        for k, (word, (start, end)) in enumerate(
            zip(draft.words, [(0, 3), (5, 10), (5, 10), (11, 14), (15, 17), (17, 18)], strict=True), start=1
        )
    ]  # fmt: skip
    for word in words:
        assert (word["confidence"]["arc"] is None) == (word["form"] == "Ana")
    shown = {key: view[key] for key in ("words", "multiword", "status", "sent_id", "text", "previous", "next", "other")}
    assert shown == {
        "words": words, "multiword": [[2, 3, "can't"]], "status": "open", "sent_id": "r", "text": "Ana  can't see it.",
        "previous": None, "next": 2, "other": None,
    }  # fmt: skip
    rows = columns_of(RICH)
    assert [word["form"] for word in words] == [row[1] for row in rows[:6]]
    assert [word["misc"] for word in words] == ["SpacesAfter=\\s\\s", "_", "Gloss=n", "_", "SpaceAfter=No", "_"]
    session.close()


@pytest.mark.parametrize("installed", [True, False])
def test_a_project_is_described_in_full(
    session: AnnotationSession, installed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The most frequent values first, and then those that nobody has used yet."""
    monkeypatch.setattr(session_module, "has_udtools", lambda: installed)
    act(session, 4, kind="done")
    act(session, 5, kind="arc", word=1, head=2, label="made-up")
    parser, values = session.pipeline.parser, session.frequencies.list_values
    assert "made-up" not in parser.tree_labels
    assert "made-up" in values("label")
    assert "INTJ" not in values("upos")
    expected = {
        "annotator": "ana",
        "files": [
            {"file": "gold.conllu", "sentences": 3, "done": 3}, {"file": "new.conllu", "sentences": 3, "done": 1},
        ],
        "models": ["whole"],
        "labels": list(dict.fromkeys([*values("label"), *parser.tree_labels])),
        "upos": list(dict.fromkeys([*values("upos"), *UNIVERSAL_TAGS])),
        "orders": ["file", "doubt", "information", "suspects", "search"],
        "threshold": 0.9,
        "sentences": 6,
        "done": 4,
        "rules": 3 if installed else 2,
        "learning": {"state": "idle", "message": "", "progress": None, "curve": []},
    }  # fmt: skip
    assert session.describe() == expected
    session.learner.pipeline = linear("arc-eager")
    labels = list(dict.fromkeys([*values("label"), *linear("arc-eager").parser.tree_labels]))
    assert session.describe() == expected | {"models": ["whole", "retrained"], "labels": labels}


def test_other_annotations_in_full(tmp_path: Path) -> None:
    """Of each model, of the file, of each other annotator and of the last action; in the values of the page."""
    folder = make_folder(tmp_path / "p")
    first = open_session(folder, "ben")
    act(first, 4, kind="arc", word=1, head=2, label="of-ben")
    act(first, 4, kind="set", word=1, column="upos", value="X")
    bens = first.project.get(4).draft
    first.close()
    project = Project(*find_files([str(folder)]), "ana")
    session = AnnotationSession(project, {"one": whole(), "other": linear("arc-eager")})
    filed = project.get(4).sentence
    assert filed is not None
    session.open(4, "page")
    act(session, 4, kind="set", word=2, column="upos", value="Y")
    before = project.get(4).draft
    act(session, 4, kind="arc", word=2, head=1, label="of-ana")
    bare = Draft.from_sentence(Sentence.from_words(filed.words)).open_up().release([], [])
    guessed = [complete(bare, model, Frequencies()) for model in (whole(), linear("arc-eager"))]
    versions = [
        ("model one", guessed[0]), ("model other", guessed[1]), ("as in the file", Draft.from_sentence(filed)),
        ("annotator ben", bens), ("before the last change", before),
    ]  # fmt: skip
    assert session.compare(4) == [
        {
            "name": name,
            "heads": [word.head for word in draft.words],
            "labels": [word.label for word in draft.words],
            "upos": [word.upos for word in draft.words],
        }
        for name, draft in versions
    ]
    act(session, 4, kind="split_token", word=1, at=1)
    nothing = {"heads": None, "labels": None, "upos": None}
    assert [each for each in session.compare(4) if each["heads"] is None] == [
        {"name": name, **nothing} for name in ("as in the file", "annotator ben", "before the last change")
    ]
    for name in ("as in the file", "annotator ben", "nix"):
        with pytest.raises(DodonaError, match=r"for these words; expected one of: model one, model other$"):
            act(session, 4, kind="take", name=name)
    session.close()


def test_a_tree_with_holes_is_not_taken(tmp_path: Path) -> None:
    folder = make_rich_folder(tmp_path / "p")
    text = (folder / "rich.conllu").read_text("utf-8")
    (folder / "rich.conllu").write_text(text.replace("4\tobj\t4:obj", "_\t_\t4:obj"), "utf-8")
    session = open_session(folder)
    with pytest.raises(DodonaError, match="no tree 'as in the file' for these words"):
        act(session, 1, kind="take", name="as in the file")
    session.close()


@pytest.mark.parametrize(
    ("kind", "given", "called"),
    [
        ("arc", {"word": 3, "head": 4, "label": "x"}, mock.call.set_arc(3, 4, "x")),
        ("arc", {"word": 3, "head": 4}, mock.call.set_arc(3, 4, None)),
        ("set", {"word": 3, "column": "c", "value": "v"}, mock.call.set_value(3, "c", "v")),
        ("confirm", {"words": [3, 4], "columns": ["c"]}, mock.call.confirm([3, 4], ["c"])),
        ("confirm", {}, mock.call.confirm((), ())),
        ("release", {"words": [3, 4], "columns": ["c"]}, mock.call.release([3, 4], ["c"])),
        ("release", {"words": None, "columns": None}, mock.call.release((), ())),
        ("done", {}, mock.call.finish()),
        ("reopen", {}, mock.call.open_up()),
        ("split_token", {"word": 3, "at": 4}, mock.call.split_token(3, 4)),
        ("merge_tokens", {"first": 3, "last": 7}, mock.call.merge_tokens(3, 7)),
        ("multiword", {"first": 3, "last": 7, "form": "f"}, mock.call.make_multiword(3, 7, "f")),
        ("remove_multiword", {"first": 3}, mock.call.remove_multiword(3)),
    ],
)
def test_fields_of_an_action_reach_the_draft(kind: str, given: dict[str, Any], called: Any) -> None:
    draft = mock.MagicMock()
    EDITS[kind](draft, given)
    assert draft.method_calls == [called]
    draft.reset_mock()


def test_an_action_without_a_field_says_which(session: AnnotationSession) -> None:
    """Every kind of action, without each of the fields that it cannot do without."""
    optional = {"arc": {"label"}, "confirm": {"words", "columns"}, "release": {"words", "columns"}}
    for kind, fields in EACH_KIND.items():
        for name in fields.keys() - optional.get(kind, set()):
            rest = {key: value for key, value in fields.items() if key != name}
            with pytest.raises(DodonaError, match=f"^action '{kind}' without '{name}'; expected that field$"):
                act(session, 4, kind=kind, **rest)
    kinds = ", ".join(sorted({*EACH_KIND, "undo", "redo"}))
    with pytest.raises(DodonaError, match=f"^action 'nix'; expected one of: {kinds}$"):
        act(session, 4, kind="nix")


def test_rules_are_checked_as_far_as_they_can_be(session: AnnotationSession, monkeypatch: pytest.MonkeyPatch) -> None:
    levels: list[int] = []

    def note_level(*given: Any, level: int, jobs: int) -> list[Finding]:
        levels.append(level)
        return []

    monkeypatch.setattr(session_module, "validate_chunks", note_level)
    session.open(4, "page")
    for installed in (True, False):
        monkeypatch.setattr(session_module, "has_udtools", lambda: installed)  # noqa: B023
        session.check(4)
    assert levels == [2, 3, 2]


def test_what_a_problem_is_about() -> None:
    """Words by their rows, also of tokens of several words and of empty nodes; sentences by the rule or the row."""
    rows = ["# text = x", "1-2\tab", "1\ta", "2\tb", "2.1\tc", "3\td", "0.1\te", ""]
    for line, word in enumerate((None, 1, 1, 2, 2, 3, None, None, None), start=1):
        assert _find_word(rows, Finding("", line, "", "some-rule", 2, "", "")) == word, line
        for part in (
            "sent-id", "parallel-id", "newdoc", "newpar", "missing-text", "multiple-text", "empty-text",
            "text-trailing", "text-extra", "only-sometimes",
        ):  # fmt: skip
            assert _find_word(rows, Finding("", line, "", f"bad-{part}", 2, "", "")) is None
    assert _find_word(rows, Finding("", 0, "", "some-rule", 2, "", "")) is None
    for value, expected, message in (
        ("v", "e", "v; expected e"), ("v", "", "v"), ("", "e", "expected e"), ("", "", "some-rule"),
    ):  # fmt: skip
        assert _describe(Finding("", 1, "", "some-rule", 2, value, expected)) == message


@pytest.mark.parametrize(
    ("column", "value", "aspect"),
    [
        ("head", 2, "arc"),
        ("label", "x", "arc"),
        ("upos", "X", "upos"),
        ("feats", "A=b", "feats"),
        ("lemma", "x", "lemma"),
    ],
)
def test_changed_guesses_are_listed_in_every_column(column: str, value: Any, aspect: str) -> None:
    """But not what a person has set, nor words of another sentence."""
    before = Draft.from_sentence(Sentence.from_words(["a", "b", "c"], misc=["Confidence=0.5"] * 3))
    word = before.words[2]._replace(**{column: value})
    assert _list_changed(before, before.change(3, word)) == [3]
    assert _list_changed(before, before.change(3, word.mark([aspect], "changed"))) == []
    assert _list_changed(before, before.change(3, word._replace(form="d"))) == []
    assert _list_changed(before, before.change(3, before.words[2]._replace(xpos="X", misc="M=n"))) == []


def test_a_page_that_is_not_heard_of_counts_as_closed(
    session: AnnotationSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    session.open(1, "one")
    for later, other in ((599.0, "ana"), (601.0, None)):
        now = 1000.0 + later
        assert session.open(1, "two")["other"] == other
