"""Agreement of two annotators, compared with a naive reference; and who has done what, how fast."""

from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.annotated import act, make_folder, open_session
from samples.small_models import full_treebank, whole

from dodona import write
from dodona.annotation.agreement import (
    PAUSE,
    Agreement,
    describe_status,
    find_kappa,
    list_work,
    measure_agreement,
    measure_work,
    status_tables,
)
from dodona.annotation.journal import JOURNAL
from dodona.annotation.project import Project, find_files
from dodona.annotation.session import AnnotationSession
from dodona.data.marks import write_status

ARCS = st.dictionaries(st.integers(1, 6), st.tuples(st.integers(0, 3), st.sampled_from("abc")))
SENTENCES = st.dictionaries(
    st.sampled_from([("f", "1"), ("f", "2"), ("g", "1")]),
    st.tuples(st.sampled_from([["x"] * 6, ["y"] * 6]), ARCS),
)


def naive_kappa(pairs: list[tuple[str, str]]) -> Fraction | None:
    """By its definition: the chance that two words, taken at random from each annotator, have the same relation."""
    observed = Fraction(sum(one == other for one, other in pairs), len(pairs))
    crossed = list(product([one for one, _ in pairs], [other for _, other in pairs]))
    expected = Fraction(sum(one == other for one, other in crossed), len(crossed))
    return None if expected == 1 else (observed - expected) / (1 - expected)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=12))
def test_kappa(pairs: list[tuple[str, str]]) -> None:
    expected = naive_kappa(pairs)
    kappa = find_kappa(pairs)
    assert (kappa is None) == (expected is None)
    if expected is not None:
        assert kappa == pytest.approx(float(expected))


def test_kappa_of_a_textbook() -> None:
    """Cohen's example of two people and yes or no: 20, 5, 10, 15."""
    pairs = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    assert find_kappa(pairs) == pytest.approx(0.4)


@given(SENTENCES, SENTENCES)
def test_agreement(first: dict[Any, Any], second: dict[Any, Any]) -> None:
    pairs = [
        (first[key][1][word], second[key][1][word])
        for key in first
        for word in first[key][1]
        if key in second and first[key][0] == second[key][0] and word in second[key][1]
    ]
    measured = measure_agreement(first, second)
    assert measured.words == len(pairs)
    if not pairs:
        assert measured == Agreement(0, 0, None, None, None, None)
        return
    assert measured.uas == pytest.approx(100 * sum(a[0] == b[0] for a, b in pairs) / len(pairs))
    assert measured.las == pytest.approx(100 * sum(a == b for a, b in pairs) / len(pairs))
    assert measured.labels == pytest.approx(100 * sum(a[1] == b[1] for a, b in pairs) / len(pairs))
    expected = naive_kappa([(a[1], b[1]) for a, b in pairs])
    assert measured.kappa == (None if expected is None else pytest.approx(float(expected)))
    assert measure_agreement(second, first).las == pytest.approx(measured.las)


def test_pauses_are_no_work() -> None:
    def line(time: float, name: str = "ana", kind: str = "act", sentence: int = 1, action: str = "arc") -> Any:
        return {"kind": kind, "time": time, "name": name, "sentence": sentence, "action": {"kind": action}}

    work = list_work([
        {"kind": "file"}, line(1000), line(1010, action="done"), line(1015, "ben", "undo", 2),
        line(1010 + PAUSE, sentence=3), line(1030 + PAUSE, sentence=3, action="done"),
    ])  # fmt: skip
    assert {name: (own.actions, own.seconds, own.done, own.touched) for name, own in work.items()} == {
        "ana": (4, 30, {1, 3}, {1, 3}),
        "ben": (1, 0, set(), {2}),
    }


