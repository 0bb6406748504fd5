"""What to look at next: every order, all that a page is told of an item, and what is worked out beside."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from samples.annotated import act, make_folder, make_rich_folder, open_session
from samples.small_models import linear, whole

from dodona import DodonaError, Sentence
from dodona.annotation import informative, suspects
from dodona.annotation import queue as queue_module
from dodona.annotation.informative import rank_sentences
from dodona.annotation.queue import BEFORE, ORDERS
from dodona.annotation.session import AnnotationSession
from dodona.annotation.suspects import Suspect


def select(session: AnnotationSession, order: str, first: int = 0, count: int = 50, **more: Any) -> dict[str, Any]:
    pattern = more.pop("pattern", None)
    pipeline = more.pop("pipeline", session.pipeline)
    return session.queue.select(order, pattern, first, count, pipeline, **more)


def wait_for(session: AnnotationSession, order: str, **more: Any) -> dict[str, Any]:
    """Ask for a queue until it is there, as a page does."""
    for thread in [t for t in threading.enumerate() if t.name == f"dodona-{order}"]:
        thread.join(60)
    answer = select(session, order, **more)
    if "wait" in answer:
        assert answer == {"items": [], "first": 0, "next": None, "total": 0, "wait": answer["wait"]}
        return wait_for(session, order, **more)
    return answer


def describe_items(session: AnnotationSession, *items: dict[str, Any]) -> list[dict[str, Any]]:
    """All of the items, of which only this is not the same for all."""
    expected = []
    for place, item in enumerate(items):
        each = session.project.get(item["sentence"])
        rest = {"score": None, "why": "", "word": None, "form": None, "arc": None}
        status = "done" if each.draft.is_done else "open"
        about = {"place": place, "file": each.file, "text": each.draft.text, "status": status}
        expected.append(about | rest | item)
    return expected


def test_items_in_the_order_of_the_files(tmp_path: Path) -> None:
    """Every window of them: the next place is there as long as there is one behind."""
    session = open_session(make_rich_folder(tmp_path / "p"))
    act(session, 1, kind="split_sentence", word=4)
    expected = describe_items(session, *({"sentence": number} for number in session.project.order()))
    assert [item["text"] for item in expected] == ["Ana  can't", "see it.", "It is."]
    for first in range(5):
        for count in range(5):
            shown = expected[first : first + count]
            after = first + count if first + count < 3 else None
            assert select(session, "file", first, count) == {
                "items": shown, "first": first if shown else 0, "next": after, "total": 3,
            }, (first, count)  # fmt: skip
    session.close()


def test_a_sentence_without_text_is_shown_by_its_tokens(tmp_path: Path) -> None:
    folder = make_rich_folder(tmp_path / "p")
    lines = (folder / "rich.conllu").read_text("utf-8").splitlines(keepends=True)
    (folder / "rich.conllu").write_text("".join(line for line in lines if not line.startswith("# text")), "utf-8")
    session = open_session(folder)
    assert [item["text"] for item in select(session, "file")["items"]] == ["Ana can't see it .", "It is ."]
    session.close()


def test_a_page_begins_shortly_before_its_sentence(tmp_path: Path) -> None:
    session = open_session(make_folder(tmp_path / "p", guesses=30))
    for number in range(1, 34):
        assert select(session, "file", sentence=number)["first"] == max(0, number - 1 - BEFORE)
    assert BEFORE == 10
    session.close()


def test_items_of_a_search(tmp_path: Path) -> None:
    """Each is about its first word, and says what it is."""
    session = open_session(make_rich_folder(tmp_path / "p"))
    found = select(session, "search", pattern="pattern { A [upos=VERB]; A -[nsubj]-> B }")
    assert found["items"] == describe_items(
        session,
        {"sentence": 1, "why": "A:4 B:1", "word": 1, "form": "Ana"},
        {"sentence": 2, "why": "A:2 B:1", "word": 1, "form": "It"},
    )
    act(session, 1, kind="split_token", word=1, at=1)
    act(session, 1, kind="undo")
    again = select(session, "search", pattern="pattern { A [upos=VERB]; A -[nsubj]-> B }")
    assert again == found
    for label in ("one", "two", "three"):
        act(session, 2, kind="arc", word=3, head=2, label=label)
        (item,) = select(session, "search", pattern="pattern { A -[one|two|three]-> B }")["items"]
        assert (item["sentence"], item["word"]) == (2, 2)
        act(session, 2, kind="arc", word=3, head=2, label="punct")
        assert select(session, "search", pattern="pattern { A -[one|two|three]-> B }")["items"] == []
    for word, form in enumerate(session.project.get(2).current.words, start=1):
        (token,) = select(session, "search", pattern=f'pattern {{ A [form="{form}", upos=PRON|VERB|PUNCT] }}')["items"][
            -1:
        ]
        assert (token["sentence"], token["word"], token["form"]) == (2, word, form)
    session.close()


@pytest.mark.parametrize("order", ["doubt", "information"])
def test_items_by_a_measure(order: str, tmp_path: Path) -> None:
    """Of the open sentences; again when there is another model, and not before."""
    session = open_session(make_folder(tmp_path / "p"))
    for pipeline in (whole(), linear("arc-eager"), whole()):
        numbers = [4, 5, 6]
        scores = rank_sentences(pipeline, [session.project.get(n).current.copy() for n in numbers], order)
        ranked = sorted(zip(scores, numbers, strict=True), key=lambda pair: (-pair[0], pair[1]))
        expected = describe_items(
            session,
            *({"sentence": n, "score": round(score, 4), "why": f"{order} {score:.2f}"} for score, n in ranked),
        )
        before = session.queue._rankings.get(order)
        assert wait_for(session, order, pipeline=pipeline)["items"] == expected
        ranking = session.queue._rankings[order]
        assert ranking is not before
        assert before is None or before.stopped.is_set(), "nobody waits for it any more"
        assert select(session, order, pipeline=pipeline)["items"] == expected
        assert session.queue._rankings[order] is ranking
    session.close()
    assert ranking.stopped.is_set()


@pytest.mark.parametrize(
    ("error", "message"),
    [(DodonaError("no way"), "no way"), (ValueError("a fault"), "this failed: ValueError: a fault")],
)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_what_goes_wrong_is_told_once_and_tried_again(
    error: Exception, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session(make_folder(tmp_path / "p"))

    def fail(*given: Any) -> list[float]:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(informative, "rank_sentences", fail)
        with pytest.raises(DodonaError, match=f"^{message}$"):
            wait_for(session, "doubt")
    assert len(wait_for(session, "doubt")["items"]) == 3
    session.close()


class InThread:
    """What runs as a process of its own, as a thread, so that its ways can be watched."""

    def __init__(self, target: Callable[..., None], args: tuple[Any, ...], daemon: bool) -> None:
        sentences, sender = args
        own = Connection(os.dup(sender.fileno()), readable=False)  # as a process would have
        self.work = threading.Thread(target=target, args=(sentences, own), daemon=daemon)
        self.start, self.join = self.work.start, self.work.join

    def kill(self) -> None:
        """It ends by itself."""


@pytest.fixture
def nearby(monkeypatch: pytest.MonkeyPatch) -> None:
    context = mock.Mock(Pipe=multiprocessing.Pipe, Process=InThread)
    monkeypatch.setattr(queue_module, "process_context", lambda: context)
    monkeypatch.setattr(queue_module, "end_with_parent", lambda: None)
    monkeypatch.setattr(signal, "signal", lambda *given: None)
    monkeypatch.setattr(os, "nice", lambda more: more)


def test_items_that_may_be_wrong(nearby: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the sentences that are done, twenty of them at least; each until somebody has looked at its word."""
    session = open_session(make_folder(tmp_path / "p", treebank=20, guesses=2))
    words = session.project.get(2).current.words
    looked: list[list[bytes]] = []
    released, told = threading.Event(), threading.Event()

    def find(sentences: list[Sentence], options: Any, plan: Any, callback: Callable[[int, int], None]) -> list[Suspect]:
        looked.append([sentence.to_bytes() for sentence in sentences])
        callback(7, 30)
        told.set()
        released.wait(60)
        return [
            Suspect(1, 2, "both", 0.987654, 1, "amod", ("one reason", "another")),
            Suspect(0, 1, "label", 0.5, 0, "root", ("why",)),
        ]

    monkeypatch.setattr(suspects, "find_suspects", find)
    expected = [session.project.get(number).current.to_bytes() for number in range(1, 21)]
    waiting = select(session, "suspects")["wait"]
    assert waiting == "begins" or "parsers" in waiting
    assert told.wait(60)
    while (answer := select(session, "suspects"))["wait"] == "begins":
        threading.Event().wait(0.01)
    assert answer == {"items": [], "first": 0, "next": None, "total": 0, "wait": "7 of 30 parsers are trained"}
    released.set()
    first, second = wait_for(session, "suspects")["items"]
    assert looked == [expected]
    assert [first, second] == describe_items(
        session,
        {"sentence": 2, "score": 0.9877, "word": 2, "form": words[1], "arc": (1, "amod"),
         "why": f"perhaps amod of {words[0]}; one reason; another"},
        {"sentence": 1, "score": 0.5, "word": 1, "form": session.project.get(1).current.words[0], "arc": (0, "root"),
         "why": "perhaps root of ROOT; why"},
    )  # fmt: skip
    session.learner.pipeline = linear("arc-eager")
    assert len(select(session, "suspects")["items"]) == 2, "another model guesses, but these do not come from it"
    act(session, 1, kind="split_token", word=2, at=1)
    assert select(session, "suspects")["items"] == [first], "the words are others"
    act(session, 2, kind="confirm", words=[2], columns=["upos"])
    assert select(session, "suspects")["total"] == 1
    act(session, 2, kind="confirm", words=[2], columns=["arc"])
    assert select(session, "suspects") == {"items": [], "first": 0, "next": None, "total": 0}
    session.close()


