"""`dodona pretrain`, and `dodona train` with its encoder, from the outside."""

import lzma
import os
from pathlib import Path

import pytest
from samples.command_line import call_dodona
from samples.signals import interrupted
from samples.treebank import treebank

from dodona import write

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
    assert "pretraining: 20 passes over the text, as about 10 million words are enough" in done.stderr
    assert (folder / "both.model.encoder").exists()
    assert model.exists()


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