def test_two_copies_of_a_project_are_compared(tmp_path: Path) -> None:
    for name, label in (("ana", "one"), ("ben", "other")):
        session = open_session(make_folder(tmp_path / name), name)
        words = len(session.open(4, "page")["words"])
        for word in (1, words):
            act(session, 4, kind="confirm", words=[word], columns=["arc"])
        act(session, 5, kind="done")
        head = session.open(5, "page")["words"][0]["head"]
        act(session, 5, kind="arc", word=1, head=head, label=label)
        act(session, 6, kind="done")
        if name == "ben":
            act(session, 6, kind="undo")
        session.close()
    projects = [Project(*find_files([str(tmp_path / name)]), "", writes=False) for name in ("ana", "ben")]
    status = describe_status(projects)
    n = len(projects[0].get(5).draft.words)
    (agreement,) = status["agreement"]
    assert (agreement["first"], agreement["second"]) == ("ana", "ben")
    assert (agreement["sentences"], agreement["words"]) == (2, n + 2)
    assert agreement["uas"] == 100
    assert agreement["las"] == pytest.approx(100 * (n + 1) / (n + 2))
    assert [(each["name"], each["done"]) for each in status["annotators"]] == [("ana", 2), ("ben", 1)]
    assert [(each["done"], each["sentences"], each["saved"]) for each in status["files"]] == [
        (3, 3, True), (2, 3, False), (3, 3, True), (1, 3, False),
    ]  # fmt: skip
    assert status["files"][1]["arcs"] == n + 2 + len(projects[0].get(6).draft.words)
    assert [table.name for table in status_tables(status)] == ["progress", "annotators", "agreement"]
    judge = AnnotationSession(
        Project(*find_files([str(make_folder(tmp_path / "final"))]), "eva"), {"whole": whole()}, beside=projects
    )
    versions = {version["name"]: version["labels"] for version in judge.compare(5)}
    assert (versions["annotator ana"][0], versions["annotator ben"][0]) == ("one", "other")
    assert "annotator ben" not in {version["name"] for version in judge.compare(1)}
    act(judge, 5, kind="take", name="annotator ben")
    assert judge.open(5, "page")["words"][0]["label"] == "other"
    judge.close()


