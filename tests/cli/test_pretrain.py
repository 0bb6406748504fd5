"""`dodona pretrain`, and `dodona train` with its encoder, from the outside."""

import lzma
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from samples.command_line import call_dodona
from samples.interruptions import Interruption, interrupt_everywhere
from samples.pretrained_encoders import random_encoder
from samples.signals import interrupted
from samples.small_models import linear
from samples.treebank import treebank

from dodona import write
from dodona.cli.commands import pretrain as pretrain_module
from dodona.cli.commands import train as train_module
from dodona.neural.pretrained import PretrainedEncoder
from dodona.pipeline.pipeline import Pipeline
from dodona.pipeline.pretraining import PretrainingPlan, load_encoder, save_encoder
from dodona.pipeline.training import TrainingPlan

SMALL = ("--layers", "1", "--width", "8", "--batch", "64", "--vocabulary", "50")
NETWORK = ("--scorer", "neural", "--units", "16", "--iterations", "2", "--components", "parser", "--tags", "gold")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pretraining")
    write(treebank(20), path / "train.conllu")
    write(treebank(10, seed=2), path / "dev.conllu")
    with lzma.open(path / "text.txt.xz", "wt") as stream:
        stream.writelines(" ".join(each.words) + "\n" for each in treebank(300, seed=3))
    return path


@pytest.mark.slow
def test_interrupted_and_resumed(folder: Path) -> None:
    """Interrupted, it keeps what it has; resumed, it goes on."""
    encoder, checkpoint = folder / "my.encoder", folder / "my.encoder.checkpoint"
    command = (
        "pretrain", folder / "text.txt.xz", "--input", "horizontal", "-o", encoder, *SMALL, "--held-out",
        folder / "dev.conllu", "--passes", "10", "--licence", "CC0",
    )  # fmt: skip
    done = interrupted("pretraining: 15%", *command)
    assert done.returncode == 130, done.stderr
    assert f"{encoder} has what was learned so far" in done.stderr
    assert "dodona: interrupted" in done.stderr
    assert "Traceback" not in done.stderr
    shown = call_dodona("info", encoder)
    assert shown.returncode == 0, shown.stderr
    for words in ("encoder:        1 layers of 8 in each direction, 256 inputs", "text:           text.txt.xz", "CC0"):
        assert words in shown.stdout
    assert f"dodona: {checkpoint} is kept; --resume goes on from it\n" in done.stderr
    other = call_dodona(*command, "--seed", "2", "--resume")
    assert other.returncode == 1
    assert "the checkpoint of another pretraining; expected the same text and options" in other.stderr
    done = call_dodona(*command, "--resume")
    assert done.returncode == 0, done.stderr
    assert "pretraining: continuing after " in done.stderr
    assert "pretraining: 5%" not in done.stderr
    assert "pretraining: 100%" in done.stderr
    assert not checkpoint.exists()


@pytest.mark.slow
def test_from_text_to_a_model(folder: Path) -> None:
    """Raw text on standard input, in one pass; and a model that begins with its encoder."""
    encoder, model = folder / "in.encoder", folder / "in.model"
    text = "The oak rustles today. The old dove sees the oak. " * 3 + "The priest asks the old oak. The priest hears."
    done = call_dodona("pretrain", "-", "-o", encoder, *SMALL, "--passes", "1", "--licence", "CC0", text=text)
    assert done.returncode == 0, done.stderr
    assert "left out: 4 duplicates, 0 unusable, 0 held out" in done.stderr
    done = call_dodona("train", folder / "train.conllu", *NETWORK, "--pretrained", encoder, "-o", model)
    assert done.returncode == 0, done.stderr
    assert "pretrained: " in done.stderr
    assert f"{model}: parser; trained in " in done.stderr
    assert "pretrained:     licence CC0 text standard input words " in call_dodona("info", model).stdout


