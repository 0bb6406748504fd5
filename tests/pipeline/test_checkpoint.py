"""Checkpoints: which training they belong to, when they are written, and what is refused. test_resuming.py resumes."""

from dataclasses import asdict, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from samples.networks import SMALL
from samples.pretrained_encoders import random_encoder
from samples.recording import record
from samples.treebank import treebank

from dodona import FormatError, OptionError, Sentence, write
from dodona.neural.pretrained import PretrainedEncoder
from dodona.neural.vectors import Vectors
from dodona.parser.options import ParserOptions
from dodona.parser.training import NetworkSource, SilverSource
from dodona.pipeline import modelfile
from dodona.pipeline import training as parser_study
from dodona.pipeline.checkpoint import Checkpoint
from dodona.pipeline.training import TrainingPlan, TrainingProgress, train_pipeline

ITERATIONS = 3
TRAIN, DEV = treebank(16), treebank(8, seed=2)
OPTIONS = ParserOptions(
    scorer="neural", system="swap-standard", iterations=ITERATIONS, network=replace(SMALL, rate=0.1), explore_after=0
)


@pytest.fixture(autouse=True)
def always_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Iterations are short here: a checkpoint after each of them."""
    monkeypatch.setattr(parser_study, "PAUSE", 0.0)


class Interruption:
    """Ctrl-C after an iteration; keeps what was said."""

    def __init__(self, iteration: int = -1) -> None:
        self.iteration = iteration
        self.said: list[str] = []

    def __call__(self, progress: TrainingProgress) -> None:
        if progress.share < 1:
            return
        self.said.append(str(progress))
        if progress.component == "parser" and progress.iteration == self.iteration:
            raise KeyboardInterrupt


def plan(path: Path | None = None, **options: Any) -> TrainingPlan:
    return TrainingPlan(["parser"], "gold", checkpoint=path, **options)


def interrupted(path: Path, iteration: int, dev: list[Sentence], **options: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        train_pipeline(TRAIN, OPTIONS, plan(path, **options), dev, Interruption(iteration))


def test_checkpoints_are_some_time_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser_study, "PAUSE", 1000.0)
    interrupted(tmp_path / "checkpoint", 2, [])
    _, arrays = modelfile.load(tmp_path / "checkpoint")
    assert arrays["state.progress"][0] == 1


def test_vectors_and_encoders_have_to_be_the_same(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    vectors = Vectors(["oak", "dove"], np.ones((2, 3), np.int8), np.ones(2, np.float32), 2, 0)
    other = np.array([[1, 1, 1], [1, 1, 2]], np.int8)
    state: dict[str, Any] = {"progress": np.array([1, 1], np.int32), "weights": np.ones(3, np.float32)}
    encoder = random_encoder("oak", "dove")
    weights = {name: values + (name == "layer0.forward.bias") for name, values in encoder.weights.items()}
    given: list[Vectors | PretrainedEncoder | str | None] = [
        vectors,
        None,
        encoder,
        random_encoder("oak", "priest"),
        replace(encoder, weights=weights),
        "the digest of a transformer",
        "another digest",
        replace(vectors, words=["oak", "priest"]),
        replace(vectors, values=other),
        replace(vectors, scales=np.array([1, 2], np.float32)),
    ]
    for i, mine in enumerate(given):
        Checkpoint(path, OPTIONS, [TRAIN], mine).save(state, None)
        for k, theirs in enumerate(given):
            reader = Checkpoint(path, OPTIONS, [TRAIN], theirs)
            if i == k:
                found, best = reader.load()
                assert best is None
                assert {name: values.tolist() for name, values in found.items()} == {
                    "progress": [1, 1],
                    "weights": [1, 1, 1],
                }
            else:
                with pytest.raises(FormatError, match="the checkpoint of another training"):
                    reader.load()


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("checkpoint") / "checkpoint"
    interrupted(path, 2, DEV)
    return path


def refused(path: Path, message: str, options: ParserOptions = OPTIONS, train: Any = TRAIN, dev: Any = DEV) -> None:
    with pytest.raises(FormatError, match=message) as error:
        train_pipeline(train, options, plan(path, resume=True), dev)
    assert str(error.value).startswith(f"{path}")


def test_another_training(checkpoint: Path) -> None:
    message = "the checkpoint of another training; expected the same data and options"
    for change in (
        {"seed": 2},
        {"iterations": ITERATIONS + 1},
        {"explore": 0.5},
        {"network": replace(SMALL, rate=0.1, dropout=0.2)},
        {"network": replace(SMALL, rate=0.1, width=9)},
        {"single_root": False},
    ):
        refused(checkpoint, message, replace(OPTIONS, **change))
    retagged = [each.copy() for each in TRAIN]
    retagged[3].set_column("upos", ["X"] * len(retagged[3]))
    for train in (TRAIN[:-1], TRAIN[::-1], retagged):
        refused(checkpoint, message, train=train)
    for dev in (DEV[:-1], [], TRAIN):
        refused(checkpoint, message, dev=dev)
    other_data: list[dict[str, Any]] = []
    for which, own in (("train", TRAIN), ("dev", DEV)):
        for name, value in (("words", "x"), ("upos", "X"), ("xpos", "x"), ("feats", "A=B")):
            columns: dict[str, Any] = {
                each: list(getattr(own[0], each)) for each in ("words", "upos", "xpos", "feats", "heads", "labels")
            }
            columns[name][0] = value
            other_data.append({which: [Sentence.from_words(**columns), *own[1:]]})
        other = own[0].copy()
        other.set_tree([h or 0 for h in other.heads], [*other.labels[:-1], "obj"])
        other_data.append({which: [other.copy(), *own[1:]]})
        other.set_tree([(h or 0) if d else len(other) for d, h in enumerate(other.heads)], own[0].labels)
        other_data.append({which: [other.copy(), *own[1:]]})
    for each in other_data:
        refused(checkpoint, message, **each)


class Begun(Exception):
    """Raised where the parser's training would begin."""


