"""Pipelines go to other processes: by the name of their model, or whole; and what arrives is checked."""

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from samples.shared_work import parse_task
from samples.small_models import whole

import dodona
from dodona import FormatError
from dodona.pipeline import models
from dodona.pipeline.pipeline import Pipeline

TEXT = "the oak answers. the priest asks the dove slowly."


@pytest.fixture
def _named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small model that has a name, as if it had come with Dodona."""
    whole().save(tmp_path / "small.model")
    monkeypatch.setattr(models, "MODELS", tmp_path)
    monkeypatch.setattr(models, "_kept", {})


def test_the_shipped_models_are_known_by_name() -> None:
    for name in ("en", "en-fast"):
        nlp = dodona.load(name)
        data = pickle.dumps(nlp)
        assert len(data) < 1000
        assert pickle.loads(data)("Oak trees grow.").to_conllu() == nlp("Oak trees grow.").to_conllu()


def test_models_without_a_name_are_sent_whole(tmp_path: Path) -> None:
    trained = whole()
    trained.save(tmp_path / "my.model")
    loaded = dodona.load(tmp_path / "my.model")
    assert trained.to_bytes() == loaded.to_bytes() == (tmp_path / "my.model").read_bytes()
    for nlp in (trained, loaded, Pipeline.from_bytes(trained.to_bytes())):
        again = pickle.loads(pickle.dumps(nlp))
        assert again.to_bytes() == trained.to_bytes()
        assert again(TEXT).to_conllu() == trained(TEXT).to_conllu()


@pytest.mark.usefixtures("_named")
def test_a_model_that_was_changed_is_another_one() -> None:
    def is_by_name(nlp: Pipeline) -> bool:
        return len(pickle.dumps(nlp)) < 1000

    nlp = dodona.load("small")
    assert is_by_name(nlp)
    nlp.about["licence"] = "other"
    assert not is_by_name(nlp)
    assert pickle.loads(pickle.dumps(nlp)).about == nlp.about
    nlp = dodona.load("small")
    nlp.tagger = None
    assert not is_by_name(nlp)
    assert sorted(pickle.loads(pickle.dumps(nlp)).components()) == ["lemmatizer", "parser", "tokenizer"]
    nlp = dodona.load("small")
    nlp.tagger = dodona.load("small").tagger
    assert not is_by_name(nlp)


@pytest.mark.usefixtures("_named")
def test_what_is_sent_again_and_again_is_loaded_once() -> None:
    data = pickle.dumps(dodona.load("small"))
    one, other = pickle.loads(data), pickle.loads(data)
    assert one.parser is other.parser
    one.tagger = None  # and yet they are two
    one.about["x"] = "y"
    assert other.tagger is not None
    assert "x" not in other.about
    assert pickle.loads(data).tagger is not None
    assert len(pickle.dumps(other)) < 1000


@pytest.mark.usefixtures("_named")
def test_only_a_few_models_are_kept() -> None:
    nlp = dodona.load("small")
    models._kept.update({f"old {k}": nlp for k in range(models.MAX_KEPT)})
    assert nlp.source is not None
    pickle.loads(pickle.dumps(nlp))
    assert list(models._kept) == [*(f"old {k}" for k in range(1, models.MAX_KEPT)), nlp.source.digest]


@pytest.mark.usefixtures("_named")
def test_a_model_that_is_another_one_here(tmp_path: Path) -> None:
    data = pickle.dumps(dodona.load("small"))
    other = whole()
    changed = copy.copy(other)
    changed.about = {"data": "another treebank"}
    changed.save(tmp_path / "small.model")
    with pytest.raises(FormatError, match="a pickled pipeline: the model 'small' here is another one; expected digest"):
        pickle.loads(data)
    damaged = bytearray(other.to_bytes())
    damaged[-1] ^= 1
    (tmp_path / "small.model").write_bytes(damaged)
    with pytest.raises(FormatError, match=r"small\.model: the digest does not fit the contents"):
        pickle.loads(data)
    (tmp_path / "small.model").unlink()
    with pytest.raises(FormatError, match="a pickled pipeline: there is no model 'small' here; the models here are: "):
        pickle.loads(data)


def test_bytes_are_checked_like_a_file(tmp_path: Path) -> None:
    data = whole().to_bytes()
    for wrong in (b"", data[:4], data[:100], data[:-1], data + b"x", data[:-1] + bytes([data[-1] ^ 1])):
        (tmp_path / "my.model").write_bytes(wrong)
        with pytest.raises(FormatError) as from_file:
            Pipeline.load(tmp_path / "my.model")
        with pytest.raises(FormatError) as from_bytes:
            Pipeline.from_bytes(wrong, str(tmp_path / "my.model"))
        assert str(from_bytes.value) == str(from_file.value)


def test_copies_share_the_components() -> None:
    nlp = dodona.load("en-fast")
    for other in (copy.copy(nlp), copy.deepcopy(nlp)):
        assert other is not nlp
        assert other.about == nlp.about
        assert other("Oak trees grow.").to_conllu() == nlp("Oak trees grow.").to_conllu()
    assert copy.copy(nlp).parser is nlp.parser


def test_processes_that_are_spawned() -> None:
    """They get pipelines of both kinds, and send documents back."""
    tasks = [(dodona.load("en-fast"), "Oak trees don't grow."), (whole(), TEXT), (whole(), "")]
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        answers = list(pool.map(parse_task, tasks, timeout=100))
    for (document, data), (nlp, text) in zip(answers, tasks, strict=True):
        expected = nlp(text)
        assert (document.text, document.to_dict()) == (text, expected.to_dict())
        assert data == expected.to_bytes()


def test_joblib() -> None:
    joblib = pytest.importorskip("joblib", reason="pip install joblib")
    nlp = dodona.load("en-fast")
    (answer,) = joblib.Parallel(2, timeout=100)([joblib.delayed(parse_task)((nlp, "Oak trees grow."))])
    assert answer[1] == nlp("Oak trees grow.").to_bytes()