@pytest.mark.slow
def test_both_steps_in_one(folder: Path) -> None:
    model = folder / "both.model"
    done = call_dodona(
        "train", folder / "train.conllu", "--dev", folder / "dev.conllu", *NETWORK, "--layers", "1", "--width", "8",
        "--text", folder / "dev.conllu", "--text", folder / "train.conllu", "-o", model,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "10 held out" in done.stderr
    assert "pretraining: 20 passes over the text, as about 30 million words are enough" in done.stderr
    assert (folder / "both.model.encoder").exists()
    assert model.exists()


STEPS = 3


class Steps:
    """What learning does to files: a checkpoint after each step but the first."""

    def __init__(self, interruption: Interruption) -> None:
        self.interruption, self.log = interruption, list[tuple[str, int]]()

    def go(self, kind: str, checkpoint: Path, resume: bool) -> None:
        done = int(checkpoint.read_text()) if resume else 0
        for step in range(done + 1, STEPS + 1):
            self.log.append((kind, step))
            self.interruption.point(f"{kind} {step}")
            if step > 1:
                checkpoint.write_text(str(step))
                self.interruption.point(f"{kind} {step}, saved")

    def learn_words(self, text: Any, output: str, network: Any, plan: PretrainingPlan, tell: Any) -> PretrainedEncoder:
        assert plan.checkpoint is not None
        try:
            self.go("words", Path(plan.checkpoint), plan.resume)
        except KeyboardInterrupt:
            save_encoder(output, random_encoder("unfinished"))
            raise
        encoder = random_encoder("the", "oak")
        save_encoder(output, encoder)
        return encoder

    def learn_trees(self, sentences: Any, options: Any, plan: TrainingPlan, dev: Any, tell: Any) -> Pipeline:
        assert plan.checkpoint is not None
        assert plan.pretrained is not None
        assert len(plan.pretrained.words) == 2
        self.interruption.point("before trees")
        self.go("trees", Path(plan.checkpoint), plan.resume)
        return Pipeline(linear("arc-eager").parser)


@pytest.mark.parametrize("command", ["train", "pretrain"])
def test_no_encoder_learns_from_sentences_that_a_parser_is_scored_on(
    command: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of every file that is held out, and of the development data."""
    parts = {name: treebank(6, seed=seed) for seed, name in enumerate(("text", "dev", "one", "two"), start=11)}
    for name, sentences in parts.items():
        write(sentences, tmp_path / f"{name}.conllu")
    write([sentence for own in parts.values() for sentence in own], tmp_path / "all.conllu")
    seen: list[set[tuple[str, ...]]] = []

    def learn_words(text: Any, output: str, *others: Any) -> PretrainedEncoder:
        seen.append({tuple(text[i]) for i in range(len(text))})
        encoder = random_encoder("the", "oak")
        save_encoder(output, encoder)
        return encoder

    monkeypatch.setattr(pretrain_module, "pretrain_on", learn_words)
    monkeypatch.setattr(train_module, "train_pipeline", lambda *arguments: Pipeline(linear("arc-eager").parser))
    held_out = ["--held-out", str(tmp_path / "one.conllu"), "--held-out", str(tmp_path / "two.conllu")]
    dev = ["--dev" if command == "train" else "--held-out", str(tmp_path / "dev.conllu")]
    text, output = str(tmp_path / "all.conllu"), ["-o", str(tmp_path / "model")]
    if command == "train":
        arguments = [str(folder / "train.conllu"), "--text", text, *NETWORK, *output, *held_out, *dev]
        train_module.train_command.main(arguments, standalone_mode=False)
    else:
        pretrain_module.pretrain_command.main([text, *SMALL, *output, *held_out, *dev], standalone_mode=False)
    held = {tuple(s.words) for name in ("dev", "one", "two") for s in parts[name]}
    assert seen == [{tuple(s.words) for s in parts["text"]} - held]
    assert seen[0]


def test_words_and_trees_stopped_at_every_point(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`train --text --resume` does nothing twice of what was saved, and takes no unfinished encoder for a finished one.
    How learning itself goes on is tested where that is."""
    model = tmp_path / "model"
    checkpoints = {"words": tmp_path / "model.encoder.checkpoint", "trees": tmp_path / "model.checkpoint"}
    encoder = tmp_path / "model.encoder"
    command = [str(folder / "train.conllu"), "--text", str(folder / "dev.conllu"), *NETWORK, "-o", str(model)]

    def train(interruption: Interruption, *more: str) -> list[tuple[str, int]]:
        steps = Steps(interruption)
        monkeypatch.setattr(pretrain_module, "pretrain_on", steps.learn_words)
        monkeypatch.setattr(train_module, "train_pipeline", steps.learn_trees)
        train_command = train_module.train_command
        with train_command.make_context("train", [*command, *more]) as context:
            train_command.invoke(context)
        return steps.log

    def begin(interruption: Interruption) -> None:
        for path in tmp_path.iterdir():
            path.unlink()
        train(interruption)

    def left(kind: str) -> Iterator[tuple[str, int]]:
        done = int(checkpoints[kind].read_text()) if checkpoints[kind].exists() else 0
        yield from ((kind, step) for step in range(done + 1, STEPS + 1))

    names = []
    for name in interrupt_everywhere(begin, []):
        names.append(name)
        has_words = encoder.exists() and not checkpoints["words"].exists()
        assert has_words == ("trees" in name)
        expected = [*([] if has_words else left("words")), *left("trees")]
        resume = ["--resume"] if list(tmp_path.iterdir()) else []
        assert train(Interruption(), *resume) == expected, name
        assert len(load_encoder(encoder).words) == 2
        assert sorted(tmp_path.iterdir()) == [model, encoder], name
    assert len(names) == 2 * (STEPS + STEPS - 1) + 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("pretrain", "missing.txt", "-o", "x.encoder"), "missing.txt: "),
        (("pretrain", "train.conllu", "-o", "train.conllu"), "would take the place of the text"),
        (("pretrain", "train.conllu", "-o", "no/x.encoder"), "cannot be written"),
        (("pretrain", "train.conllu", "-o", "x.encoder", "--resume"), "x.encoder.checkpoint: there is no such file"),
        (("train", "train.conllu", "-o", "x", "--pretrained", "y"), "expected one of them, with --scorer neural"),
        (("train", "train.conllu", "-o", "x", "--held-out", "y"), "--held-out without --silver or --text"),
        (("train", "train.conllu", "-o", "x", "--scorer", "neural", "--pretrained", "dev.conllu"), "dev.conllu: "),
    ],
    ids=str,
)
def test_what_cannot_work(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    before = sorted(os.listdir(folder))
    files = [folder / each if Path(each).suffix in (".conllu", ".encoder") else each for each in arguments]
    done = call_dodona(*files)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(os.listdir(folder)) == before