def begin(
    monkeypatch: pytest.MonkeyPatch, plan: TrainingPlan, options: ParserOptions, train: Any, dev: Any = DEV
) -> tuple[str, str]:
    """Return all that the training of a parser begins from, and the digest in its checkpoint."""
    begun: list[Any] = []

    def stop(sentences: Any, options: Any, seen: Any, source: NetworkSource, silver: SilverSource | None) -> None:
        begun.extend([[s.to_bytes() for s in part] for part in (sentences, seen)])
        begun.extend([asdict(options), source.pretrained_rate if source.pretrained else None])
        begun.append(None if source.vectors is None else (source.vectors.words, source.vectors.values.tolist()))
        begun.append(source.pretrained and (source.pretrained.words.tolist(), str(source.pretrained.weights)))
        begun.append(None if silver is None else (silver.silver.digest, silver.silver.asked, silver.tag is None))
        raise Begun

    monkeypatch.setattr(parser_study, "begin_training", stop)
    trainers = record(monkeypatch, parser_study._ParserTrainer, "train")
    checkpoints = record(monkeypatch, Checkpoint, "__init__")
    with pytest.raises(Begun):
        train_pipeline(train, options, plan, dev)
    begun.append([s.to_bytes() for s in trainers[0]["self"].seen])
    monkeypatch.undo()
    return repr(begun), checkpoints[0]["self"]._digest


