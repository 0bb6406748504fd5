"""Learning on the way: what is learned from, what is held out, and a model that is taken when it is better."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from samples.annotated import act, make_folder, open_session
from samples.small_models import full_treebank, whole
from samples.treebank import treebank

import dodona
from dodona import read
from dodona.annotation import learning
from dodona.annotation.journal import read_journal
from dodona.annotation.learning import MODEL, collect, score
from dodona.annotation.project import Project, find_files
from dodona.annotation.session import AnnotationSession
from dodona.data.hashing import hash_text
from dodona.data.marks import read_marks

SENTENCES = 60


@pytest.fixture
def poor() -> Any:
    """A model that has learned next to nothing."""
    return dodona.train(treebank(2), components=["parser"], tags="gold", iterations=1, templates="stack")


def test_what_is_learned_from(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "p", treebank=30, guesses=4)
    session = open_session(folder)
    act(session, 31, kind="arc", word=1, head=2, label="odd")
    act(session, 32, kind="set", word=1, column="upos", value="X")
    act(session, 33, kind="done")
    training, held_out = collect(session.project)
    assert len(training) + len(held_out) == 32
    assert 0 < len(held_out) < 10
    assert [sentence.sent_id for sentence in training if "# annotation = open" in sentence.comments] == ["s30"]
    (partial,) = (sentence for sentence in training if sentence.sent_id == "s30")
    assert [("arc" in read_marks(misc)) for misc in partial.misc] == [True] + [False] * (len(partial) - 1)
    session.close()
    gold = folder / "gold.conllu"
    gold.write_text("# somebody else was here\n" + gold.read_text("utf-8"), "utf-8")
    session = open_session(folder)
    again = collect(session.project)[1]
    assert [s.sent_id for s in again] == [s.sent_id for s in held_out]
    session.close()


def test_models_are_scored_with_their_own_tags(tmp_path: Path) -> None:
    """They will have no others: the tags of an annotator are not known when a model guesses."""
    gold = full_treebank(8)
    strange = [sentence.copy() for sentence in gold]
    for sentence in strange:
        sentence.set_column("upos", ["INTJ"] * len(sentence))
        sentence.set_column("xpos", ["strange"] * len(sentence))
        sentence.set_comments([*sentence.comments, "# annotation = done"])
    before = [sentence.to_bytes() for sentence in strange]
    assert score(whole(), strange) == score(whole(), gold)
    assert [sentence.to_bytes() for sentence in strange] == before


def test_a_better_model_is_taken_and_stays(tmp_path: Path, poor: Any) -> None:
    folder = make_folder(tmp_path / "p", treebank=SENTENCES, guesses=2)
    session = open_session(folder)
    session.close()
    project = Project(*find_files([str(folder)]), "ana")
    session = AnnotationSession(project, {"poor": poor}, retrain_after=2)
    act(session, SENTENCES + 1, kind="done")
    assert session.learner.describe()["state"] == "idle"
    act(session, SENTENCES + 2, kind="done")
    session.learner.wait(100)
    described = session.learner.describe()
    assert described["state"] == "better", described
    assert session.pipeline is not poor
    assert session.describe()["models"] == ["poor", "retrained"]
    (point,) = described["curve"]
    assert (point["sentences"], point["words"]) == (SENTENCES + 2, sum(map(len, read(folder / "gold.conllu"))) + sum(
        map(len, read(folder / "new.conllu"))))  # fmt: skip
    held_out = collect(project)[1]
    assert point["las"] == pytest.approx(score(session.pipeline, held_out), abs=0.01)
    assert point["las"] > score(poor, held_out)
    assert [version["name"] for version in session.compare(1)][:2] == ["model poor", "model retrained"]
    session.close()
    again = AnnotationSession(Project(*find_files([str(folder)]), "ana"), {"poor": poor})
    assert again.learner.describe()["curve"] == [point]
    assert again.pipeline is not poor
    again.close()
    assert (folder / MODEL).exists()


def test_a_new_model_must_beat_the_one_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And not only the one from which the project began."""
    session = open_session(make_folder(tmp_path / "p", treebank=SENTENCES))
    learner, held_out = session.learner, collect(session.project)[1]
    few, some, good = full_treebank(1), full_treebank(3), whole()
    poor, middling = (dodona.train(each, iterations=1, templates="stack") for each in (few, some))
    learner.first = poor
    scores = [score(pipeline, held_out) for pipeline in (poor, middling, good)]
    assert scores[0] < scores[1] < scores[2]
    for pipeline, state, used in ((good, "better", good), (middling, "worse", good)):
        monkeypatch.setattr(learner, "_train", lambda treebank, model, sentences, made=pipeline: made.save(model))
        learner.start()
        learner.wait(60)
        assert learner.describe()["state"] == state
        assert learner.pipeline is not None
        assert learner.pipeline.to_bytes() == used.to_bytes() == (tmp_path / "p" / MODEL).read_bytes()
    session.close()
    again = Project(*find_files([str(tmp_path / "p")]), "ana")
    assert [line["before"] for line in again.trainings] == [round(scores[0], 2), round(scores[2], 2)]
    again.close()