def test_two_annotators_of_one_project_are_compared(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p")
    for name in ("ana", "ben"):
        session = open_session(folder, name)
        act(session, 4, kind="reopen")
        act(session, 4, kind="arc", word=1, head=2, label=name)
        act(session, 4, kind="done")
        versions = {version["name"]: version["labels"] for version in session.compare(4)}
        assert ("annotator ana" in versions) == (name == "ben")
        if name == "ben":
            assert versions["annotator ana"][0] == "ana"
        session.close()
    session = open_session(folder)
    (agreement,) = describe_status([session.project])["agreement"]
    assert agreement["words"] == len(session.project.get(4).draft.words)
    assert agreement["labels"] < 100 == agreement["uas"]
    session.close()


def test_how_fast_somebody_is_can_be_said_after_a_minute(tmp_path: Path) -> None:
    times = iter(range(0, 1000, 25))
    project = Project(*find_files([str(make_folder(tmp_path / "p"))]), "ana", clock=lambda: float(next(times)))
    session = AnnotationSession(project, {"whole": whole()})
    words = len(act(session, 4, kind="done")["words"])
    for label, speed in (("one", None), ("two", None), ("three", round(words / 75 * 3600))):
        act(session, 5, kind="arc", word=1, head=2, label=label)
        (ana,) = describe_status([project])["annotators"]
        assert ana["words_per_hour"] == speed
    session.close()


def test_the_status_of_a_project_and_its_tables(tmp_path: Path) -> None:
    """All of it: of two annotators at work one after the other, and of a file that nobody has looked at here."""
    folder = make_folder(tmp_path / "p")
    partial, guessed, marked, *_ = full_treebank(3)
    partial.heads = [*partial.heads[:2], *[None] * (len(partial) - 2)]
    guessed.misc = ["Confidence=0.5"] * len(guessed)
    marked.misc = ["Confirmed=arc", *["Changed=upos"] * (len(marked) - 1)]
    marked.set_comments(write_status(marked.comments, "open"))
    write([partial, guessed, marked], folder / "other.conllu")
    times = iter(range(1000, 10**9, 50))

    def open_as(name: str) -> AnnotationSession:
        project = Project(*find_files([str(folder)]), name, clock=lambda: float(next(times)))
        return AnnotationSession(project, {"whole": whole()})

    session = open_as("ana")  # at 1000, 1050 and 1100 the files are noted
    act(session, 4, kind="confirm", words=[1, 2], columns=["arc"])
    act(session, 5, kind="done")
    act(session, 6, kind="done")
    act(session, 6, kind="undo")
    session.close()
    session = open_as("ben")
    moved = session.open(5, "page")["words"][0]["head"] != 2
    act(session, 5, kind="arc", word=1, head=2, label="odd")
    act(session, 6, kind="done")
    words = {number: len(each.current) for number, each in session.project.sentences.items()}
    status = describe_status([session.project])
    (agreement,), n = status["agreement"], words[5]
    for number in (7, 8, 9):
        session.open(number, "page")
    assert describe_status([session.project]) == status, "who looks changes nothing"
    session.close()
    third = {"file": str(folder / "other.conllu"), "sentences": 3, "done": 0, "arcs": 3, "saved": True}
    files = [
        {"file": str(folder / "gold.conllu"), "sentences": 3, "done": 3, "arcs": sum(words[n] for n in (1, 2, 3)),
         "saved": True},
        {"file": str(folder / "new.conllu"), "sentences": 3, "done": 2, "arcs": 2 + words[5] + words[6],
         "saved": False},
        third,
    ]  # fmt: skip
    for file, numbers in zip(files, ((1, 2, 3), (4, 5, 6), (7, 8, 9)), strict=True):
        file["words"] = sum(words[n] for n in numbers)
    assert status == {
        "files": files,
        "annotators": [
            {"name": "ana", "actions": 4, "sentences": 3, "done": 2, "words": words[5] + words[6], "hours": 0.04,
             "words_per_hour": round((words[5] + words[6]) / 150 * 3600), "last": 1300},
            {"name": "ben", "actions": 2, "sentences": 2, "done": 1, "words": words[6], "hours": 0.01,
             "words_per_hour": None, "last": 1400},
        ],
        "agreement": [{"first": "ana", "second": "ben", "sentences": 1, "words": words[5], "uas": 100 * (n - moved) / n,
                       "las": 100 * (n - 1) / n, "labels": 100 * (n - 1) / n, "kappa": agreement["kappa"]}],
    }  # fmt: skip
    assert 0 < agreement["kappa"] < 1
    different = {"uas": 75.0, "las": 50.0, "labels": 62.5, "kappa": 1 / 3}
    tables = status_tables(status | {"agreement": [agreement | different, agreement | {"kappa": None}]})
    assert [(table.title, table.name, table.columns, table.rows) for table in tables] == [
        ("Files", "progress", ("", "sentences", "done", "words", "annotated arcs", "saved"), [
            (each["file"], each["sentences"], each["done"], each["words"], each["arcs"], saved)
            for each, saved in zip(files, ("yes", "no", "yes"), strict=True)
        ]),
        ("Annotators", "annotators", ("", "actions", "sentences", "done", "hours", "words per hour"), [
            ("ana", 4, 3, 2, 0.04, status["annotators"][0]["words_per_hour"]), ("ben", 2, 2, 1, 0.01, None),
        ]),
        ("Agreement", "agreement", ("", "sentences", "words", "UAS", "LAS", "relations", "kappa"), [
            ("ana and ben", 1, words[5], 75.0, 50.0, 62.5, "0.333"),
            ("ana and ben", 1, words[5], agreement["uas"], agreement["las"], agreement["labels"], None),
        ]),
    ]  # fmt: skip
    assert [table.name for table in status_tables({"files": [], "annotators": [], "agreement": []})] == ["progress"]
    assert measure_work(folder / JOURNAL) == 150 + 50
