"""The history of a project: whatever was done can be undone, and whoever reads the journal gets to the same state."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from samples.annotated import ACTIONS, dump, make_folder, open_session

from dodona import DodonaError, read
from dodona.annotation.session import AnnotationSession
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