@pytest.mark.filterwarnings("ignore:the encoder knows")
def test_all_that_a_training_begins_from_belongs_to_its_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is changed: either it changes nothing of what the parser learns from, or the checkpoint is another's.
    Where tags are predicted, the sentences alone do not say with which ones."""
    train = [each.copy() for each in TRAIN]
    for i, sentence in enumerate(train):  # what no tagger can know
        sentence.set_column("xpos", [f"x{i}", *sentence.xpos[1:]])
    for name, sentences in (("silver", treebank(9, seed=3)), ("other", treebank(9, seed=4))):
        write(sentences, tmp_path / f"{name}.conllu")
    for name, numbers in (("v", "1 2\n"), ("w", "1 3\n")):
        (tmp_path / name).write_text("".join(f"{word} {numbers}" for word in TRAIN[0].words))
    silver, encoder = [tmp_path / "silver.conllu"], random_encoder("oak", "dove")
    plain = TrainingPlan(["tagger", "parser"], folds=2, checkpoint=tmp_path / "checkpoint")
    plans: list[dict[str, Any]] = [
        {}, {"folds": 3}, {"folds": 5}, {"tags": "gold"}, {"components": ["parser"]}, {"max_length": 6},
        {"max_length": 7}, {"vectors": tmp_path / "v"}, {"vectors": tmp_path / "w"},
        {"vectors": tmp_path / "v", "vectors_size": 1e-4}, {"pretrained": encoder},
        {"pretrained": encoder, "pretrained_rate": 0.5}, {"pretrained": encoder, "pretrained_rate": 0.0},
        {"pretrained": random_encoder("oak", "priest")}, {"silver": silver}, {"silver": silver, "tags": "gold"},
        {"silver": silver, "silver_words": 20}, {"silver": [tmp_path / "other.conllu"]},
        {"silver": silver, "held_out": [tmp_path / "other.conllu"]}, {"silver": silver * 2}, {"patience": 2},
    ]  # fmt: skip
    network = replace(OPTIONS, network=encoder.fit(None))
    found = [begin(monkeypatch, replace(plain, **each), network, train) for each in plans]
    changes = ({"seed": 2}, {"iterations": 9}, {"explore": 0.5}, {"random_choice": True}, {"oracle": "eager"})
    found += [begin(monkeypatch, plain, replace(network, **change), train) for change in changes]
    found += [begin(monkeypatch, plain, network, train[::-1]), begin(monkeypatch, plain, network, train, TRAIN[:3])]
    for one, other in combinations(found, 2):
        assert (one[0] == other[0]) == (one[1] == other[1])
    assert len({digest for _, digest in found}) > len(found) - 6


def test_damaged_checkpoints(checkpoint: Path, tmp_path: Path) -> None:
    path, good = tmp_path / "damaged", checkpoint.read_bytes()
    refused(tmp_path / "missing", "cannot be read")
    for data in (b"", good[: len(good) // 2], good[:-1], good[:5000] + bytes([good[5000] ^ 1]) + good[5001:]):
        path.write_bytes(data)
        refused(path, ".")
    train_pipeline(TRAIN, ParserOptions(system="swap-standard", iterations=ITERATIONS), plan()).save(path)
    refused(path, "the checkpoint of another training")


def test_arrays_of_another_network(checkpoint: Path, tmp_path: Path) -> None:
    """With a digest that is right."""
    metadata, arrays = modelfile.load(checkpoint)
    path = tmp_path / "changed"

    def changed(**others: Any) -> None:
        kept = {name: values for name, values in {**arrays, **others}.items() if values is not None}
        modelfile.save(path, metadata, kept)

    for name in ("state.weights.root", "state.first.actions", "state.second.labels", "state.averaged.nobody"):
        for wrong in (arrays[name][:-1], None):
            changed(**{name: wrong})
            refused(path, "the state of another network: .* is missing or of another size")
        changed(**{name: arrays[name].view(np.int32)})
        refused(path, "expected the checkpoint of a training")
    for progress in (None, np.array([2], np.int32), np.array([2, 8], np.uint32), np.array([1.0, 2.0], np.float32)):
        changed(**{"state.progress": progress})
        refused(path, "expected the checkpoint of a training")
    for number, step in ((0, 8), (-1, 8), (ITERATIONS + 1, 8), (2, 0)):
        changed(**{"state.progress": np.array([number, step], np.int32)})
        refused(path, f"the state after iteration {number}; expected one from 1 to {ITERATIONS}")
    changed(**{"best.words": None})
    refused(path, "array 'words'")


def test_descriptions_of_the_wrong_kind(checkpoint: Path, tmp_path: Path) -> None:
    metadata, arrays = modelfile.load(checkpoint)
    best = metadata["best"]
    path = tmp_path / "changed"
    wrong: list[Any] = [3, [], "best", {}, {**best, "LAS": "high"}, {**best, "number": 1.5}, {**best, "parser": []}]
    wrong += [{key: value for key, value in best.items() if key != name} for name in best]
    for one in wrong:
        modelfile.save(path, {**metadata, "best": one}, arrays)
        refused(path, "expected the best parser so far, with its scores")
    modelfile.save(path, {**metadata, "best": {**best, "parser": {}}}, arrays)
    refused(path, "description is not valid")
    for training in (None, 3, "", [metadata["training"]]):
        modelfile.save(path, {**metadata, "training": training}, arrays)
        refused(path, "the checkpoint of another training")


def test_a_linear_parser_has_no_checkpoints(tmp_path: Path) -> None:
    linear = ParserOptions(iterations=1)
    for options in ({"resume": True}, {"vectors": tmp_path / "vectors.txt"}):
        with pytest.raises(OptionError, match="with the scorer 'neural'"):
            train_pipeline(TRAIN, linear, plan(tmp_path / "checkpoint", **options))
    train_pipeline(TRAIN, linear, plan(tmp_path / "checkpoint"))
    assert list(tmp_path.iterdir()) == []
