"""A project on disk: torn lines, files that others change, and a machine that dies while files are saved."""

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from samples.annotated import act, dump, make_folder, open_session
from samples.interruptions import Interruption, interrupt_everywhere

from dodona import DodonaError, FormatError, Sentence, read, write
from dodona.annotation import journal as journal_module
from dodona.annotation import project as project_module
from dodona.annotation.agreement import describe_status
from dodona.annotation.journal import FIELDS, JOURNAL, Journal, read_journal
from dodona.annotation.project import SET_ASIDE, Project, ProjectSentence, find_files
from dodona.annotation.session import AnnotationSession
from dodona.data.marks import ASPECTS, write_status

GOLD, NEW = "gold.conllu", "new.conllu"


def labels(folder: Path, file: str) -> list[list[str]]:
    return [sentence.labels for sentence in read(folder / file)]


def test_untouched_files_stay_as_they_are(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    session = open_session(folder)
    for number in list(session.project.order()):
        session.open(number, "page")
    assert session.save() == [{"file": name, "state": "unchanged"} for name in (GOLD, NEW)]
    session.close()
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.name != JOURNAL} == before


def test_only_the_changed_sentence_is_written_anew(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p")
    before = [sentence.to_bytes() for sentence in read(folder / GOLD)]
    session = open_session(folder)
    act(session, 2, kind="arc", word=1, head=2, label="other")
    assert session.save()[0]["state"] == "written"
    assert session.save()[0]["state"] == "unchanged"
    session.close()
    after = [sentence.to_bytes() for sentence in read(folder / GOLD)]
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, False, True]
    assert b"\tother\t_\tChanged=arc\n" in after[1]


@pytest.mark.filterwarnings("ignore::dodona.errors.FormatWarning")
def test_a_file_keeps_its_manner(tmp_path: Path) -> None:
    """A byte order mark, the ends of lines, and comments that belong to no sentence, also when others are edited,
    split, joined and written again."""
    folder = make_folder(tmp_path / "p")
    path = folder / GOLD
    stray = b"# about the next one\r\n\r\n"
    blocks = path.read_bytes().replace(b"\n", b"\r\n").removesuffix(b"\r\n\r\n").split(b"\r\n\r\n")
    parts = [block + b"\r\n\r\n" for block in blocks]
    path.write_bytes(b"\xef\xbb\xbf" + parts[0] + stray + parts[1] + parts[2] + b"# the end\r\n")
    before = path.read_bytes()
    session = open_session(folder)
    for number in (1, 3, 2):
        act(session, number, kind="set", word=1, column="lemma", value="other")
        session.save()
        after = path.read_bytes()
        assert after.startswith(b"\xef\xbb\xbf#")
        assert after.count(b"\xef\xbb\xbf") == 1
        assert after.count(b"\n") == after.count(b"\r\n")
        assert after.endswith(b"\r\n\r\n# the end\r\n")
        assert after.count(b"# about the next one\r\n") == 1
        assert len(list(read(path))) == 3
    act(session, 3, kind="split_sentence", word=2)
    act(session, 1, kind="join_sentence")
    session.save()
    after = path.read_bytes()
    assert after.endswith(b"\r\n\r\n# the end\r\n")
    assert b"# about the next one\r\n" in after
    session.close()
    again = open_session(folder)
    assert again.project.messages == []
    for number in (1, 1, 2, 3, 3):
        act(again, number, kind="undo")
    again.save()
    again.close()
    now = path.read_bytes()
    assert now.replace(b"# about the next one\r\n", b"") == before.replace(stray, b"")