def test_a_training_without_data_fails_and_says_so(tmp_path: Path) -> None:
    session = open_session(make_folder(tmp_path / "p"))
    session.learner.start()
    session.learner.wait(60)
    described = session.learner.describe()
    assert described["state"] == "failed"
    assert "3 sentences are annotated; expected 11 at least" in described["message"]
    session.close()


def test_a_training_that_is_killed_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = open_session(make_folder(tmp_path / "p", treebank=SENTENCES))
    learner = session.learner
    with monkeypatch.context() as patch:
        patch.setattr(learning, "OPTIONS", (*learning.OPTIONS, "--iterations", "100000"))  # it must not be ready before
        learner.start()
        deadline = time.monotonic() + 60
        while "1/" not in learner.describe()["message"] and time.monotonic() < deadline:
            time.sleep(0.01)
    assert learner._process is not None
    learner._process.kill()
    learner.wait(60)
    described = learner.describe()
    assert (described["state"], described["progress"], described["curve"]) == ("failed", None, [])
    assert "it ended with status " in described["message"]
    assert session.pipeline is learner.first
    learner.start()
    learner.wait(100)
    assert learner.describe()["state"] in ("better", "worse"), "the next one may be luckier"
    session.close()


def test_closing_ends_a_training(tmp_path: Path) -> None:
    session = open_session(make_folder(tmp_path / "p", treebank=60))
    session.learner.start()
    session.close()
    assert session.learner._process is None or session.learner._process.poll() is not None
    assert not (tmp_path / "p" / MODEL).exists()


# The program that trains, from the outside


class Training:
    """What was asked of a program that trains, which says some lines, and ends with a status."""

    pid = 4711

    def __init__(self, learner: learning.BackgroundTraining, lines: list[str], status: int = 0) -> None:
        self.learner, self.lines, self.status = learner, lines, status
        self.command: list[str] = []
        self.options: dict[str, Any] = {}
        self.told: list[tuple[float | None, str]] = []

    def __call__(self, command: list[str], **options: Any) -> "Training":
        self.command, self.options = command, options
        return self

    @property
    def stderr(self) -> Iterator[str]:
        for line in self.lines:
            yield f"{line}\n"
            described = self.learner.describe()
            self.told.append((described["progress"], described["message"]))

    def wait(self) -> int:
        if not self.status:
            whole().save(Path(self.command[self.command.index("-o") + 1]))
        return self.status

    def kill(self) -> None:
        """It has ended."""


@pytest.fixture
def session(tmp_path: Path) -> Iterator[AnnotationSession]:
    session = open_session(make_folder(tmp_path / "p", treebank=30, guesses=2))
    yield session
    session.close()


def train(session: AnnotationSession, monkeypatch: pytest.MonkeyPatch, lines: list[str], status: int = 0) -> Training:
    training = Training(session.learner, lines, status)
    monkeypatch.setattr(subprocess, "Popen", training)
    session.learner.start()
    session.learner.wait(60)
    return training


