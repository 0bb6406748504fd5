"""The history of a project: whatever was done can be undone, and whoever reads the journal gets to the same state."""

import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.annotated import ACTIONS, EACH_KIND, act, dump, make_folder, make_rich_folder, open_session

from dodona import DodonaError, read
from dodona.annotation.journal import JOURNAL
from dodona.annotation.session import EDITS, AnnotationSession
from dodona.data.spacing import check_text
from dodona.data.trees import find_cycle

STEPS = st.lists(st.tuples(st.integers(0, 8), ACTIONS), max_size=8)


def do_all(session: AnnotationSession, steps: list[tuple[int, dict[str, Any]]]) -> int:
    """Do what is possible of some actions, on sentences by their place; returns how many there were."""
    count = 0
    for place, action in steps:
        numbers = list(session.project.order())
        number = numbers[place % len(numbers)]
        view = session.open(number, "page")
        try:
            after = session.act(number, view["version"], "page", action)
        except DodonaError:
            assert session.open(number, "page")["version"] == view["version"]
            continue
        count += after["version"] != view["version"]
        check(session)
    return count


def check(session: AnnotationSession) -> None:
    """What holds of every sentence at any time."""
    for number in session.project.order():
        draft = session.project.get(number).draft
        sentence = draft.to_sentence()
        if draft.is_done or number in session._guessed:
            assert None not in sentence.heads
            assert find_cycle(sentence.heads) is None
        check_text(sentence)
        assert draft.offsets is not None
        shown = {k: token.form for token in draft.multiword for k in range(token.first, token.last + 1)}
        for k, (word, (start, end)) in enumerate(zip(draft.words, draft.offsets, strict=True), start=1):
            assert draft.text[start:end] == shown.get(k, word.form)


@settings(max_examples=12, deadline=None)
@given(STEPS)
def test_the_journal_leads_to_the_same_state(steps: list[tuple[int, dict[str, Any]]]) -> None:
    with TemporaryDirectory() as name:
        folder = make_folder(Path(name) / "project")
        session = open_session(folder)
        do_all(session, steps)
        touched = [number for number, each in session.project.sentences.items() if each.undo or each.redo]
        live = dump(session)
        session.close()
        again = open_session(folder)
        replayed = dump(again)
        for key in ("numbers", "versions", "history"):
            assert replayed[key] == live[key]
        for number in touched:
            assert replayed["states"][number] == live["states"][number]
        again.close()


@settings(max_examples=12, deadline=None)
@given(STEPS, STEPS)
def test_undo_gives_the_state_before(first: list[tuple[int, Any]], steps: list[tuple[int, Any]]) -> None:
    """Undoing all actions in the order in which they can be undone leads back, and redoing them forward again."""
    with TemporaryDirectory() as name:
        folder = make_folder(Path(name) / "project")
        session = open_session(folder)
        do_all(session, [(place, action) for place, action in first if action["kind"] not in ("undo", "redo")])
        for number in list(session.project.order()):
            session.open(number, "page")
        before = dump(session)
        count = 0
        undone: list[int] = []
        for place, action in steps:
            if action["kind"] not in ("undo", "redo"):
                count += do_all(session, [(place, action)])
        after = dump(session)
        for _ in range(count):
            undone.append(undo_one(session, before))
        assert compare_states(dump(session)) == compare_states(before)
        for number in reversed(undone):
            session.project.redo(number)
        assert compare_states(dump(session)) == compare_states(after)
        session.close()


def undo_one(session: AnnotationSession, before: dict[str, Any]) -> int:
    for number in list(session.project.order()):
        if len(session.project.get(number).undo) > before["history"].get(number, (0, 0))[0]:
            try:
                return session.project.undo(number)
            except DodonaError:
                continue
    raise AssertionError("there is nothing to undo")


def compare_states(dumped: dict[str, Any]) -> Any:
    return dumped["numbers"], dumped["states"]