def test_a_torn_line_is_cut_off(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p")
    session = open_session(folder)
    act(session, 1, kind="arc", word=1, head=2, label="one")
    state = dump(session)
    act(session, 1, kind="arc", word=1, head=2, label="two")
    session.close()
    journal = folder / JOURNAL
    data = journal.read_bytes()
    last = data.rstrip(b"\n").rfind(b"\n") + 1
    for cut in (last + 1, last + 40, len(data) - 1):
        journal.write_bytes(data[:cut])
        again = open_session(folder)
        assert dump(again)["states"][1] == state["states"][1]
        assert any("torn" in message for message in again.project.messages)
        again.close()
        assert journal.read_bytes() == data[:last]
    for old, new, message in (
        (b'{"kind":"file"', b'{"kind"', ":1: .* is no line of a journal"),
        (b'{"kind":"file"', b'{"kind":"nix"', ":1: .* its kind is none of: file, "),
        (b'"sentence":1,"was"', b'"was"', ":3: .* 'sentence' is missing"),
        (b'"steps":[{"sentence":1', b'"steps":[{"sentence":77', ":3: act of sentence 1 does not fit the lines before"),
    ):
        assert old in data
        journal.write_bytes(data.replace(old, new, 1))
        with pytest.raises(DodonaError, match=JOURNAL + message):
            open_session(folder)


def test_one_program_at_a_time(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p")
    session = open_session(folder)
    with pytest.raises(DodonaError, match="another `dodona annotate` has this project open"):
        open_session(folder)
    looked = Project(*find_files([str(folder)]), "", writes=False)  # which others may meanwhile
    assert len(looked.sentences) == 6
    session.close()
    open_session(folder).close()


@pytest.mark.parametrize("when", ["while a line is written", "when it must be on disk"])
def test_a_full_disk_saves_nothing_and_says_so(when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_folder(tmp_path / "p")
    session = open_session(folder)
    before = dump(session)
    view = session.open(1, "page")

    journal = (folder / JOURNAL).read_bytes()
    write = os.write
    room = 7

    def fail(handle: int) -> None:
        raise OSError(28, "No space left on device")

    def write_some(handle: int, data: bytes) -> int:
        nonlocal room
        room -= (count := min(room, len(data)))
        if not count:
            fail(handle)
        return write(handle, data[:count])

    with monkeypatch.context() as patch:
        if when == "while a line is written":
            patch.setattr(os, "write", write_some)
        else:
            patch.setattr(os, "fsync", fail)
        with pytest.raises(DodonaError, match=r"annotation.jsonl: cannot be written: No space left on device"):
            session.act(1, view["version"], "page", {"kind": "arc", "word": 1, "head": 2, "label": "x"})
    assert dump(session) == before
    assert (folder / JOURNAL).read_bytes() == journal
    act(session, 1, kind="arc", word=1, head=2, label="y")
    state = dump(session)
    session.close()
    assert dump(open_session(folder))["states"][1] == state["states"][1]


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p")
    session = open_session(folder)
    act(session, 1, kind="arc", word=1, head=2, label="mine")
    act(session, 3, kind="arc", word=1, head=2, label="mine")
    sentences = list(read(folder / GOLD))
    sentences[2].labels = ["theirs"] * len(sentences[2])
    write(reversed(sentences), folder / GOLD)
    theirs = (folder / GOLD).read_bytes()
    assert session.save()[0] == {"file": GOLD, "state": "changed on disk"}
    session.close()
    assert (folder / GOLD).read_bytes() == theirs
    again = open_session(folder)  # the sentence that is still the same gets what was done; the other one is set aside
    carried, aside = again.project.messages
    assert "1 sentences that were not saved are carried over" in carried
    assert SET_ASIDE in aside
    assert [sentence.labels[0] for sentence in read(folder / SET_ASIDE)] == ["mine"]
    assert again.save()[0]["state"] == "written"
    again.close()
    assert [each[0] for each in labels(folder, GOLD)] == ["theirs", sentences[1].labels[0], "mine"]
    last = open_session(folder)
    assert last.project.messages == []
    assert len(last.project.sentences) == 6
    last.close()


def test_who_has_done_what_outlives_a_change_by_somebody_else(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p")
    ben = shutil.copytree(folder, tmp_path / "q")
    for place, name, label in ((folder, "ana", "obl"), (ben, "ben", "obj")):
        session = open_session(place, name)
        for number in (4, 5, 6):
            act(session, number, kind="arc", word=1, head=2, label=label)
            act(session, number, kind="done")
            if number == 4:
                session.save()
        session.close()
    before = ask_status(folder, ben)
    assert [(each["name"], each["done"]) for each in before["annotators"]] == [("ana", 3), ("ben", 3)]
    assert before["agreement"][0]["sentences"] == 3
    text = (folder / NEW).read_text("utf-8")
    (folder / NEW).write_text("# a remark\n" + text, "utf-8")  # of the first sentence, which is saved
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    looked = ask_status(folder, ben)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == files, "who looks changes nothing"
    eva = open_session(folder, "eva")
    assert [label_of(eva, number) for number in eva.project.files[NEW].numbers[1:]] == ["obl", "obl"]
    assert eva.project.messages[-1].endswith("2 sentences that were not saved are carried over")
    first = eva.project.files[NEW].numbers[0]
    assert not eva.project.get(first).by
    eva.close()
    after = ask_status(folder, ben)
    for status in (looked, after):
        assert [(each["name"], each["actions"], each["done"]) for each in status["annotators"]] == [
            ("ana", 6, 2), ("ben", 6, 3),
        ]  # fmt: skip
        assert status["agreement"][0]["sentences"] == 2
    (folder / NEW).write_text("# another remark\n" + text, "utf-8")
    again = open_session(folder, "eva")
    assert [label_of(again, number) for number in again.project.files[NEW].numbers[1:]] == ["obl", "obl"]
    last = again.project.files[NEW].numbers[-1]
    act(again, last, kind="undo")
    assert not again.project.get(last).draft.is_done, "back to what is in the file"
    again.close()
    assert ask_status(folder, ben)["annotators"][0]["done"] == 1


@pytest.mark.parametrize("saved", range(4))
def test_what_is_carried_over_is_the_same_work_whether_it_was_saved_or_not(tmp_path: Path, saved: int) -> None:
    """Of three sentences, of which somebody else changes the first: who has done the others, and that they are no new
    ones when somebody goes on with them."""
    folder = make_folder(tmp_path / "p")
    session = open_session(folder)
    for count, number in enumerate((4, 5, 6)):
        if count == saved:
            session.save()
        act(session, number, kind="arc", word=1, head=2, label="odd")
        act(session, number, kind="done")
    if saved == 3:
        session.save()
    session.close()
    (folder / NEW).write_text("# a remark\n" + (folder / NEW).read_text("utf-8"), "utf-8")
    again = open_session(folder)
    first, *others = again.project.files[NEW].numbers
    assert [sorted(again.project.get(number).by) for number in (first, *others)] == [[], ["ana"], ["ana"]]
    assert [label_of(again, number) for number in others] == ["odd"] * 2
    for number in others:
        act(again, number, kind="reopen")
        act(again, number, kind="done")
    again.close()
    (own,) = ask_status(folder)["annotators"]
    assert (own["sentences"], own["done"], own["actions"]) == (3, 2, 10)


def ask_status(*folders: Path) -> dict[str, Any]:
    projects = [Project(*find_files([str(folder)]), "", writes=False) for folder in folders]
    return describe_status(projects)


def label_of(session: AnnotationSession, number: int) -> str:
    return session.project.get(number).draft.words[0].label


def test_dying_before_the_carry_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is set aside is on disk before the journal knows the new file, and is there once."""
    folder = make_folder(tmp_path / "p")
    session = open_session(folder)
    for number in (5, 6):
        act(session, number, kind="arc", word=1, head=2, label="mine")
    session.close()
    sentences = list(read(folder / NEW))
    sentences[1].set_comments([*sentences[1].comments, "# changed"])
    write(sentences, folder / NEW)

    def die(journal: Journal, line: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "write", die)
        with pytest.raises(KeyboardInterrupt):
            open_session(folder)
    again = open_session(folder)
    assert label_of(again, again.project.files[NEW].numbers[2]) == "mine"
    assert [sentence.labels[0] for sentence in read(folder / SET_ASIDE)] == ["mine"]
    again.close()


def test_a_file_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p")
    session = open_session(folder)
    act(session, 1, kind="arc", word=1, head=2, label="mine")
    (folder / GOLD).unlink()
    assert session.save()[0]["state"] == "changed on disk"
    session.close()


@pytest.mark.parametrize("moment", ["before", "after"])
def test_dying_while_a_file_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    folder = make_folder(tmp_path / "p")
    session = open_session(folder)
    act(session, 1, kind="split_sentence", word=2)
    act(session, 2, kind="arc", word=1, head=2, label="mine")
    live = dump(session)
    replace = os.replace

    def die(source: str, target: str) -> None:
        if moment == "after" or os.path.basename(target) != GOLD:
            replace(source, target)
        if os.path.basename(target) == GOLD:
            raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", die)
        with pytest.raises(SystemExit):
            session.save()
    session.close()
    again = open_session(folder)
    replayed = dump(again)
    assert replayed["numbers"] == live["numbers"]
    assert replayed["history"] == live["history"]
    assert replayed["states"][2] == live["states"][2]
    assert again.save()[0]["state"] == ("written" if moment == "before" else "unchanged")
    again.close()
    assert len(list(read(folder / GOLD))) == 4
    assert sorted(path.name for path in folder.iterdir()) == sorted([JOURNAL, GOLD, NEW])


STEPS: list[tuple[int, dict[str, Any]] | None] = [  # None: all files are saved
    (1, {"kind": "arc", "word": 1, "head": 2, "label": "mine"}),
    (2, {"kind": "split_sentence", "word": 2}),
    None,
    (3, {"kind": "arc", "word": 1, "head": 2, "label": "mine"}),
    (2, {"kind": "undo"}),
    None,
]


@pytest.mark.parametrize("sudden", [False, True])
def test_stopped_at_every_point(tmp_path: Path, sudden: bool) -> None:
    """Around each line of the journal, and each step of saving: what was answered is there after a restart, and when
    the rest is done, the files are the same. Of an action that was not answered, all is there, or nothing."""
    folder, sound = tmp_path / "p", make_folder(tmp_path / "sound", guesses=0)
    answered: list[Any] = []

    def go_on(session: AnnotationSession, steps: list[tuple[int, dict[str, Any]] | None]) -> None:
        for step in steps:
            if step is None:
                session.save()
            else:
                act(session, step[0], **step[1])
            answered.append(states(session))

    def states(session: AnnotationSession) -> Any:
        project = session.project
        return {number: project.sentences[number].current.to_bytes() for number in project.order()}

    def work(interruption: Interruption | None = None) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        answered.clear()
        shutil.copytree(sound, folder)
        session = open_session(folder)
        answered.append(states(session))
        try:
            go_on(session, STEPS)
        finally:
            session.close()

    work()
    expected, files = list(answered), (folder / GOLD).read_bytes()
    places = [(Journal, "write"), (project_module, "write"), (project_module, "sync"), (os, "replace")]
    names = []
    for name in interrupt_everywhere(work, places, sudden):
        names.append(name)
        done = max(0, len(answered) - 1)
        session = open_session(folder)
        found = states(session)
        assert found in expected[done : done + 2], name
        go_on(session, STEPS[done + (found != expected[done]) :])
        assert session.project.messages == [], name
        session.save()
        session.close()
        assert (folder / GOLD).read_bytes() == files, name
        if not sudden:
            assert sorted(path.name for path in folder.iterdir()) == sorted([JOURNAL, GOLD]), name
    assert len(names) == 2 * (1 + 4 + 2 * 5)


def test_undo_reaches_behind_a_save_and_a_restart(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p")
    session = open_session(folder)
    before = session.project.get(1).draft
    act(session, 1, kind="arc", word=1, head=2, label="mine")
    act(session, 1, kind="split_token", word=1, at=1)
    session.save()
    session.close()
    again = open_session(folder)
    act(again, 1, kind="undo")
    act(again, 1, kind="undo")
    assert again.project.get(1).draft == before
    with pytest.raises(DodonaError, match="there is nothing to undo"):
        again.project.undo(1)
    again.close()


def test_undo_of_a_split_waits_for_its_other_half(tmp_path: Path) -> None:
    session = open_session(make_folder(tmp_path / "p"))
    act(session, 1, kind="split_sentence", word=2)
    (other,) = set(session.project.order()) - set(range(1, 7))
    assert session.project.neighbours(1) == (None, other)
    assert session.open(other, "page")["sent_id"] == "s0-2"
    act(session, other, kind="arc", word=1, head=0, label="root")
    with pytest.raises(DodonaError, match=f"sentence {other} was changed since; expected undo there first"):
        session.project.undo(1)
    session.project.undo(other)
    assert act(session, other, kind="undo")["sentence"] == 1
    assert other not in session.project.sentences
    session.close()


def test_which_files_are_a_project(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p")
    for name in (".hidden.conllu", SET_ASIDE, "notes.txt", "more.conllu.gz"):
        write([], folder / name)
    (folder / "sub.conllu").mkdir()
    assert [path.name for path in find_files([str(folder)])[1]] == [GOLD, "more.conllu.gz", NEW]
    own, files = find_files([str(folder / NEW), str(folder / GOLD), str(folder / NEW)])
    assert (own, [path.name for path in files]) == (folder, [NEW, GOLD])
    for arguments, message in (
        ([], "no folder"),
        ([str(folder), str(folder / NEW)], "one folder, or files"),
        ([str(folder / "none.conllu")], "there is no such file"),
        ([str(folder / NEW), str(folder)], "a folder among files"),
    ):
        with pytest.raises(DodonaError, match=message):
            find_files(arguments)


def test_compressed_files_stay_compressed(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p", guesses=0)
    write(read(folder / GOLD), folder / "packed.conllu.gz")
    session = open_session(folder)
    act(session, 4, kind="arc", word=1, head=2, label="mine")
    assert session.save()[1]["state"] == "written"
    session.close()
    assert labels(folder, "packed.conllu.gz")[0][0] == "mine"
    assert (folder / "packed.conllu.gz").read_bytes()[:2] == b"\x1f\x8b"


POINT = {"sentences": 1, "words": 2, "las": 3.5, "seconds": 4}


def test_lines_of_the_journal(tmp_path: Path) -> None:
    path = tmp_path / JOURNAL
    assert read_journal(path) == ([], 0)
    journal = Journal(path)
    line = {"kind": "training", "time": 1.5, "point": POINT | {"é\n": 1}, "swapped": True}
    journal.write(line)
    journal.close()
    assert [json.loads(each) for each in path.read_text().splitlines()] == [line]
    assert read_journal(path) == ([line], path.stat().st_size)


FILE = {"kind": "file", "time": 1, "file": GOLD, "digest": "0", "numbers": [[1, 3]]}
ACT = {"kind": "act", "time": 1, "name": "ana", "file": GOLD, "sentence": 1, "was": {}, "action": {}}


@pytest.mark.parametrize(
    "line",
    [
        "no JSON",
        "[]",
        {"kind": "nix"},
        FILE | {"numbers": ["a"]},
        FILE | {"numbers": [[1, 0]]},
        FILE | {"numbers": [[1, 10**12]]},
        FILE | {"carried": None},
        *(
            FILE | {"carried": [{"sentence": 1, "from": 1, "by": {}}] * before + [wrong]}
            for before in range(3)
            for wrong in ({"sentence": 1, "from": "1", "by": {}}, {"sentence": 1, "from": 1}, {"from": 1, "by": {}}, 3)
        ),
        ACT,
        ACT | {"steps": []},
        ACT | {"steps": [{"sentence": 99, "after": None}]},
        ACT | {"kind": "undo"},
        {"kind": "training", "time": 1, "point": {}, "swapped": True},
        {"kind": "training", "time": 1, "point": POINT | {"las": "x"}, "swapped": True},
    ],
)
def test_lines_that_are_none_are_named(line: Any, tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p")
    open_session(folder).close()
    journal = folder / JOURNAL
    good = journal.read_bytes()
    journal.write_bytes(good + (line if isinstance(line, str) else json.dumps(line)).encode() + b"\n")
    before = journal.read_bytes()
    with pytest.raises(DodonaError, match=r"annotation\.jsonl:3: "):
        open_session(folder)
    assert journal.read_bytes() == before


def test_work_on_a_file_that_is_gone_is_told(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p")
    session = open_session(folder)
    act(session, 4, kind="arc", word=1, head=2, label="x")
    session.close()
    (folder / NEW).rename(folder / "newer.conllu")
    session = open_session(folder)
    assert [
        message.startswith(f"{folder / NEW}: {JOURNAL} has work on it") for message in session.project.messages
    ] == [True]
    session.close()
    (folder / "newer.conllu").rename(folder / NEW)
    session = open_session(folder)
    assert session.project.messages == []
    assert label_of(session, 4) == "x"
    session.close()


# What is on disk


def test_a_file_keeps_its_mode_and_a_link_stays_one(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p")
    (folder / NEW).rename(tmp_path / "elsewhere.conllu")
    (folder / NEW).symlink_to(tmp_path / "elsewhere.conllu")
    for mode in (0o640, 0o604):
        (tmp_path / "elsewhere.conllu").chmod(mode)
        session = open_session(folder)
        act(session, 4, kind="arc", word=1, head=2, label=f"of-{mode}")
        session.save()
        session.close()
        assert (folder / NEW).is_symlink()
        assert (tmp_path / "elsewhere.conllu").stat().st_mode & 0o777 == mode
        assert labels(tmp_path, "elsewhere.conllu")[0][0] == f"of-{mode}"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere.conllu", "p"]


def test_new_sentences_have_new_numbers_for_ever(tmp_path: Path) -> None:
    """Also when others with these were taken back, before a restart, and of a file that was changed since; and names
    that no other sentence has."""
    folder = make_folder(tmp_path / "p", guesses=1)
    numbers = {1, 2, 3, 4}
    for kinds in (("split_sentence", "undo", "split_sentence"), ("undo", "split_sentence"), ("undo", "split_sentence")):
        session = open_session(folder)
        for kind in kinds:
            act(session, 3, kind=kind, word=2)
            new = {*session.project.order()} - numbers
            assert new in (set(), {max(numbers) + 1})
            numbers |= new
        names = [session.open(number, "page")["sent_id"] for number in session.project.order()]
        assert len(set(names)) == len(names)
        session.close()
    assert max(numbers) == 8
    (folder / NEW).write_text("# changed\n" + (folder / NEW).read_text("utf-8"), "utf-8")
    session = open_session(folder)
    assert session.project.files[NEW].numbers == [9]
    session.close()


def test_a_name_that_a_sentence_has_since_is_not_given_again(tmp_path: Path) -> None:
    session = open_session(make_folder(tmp_path / "p"))
    project = session.project
    draft = project.get(2).draft
    project.commit({"kind": "test"}, [(2, draft.set_comment("sent_id", "s0-2"))])
    assert [project.make_sent_id(like) for like in ("s0", "s0", "s1", None, "s0-2")] == [
        "s0-3", "s0-4", "s1-2", None, "s0-2-2",
    ]  # fmt: skip
    session.close()


def test_a_saved_sentence_that_was_joined_since_is_in_the_file_still(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p")
    session = open_session(folder)
    act(session, 3, kind="split_sentence", word=3)
    session.save()
    new = session.project.files[GOLD].numbers[-1]
    digests = [session.project.get(number).digest for number in (3, new)]
    for restarted in (False, True):
        act(session, 3, kind="join_sentence")
        if restarted:
            session.close()
            session = open_session(folder)
        act(session, 3, kind="undo")
        assert [session.project.get(number).digest for number in (3, new)] == digests != [None, None]
        assert "as in the file" in [version["name"] for version in session.compare(new)]
    session.close()


def test_what_is_carried_over_is_written_also_after_a_restart(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p")
    session = open_session(folder)
    act(session, 5, kind="arc", word=1, head=2, label="mine")
    session.close()
    (folder / NEW).write_text("# changed\n" + (folder / NEW).read_text("utf-8"), "utf-8")
    for _ in range(2):
        session = open_session(folder)
        assert session.project.files[NEW].is_changed
        session.close()
    session = open_session(folder)
    assert session.save()[1]["state"] == "written"
    session.close()
    assert labels(folder, NEW)[1][0] == "mine"
    session = open_session(folder)
    assert not session.project.files[NEW].is_changed
    session.close()


def test_lines_about_files_and_trainings_in_full(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p")
    session = open_session(folder)
    digests = [hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in (GOLD, NEW)]
    act(session, 4, kind="split_sentence", word=2)
    session.save()
    session.project.write_training({"point": POINT, "swapped": False, "before": 1.5})
    session.close()
    written = hashlib.sha256((folder / NEW).read_bytes()).hexdigest()
    first, second, _, saving, training = read_journal(folder / JOURNAL)[0]
    assert first == {"kind": "file", "time": 0.0, "file": GOLD, "digest": digests[0], "numbers": [[1, 3]]}
    assert second == {"kind": "file", "time": 1.0, "file": NEW, "digest": digests[1], "numbers": [[4, 3]]}
    about = {"file": NEW, "digest": written, "numbers": [[4, 1], [7, 1], [5, 2]]}
    assert saving == {"kind": "saving", "time": 3.0} | about
    assert training == {"kind": "training", "time": 4.0, "name": "ana", "point": POINT, "swapped": False, "before": 1.5}


LINES: dict[str, dict[str, Any]] = {
    "file": {"file": "a", "digest": "0", "numbers": [[1, 3], [5, 1]]},
    "saving": {"file": "a", "digest": "0", "numbers": []},
    "act": {"time": 1.5, "name": "a", "file": "a", "sentence": 1, "was": {}, "action": {}, "steps": []},
    "undo": {"time": 1, "name": "a", "file": "a", "sentence": 1, "was": {}},
    "redo": {"time": 1, "name": "a", "file": "a", "sentence": 1, "was": {}},
    "training": {"time": 1, "point": POINT, "swapped": True},
}


@pytest.mark.parametrize("kind", FIELDS)
def test_every_field_of_every_line_is_checked(kind: str, tmp_path: Path) -> None:
    """A new kind of line must have an example above. Each field must be there, and be what it is."""
    path = tmp_path / JOURNAL

    def fault(line: Any) -> str | None:
        path.write_bytes(
            json.dumps(LINES["redo"] | {"kind": "redo"}).encode() + b"\n" + json.dumps(line).encode() + b"\n"
        )
        try:
            assert read_journal(path)[0][1] == line
        except FormatError as error:
            return str(error)
        return None

    good = {"kind": kind, **LINES[kind]}
    assert fault(good) is None
    assert fault(good | {"more": 1}) is None
    for name in LINES[kind]:
        for bad in ({k: v for k, v in good.items() if k != name}, good | {name: None}):
            shown = json.dumps(bad)[:40]
            expected = (
                f"{path}:2: {shown!r} is no line of a journal: {name!r} is missing, or of another type than expected"
            )
            assert fault(bad) == expected
    if kind in ("file", "saving"):
        most = 10_000_000
        for runs in ([[1, most]], [[1, most - 5], [most, 5]], [[1, 1]]):
            assert fault(good | {"numbers": runs}) is None
        for runs in ([[1, most + 1]], [[1, most - 5], [most, 6]]):
            assert "10,000,001 sentences; expected 10,000,000 at most" in str(fault(good | {"numbers": runs}))
        for run in ([0, 1], [1, 0], [1], [1, 2, 3], [1, True], [1.0, 1], "ab", None):
            assert f"{run!r} are no numbers of sentences" in str(fault(good | {"numbers": [[1, 1], run]}))
    nothing: tuple[Any, ...] = ([], "x", 1, None)
    for given in nothing:
        assert "its kind is none of: file, saving, act, undo, redo, training" in str(fault(given))


def test_a_line_of_other_bytes_is_named_too(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).write_bytes(b"\xff" * 50 + b"\n")
    with pytest.raises(FormatError, match=f"{JOURNAL}:1: '\ufffd{{40}}' is no line of a journal"):
        read_journal(tmp_path / JOURNAL)


def test_what_must_be_on_disk_is_there_before_anything_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a new journal its name in the folder, of a torn one its new end, and each line."""
    synced: list[str] = []
    monkeypatch.setattr(journal_module, "sync", lambda path: synced.append(Path(path).name))
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append("journal"))
    path = tmp_path / JOURNAL
    for expected, torn in (([tmp_path.name], b""), ([], b""), (["journal"], b'{"kind"')):
        with path.open("ab") as file:
            file.write(torn)
        if torn == b"" and expected:
            path.unlink()
        journal = Journal(path)
        assert (synced, journal.torn) == (expected, len(torn))
        synced.clear()
        journal.write({"kind": "undo", **LINES["undo"]})
        assert synced == ["journal"]
        synced.clear()
        journal.close()
        journal.close()
    assert len(read_journal(path)[0]) == 3


def test_after_a_line_that_cannot_be_taken_back_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path / JOURNAL)
    line = {"kind": "undo", **LINES["undo"]}

    def fail(*given: Any) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        patch.setattr(os, "ftruncate", fail)
        with pytest.raises(DodonaError, match=r"cannot be written: Input/output error"):
            journal.write(line)
    before = (tmp_path / JOURNAL).read_bytes()
    with pytest.raises(DodonaError, match=f"{JOURNAL}: cannot be written any more; nothing is saved from now on"):
        journal.write(line)
    assert (tmp_path / JOURNAL).read_bytes() == before
    journal.close()


@pytest.mark.parametrize("status", [None, "open", "done"])
@pytest.mark.parametrize("misc", ["_", "Confidence=0.5", "Confirmed=arc", "Changed=upos"])
@pytest.mark.parametrize("hole", [False, True])
def test_what_can_be_seen_of_a_sentence_quickly_is_what_is_so(status: str | None, misc: str, hole: bool) -> None:
    """As of its draft: whether it is done, and, if it is not, whether it can have marks."""
    heads, labels = ([0, None], ["root", "_"]) if hole else ([0, 1], ["root", "dep"])
    sentence = Sentence.from_words(["a", "b"], heads=heads, labels=labels, misc=["_", misc])
    sentence.set_comments(write_status([], status))
    quick, slow = (ProjectSentence(1, "file", sentence) for _ in range(2))
    draft = slow.draft
    assert (quick.is_done, quick.current is sentence) == (draft.is_done, True)
    if not quick.is_done:
        has_marks = any(word.has(aspect) for word in draft.words for aspect in ASPECTS)
        assert quick.has_marks == has_marks