@pytest.mark.parametrize("columns", [(), ("upos",), ("lemmas",), ("upos", "lemmas")])
def test_the_program_is_asked_for_what_can_be_learned(
    columns: tuple[str, ...], session: AnnotationSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in session.project.sentences.values():
        assert each.sentence is not None
        for name in {"upos", "lemmas"} - {*columns}:
            each.sentence.set_column(name, ["_"] * len(each.sentence))
    nice: list[tuple[int, ...]] = []
    monkeypatch.setattr(os, "setpriority", lambda *given: nice.append(given))
    training = train(session, monkeypatch, [])
    *command, treebank, _, model = training.command[:7]
    components = [
        *(["tagger"] if "upos" in columns else []),
        *(["lemmatizer"] if "lemmas" in columns else []),
        "parser",
    ]
    assert command == [sys.executable, "-m", "dodona", "train"]
    assert (Path(treebank).name, Path(model).name) == ("train.conllu", MODEL)
    assert training.command[7:] == [
        "--components", ",".join(components), "--folds", "4", "--iterations", "10", "--jobs", "2", "--name",
        "annotation",
    ]  # fmt: skip
    assert nice == [(os.PRIO_PROCESS, 4711, 10)]
    assert training.options == {
        "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True,
        "encoding": "utf-8", "errors": "replace", "start_new_session": True,
    }  # fmt: skip


def test_how_far_a_training_is(session: AnnotationSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser takes half of the time; tags for it are made before. What is said last is shown."""
    lines = ["reads", "tagger 1/4", "", "tagger 4/4", "lemmatizer 1/2: x", "parser 1/10, LAS 5", "parser 10/10"]
    training = train(session, monkeypatch, lines)
    assert training.told == [
        (0.0, "reads"), (0.05, "tagger 1/4"), (0.05, "tagger 1/4"), (0.2, "tagger 4/4"), (0.25, "lemmatizer 1/2: x"),
        (0.55, "parser 1/10, LAS 5"), (1.0, "parser 10/10"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("last", "told"),
    [("dodona: the disk is full", "the disk is full"), ("Killed", "it ended with status 3 after “Killed”")],
)
def test_why_a_training_has_failed(
    last: str, told: str, session: AnnotationSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(session, monkeypatch, ["parser 1/10", last, ""], 3)
    message = f"the training has failed: {told}"
    assert session.learner.describe() == {"state": "failed", "message": message, "progress": None, "curve": []}
    assert not session.project.trainings
    train(session, monkeypatch, [])
    assert session.learner.describe()["state"] == "worse"


@pytest.mark.parametrize("better", [True, False])
def test_all_that_is_said_and_noted_of_a_training(
    better: bool, session: AnnotationSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    act(session, 31, kind="confirm", words=[1, 2], columns=["arc"])
    act(session, 31, kind="confirm", words=[3], columns=["upos"])
    act(session, 32, kind="done")
    scores = iter([40.126, 51.567 if better else 40.126])
    monkeypatch.setattr(learning, "score", lambda *given: next(scores))
    _, held_out = collect(session.project)
    train(session, monkeypatch, [])
    las = 51.57 if better else 40.13
    words = sum(len(session.project.get(number).current) for number in [*range(1, 31), 32]) + 2
    point = {"sentences": 32, "words": words, "las": las, "seconds": 2}
    compared = f"LAS {las:.1f} on {len(held_out)} held-out sentences, 40.1 before; "
    compared += "the new model guesses from now on" if better else "not taken"
    state = "better" if better else "worse"
    assert session.learner.describe() == {"state": state, "message": compared, "progress": None, "curve": [point]}
    (line,) = [line for line in read_journal(session.project.journal.path)[0] if line["kind"] == "training"]
    about = {"kind": "training", "name": "ana", "point": point, "swapped": better, "before": 40.13}
    assert line == about | {"time": line["time"]}
    model = session.project.folder / MODEL
    assert model.exists() == better
    session.close()
    whole().save(model)
    again = open_session(session.project.folder)
    assert (again.learner.pipeline is not None) == better, "only a model that was taken guesses"
    assert again.learner.describe() == {"state": "idle", "message": "", "progress": None, "curve": [point]}
    again.close()


def test_a_training_begins_after_so_many_sentences_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = open_session(make_folder(tmp_path / "p", treebank=1, guesses=7), retrain_after=3)
    starts: list[int] = []

    def run() -> None:
        session.learner.state = "idle"
        starts.append(done)

    monkeypatch.setattr(session.learner, "_run", run)
    for done in range(1, 8):
        act(session, 1 + done, kind="done")
        session.learner.wait(60)
    assert starts == [3, 6]
    session.close()


def test_the_fewest_sentences_that_something_is_learned_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten to learn from, beside those that are held out: with the smallest hash, if chance holds out none."""
    for count in range(1, 15):
        session = open_session(make_folder(tmp_path / str(count), treebank=count))
        training, held_out = collect(session.project)
        names = sorted((s.sent_id for s in [*training, *held_out]), key=lambda name: hash_text(str(name)))
        by_chance = [name for name in names if hash_text(str(name)) % 10 == 0]
        assert sorted(map(str, (s.sent_id for s in held_out))) == sorted(map(str, by_chance or names[:1]))
        train(session, monkeypatch, [])
        described = session.learner.describe()
        assert (described["state"] == "failed") == (len(training) < 10), count
        if len(training) < 10:
            told = f"{count} sentences are annotated; expected 11 at least, some of them whole"
            assert described["message"] == told
        session.close()
