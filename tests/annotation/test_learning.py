"""Learning on the way: what is learned from, what is held out, and a model that is taken when it is better."""

import time
from pathlib import Path
from typing import Any

import pytest
from samples.annotated import act, make_folder, open_session
from samples.small_models import full_treebank, whole
from samples.treebank import treebank

import dodona
from dodona import read
from dodona.annotation import learning
from dodona.annotation.learning import MODEL, collect, score
from dodona.annotation.project import Project, find_files
from dodona.annotation.session import AnnotationSession
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


def test_of_few_sentences_one_is_held_out(tmp_path: Path) -> None:
    for count in (1, 2, 5, 11):
        session = open_session(make_folder(tmp_path / f"p{count}", treebank=count))
        training, held_out = collect(session.project)
        assert len(training) + len(held_out) == count
        assert held_out
        session.close()


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