@settings(max_examples=8, deadline=None)
@given(STEPS, STEPS)
def test_saving_changes_nothing(first: list[tuple[int, Any]], then: list[tuple[int, Any]]) -> None:
    """The files are what the states say, and after a restart all goes on, with the history of before."""
    with TemporaryDirectory() as name:
        folder = make_folder(Path(name) / "project")
        session = open_session(folder)
        do_all(session, first)
        session.save()
        for file in session.project.files.values():
            written = [sentence.to_bytes() for sentence in read(file.path)]
            assert written == [session.project.sentences[n].current.to_bytes() for n in file.numbers]
        do_all(session, then)
        live = dump(session)
        session.close()
        crashed = Path(name) / "crashed"
        shutil.copytree(folder, crashed)
        again = open_session(crashed)
        replayed = dump(again)
        assert replayed["numbers"] == live["numbers"]
        assert replayed["history"] == live["history"]
        again.save()
        again.close()
        assert dump(open_session(crashed))["numbers"] == live["numbers"]


# Every kind of action


def look(session: AnnotationSession) -> dict[str, Any]:
    """All that pages show of a project and its sentences. Versions count actions, and are looked at beside."""
    shown: dict[str, Any] = {"project": session.describe() | {"annotator": ""}}
    for number in session.project.order():
        view = session.open(number, "page")
        shown[str(number)] = {key: value for key, value in view.items() if key not in ("version", "undo", "redo")}
    return shown


def list_in_files(session: AnnotationSession) -> dict[int, Any]:
    """The sentences as they are in the file, if they are there."""
    versions = {number: session.compare(number) for number in session.project.order()}
    return {n: own for n, each in versions.items() for own in each if own["name"] == "as in the file"}


@pytest.mark.parametrize("kind", [*EDITS, "split_sentence", "join_sentence", "take"])
def test_every_action_can_be_taken_back_and_done_again_also_tomorrow(kind: str, tmp_path: Path) -> None:
    """A new kind of action must have an example in EACH_KIND."""
    folder = make_rich_folder(tmp_path / "p")
    session = open_session(folder)
    counted: list[str] = []
    session.learner.count_done = lambda: counted.append(kind)  # type: ignore[method-assign]
    number = 2 if kind == "reopen" else 1
    action = {"kind": kind, **EACH_KIND[kind]}
    before, in_files, states = look(session), list_in_files(session), dump(session)["states"]
    digests = {number: each.digest for number, each in session.project.sentences.items()}
    view = act(session, number, **action)
    assert (view["version"], view["undo"], view["redo"]) == (1, True, False)
    assert counted == (["done"] if kind == "done" else [])
    after, now = look(session), dump(session)["states"]
    assert after != before
    touched = [n for n in sorted({*states, *now}) if states.get(n) != now.get(n)]
    line = json.loads((folder / JOURNAL).read_bytes().split(b"\n")[-2])
    about = {"time": line["time"], "name": "ana", "file": "rich.conllu", "sentence": number}
    about["was"] = {str(n): digests[n] for n in touched if n in states}
    steps = [{"sentence": n, "after": now.get(n)} | ({"before": states[n]} if n in states else {}) for n in touched]
    assert line == {"kind": "act", **about, "action": action, "steps": steps}
    for restarted in (False, True):
        for way, expected, can in (("undo", before, (False, True)), ("redo", after, (True, False))):
            view = act(session, number, kind=way)
            assert (view["undo"], view["redo"]) == can
            assert look(session) == expected, (way, restarted)
            assert way == "redo" or list_in_files(session) == in_files
        line = json.loads((folder / JOURNAL).read_bytes().split(b"\n")[-2])
        assert line == {"kind": "redo", **about, "time": line["time"]}
        if not restarted:
            session.close()
            session = open_session(folder)
            assert look(session) == after
    assert [each["state"] for each in session.save()] == ["written"]
    session.close()
    session = open_session(folder, "ben")
    assert look(session) == after
    assert all(session.project.get(n).digest is not None for n in session.project.order())
    act(session, number, kind="undo")
    assert look(session) == before
    other = act(session, number, kind="set", word=1, column="lemma", value="other")
    assert (other["undo"], other["redo"]) == (True, False), "what was taken back has gone"
    session.close()
