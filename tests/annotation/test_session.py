"""Annotating: guesses around what counts, choices, other annotations, two pages, and what a page is told."""

import random
import time
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from samples.annotated import act, make_folder, open_session
from samples.small_models import full_treebank, linear, neural, whole

from dodona import DodonaError, Sentence
from dodona.annotation.draft import Draft
from dodona.annotation.guesses import Frequencies, complete, find_choices
from dodona.annotation.informative import rank_sentences
from dodona.annotation.session import AnnotationSession, StaleVersionError
from dodona.data.trees import find_cycle
from dodona.pipeline.pipeline import Pipeline


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
    for word, column in ((0, "label"), (n + 1, "head"), (1, "size")):
        with pytest.raises(DodonaError):
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


def test_too_few_sentences_for_suspects(session: AnnotationSession) -> None:
    with pytest.raises(DodonaError, match="3 sentences are annotated; expected 20 at least"):
        wait_for(session, "suspects")