@pytest.mark.parametrize("ends", [DodonaError("it cannot be"), SystemExit()])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_search_for_suspects_that_fails(
    ends: BaseException, nearby: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session(make_folder(tmp_path / "p", treebank=20, guesses=1))

    def fail(sentences: Any, sender: Any) -> None:
        with mock.patch.object(suspects, "find_suspects", mock.Mock(side_effect=ends)):
            try:
                find(sentences, sender)
            finally:
                sender.close()

    find = queue_module._find_suspects
    monkeypatch.setattr(queue_module, "_find_suspects", fail)
    with pytest.raises(DodonaError, match=r"it cannot be|the search for suspects has ended too early"):
        wait_for(session, "suspects")
    session.close()


def test_too_few_sentences_for_suspects(tmp_path: Path) -> None:
    session = open_session(make_folder(tmp_path / "p", treebank=19, guesses=4))
    with pytest.raises(DodonaError, match=r"^19 sentences are annotated; expected 20 at least to tell suspects$"):
        wait_for(session, "suspects")
    session.close()


def test_orders_that_are_none(tmp_path: Path) -> None:
    session = open_session(make_folder(tmp_path / "p"))
    with pytest.raises(DodonaError, match=f"^order 'nix'; expected one of: {', '.join(ORDERS)}$"):
        select(session, "nix")
    session.close()
