"""`dodona train --scorer neural` from the outside: a training that is interrupted, resumed, and refused."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from samples.command_line import call_dodona
from samples.signals import interrupted
from samples.treebank import treebank

from dodona import read, write
from dodona.cli.process import take_large_pages

ITERATIONS = 12
SMALL = ("--layers", "1", "--width", "8", "--units", "16", "--batch", "64", "--dropout", "0.1")
NETWORK = ("--scorer", "neural", *SMALL, "--iterations", str(ITERATIONS), "--folds", "2", "--jobs", "1")


def start_dodona(*arguments: str | Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "dodona", *map(str, arguments)]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=100,
        env=os.environ | environment,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A treebank in two parts, and vectors for some of its words."""
    path = tmp_path_factory.mktemp("network")
    write(treebank(30), path / "train.conllu")
    write(treebank(12, seed=2), path / "dev.conllu")
    words = sorted({word for each in treebank(30) for word in each.words})[::2]
    chance = np.random.default_rng(1)
    lines = [" ".join([word, *map(str, chance.normal(size=5).round(3))]) for word in [*words, "unseen"]]
    (path / "vectors.txt").write_text("\n".join(lines) + "\n")
    return path


def test_interrupted_and_resumed(folder: Path) -> None:
    """The checkpoint is kept until there is a model. Then the model parses, and says what it is."""
    model, checkpoint = folder / "model", folder / "model.checkpoint"
    plain = ("train", folder / "train.conllu", "--dev", folder / "dev.conllu", "-o", model, *NETWORK)
    command = (*plain, "--vectors", folder / "vectors.txt")
    done = interrupted("parser 1/", *command)
    assert done.returncode == 130, done.stderr
    assert f"dodona: {checkpoint} is kept; --resume goes on from it\n" in done.stderr
    assert "dodona: interrupted" in done.stderr
    assert "Traceback" not in done.stderr
    assert "vectors: 5 dimensions, " in done.stderr
    assert checkpoint.exists()
    assert not model.exists()

    other = call_dodona(*plain, "--resume")  # without vectors
    assert other.returncode == 1
    assert "the checkpoint of another training; expected the same data and options" in other.stderr
    assert "Traceback" not in other.stderr
    assert checkpoint.exists()

    done = call_dodona(*command, "--resume")
    assert done.returncode == 0, done.stderr
    assert "parser: continuing after iteration " in done.stderr
    assert "parser 1/" not in done.stderr
    assert f"parser {ITERATIONS}/{ITERATIONS}: " in done.stderr
    assert f"{model}: tagger, parser; trained in " in done.stderr
    assert not checkpoint.exists()

    shown = call_dodona("info", model).stdout
    for words in (
        "scorer:         neural",
        "components:     tagger, parser",
        "system:         arc-hybrid",
        f"training:       {ITERATIONS} iterations, log likelihood, seed 1",
        "network:        1 layers of 8 in each direction, 16 hidden units",
        "positions:      hybrid",
        "data:           train.conllu",
        "LAS",
    ):
        assert words in shown
    assert "templates" not in shown

    parsed = call_dodona("parse", model, folder / "dev.conllu", "-o", folder / "parsed.conllu")
    assert parsed.returncode == 0, parsed.stderr
    assert [each.words for each in read(folder / "parsed.conllu")] == [each.words for each in treebank(12, seed=2)]
    both = call_dodona("parse", model, folder / "dev.conllu", "--jobs", "2", "-o", folder / "both.conllu")
    assert both.returncode == 0, both.stderr
    assert (folder / "both.conllu").read_bytes() == (folder / "parsed.conllu").read_bytes()


def test_nothing_to_resume(folder: Path, tmp_path: Path) -> None:
    done = call_dodona("train", folder / "train.conllu", "-o", tmp_path / "m", *NETWORK, "--resume")
    assert done.returncode == 2
    expected = "there is no such file; expected the checkpoint of a training to be resumed"
    assert done.stderr == f"dodona: {tmp_path / 'm.checkpoint'}: {expected}\n"


@pytest.mark.parametrize("what", ["jax", "jaxlib"])
def test_without_jax(folder: Path, tmp_path: Path, what: str) -> None:
    """It says what to install, before anything is trained."""
    stub = tmp_path / "stub" / what
    stub.mkdir(parents=True)
    (stub / "__init__.py").write_text('raise ImportError("it is not here")\n')
    path = os.pathsep.join([str(tmp_path / "stub"), *filter(None, [os.environ.get("PYTHONPATH")])])
    train = ("train", folder / "train.conllu", "-o", tmp_path / "m")
    done = start_dodona(*train, *NETWORK, PYTHONPATH=path)
    assert done.returncode == 2
    lines = [line for line in done.stderr.splitlines() if line and "has no raw text" not in line]
    assert len(lines) == 1
    assert lines[0].startswith("dodona: a network needs JAX (")
    assert lines[0].endswith("install it with: pip install 'dodona[neural]'")
    assert not (tmp_path / "m").exists()
    if what == "jax":  # all else goes without it
        linear = start_dodona(*train, "--iterations", "1", "--folds", "2", "--jobs", "1", PYTHONPATH=path)
        assert linear.returncode == 0, linear.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--layers", "2"), "options of a network; expected them with the scorer 'neural'"),
        (("--dropout", "0.1"), "options of a network; expected them with the scorer 'neural'"),
        (("--positions", "stack"), "positions; expected them with the scorer 'neural' or 'transformer'"),
        (("--vectors", "v.txt"), "expected them with the scorer 'neural'"),
        (("--resume",), "expected one with the scorer 'neural' or 'transformer'"),
        (("--scorer", "neural", "--beam", "4"), "beam 4: expected only with the scorer 'linear'"),
        (("--scorer", "neural", "--width", "5000"), "width 5000: expected a number from 1 to 4096"),
        (("--scorer", "neural", "--dropout", "1"), "dropout 1.0: expected a number from 0 to 0.95"),
        (("--scorer", "neural", "--vectors", "missing.txt"), "missing.txt: "),
    ],
    ids=str,
)
def test_options_that_do_not_fit(folder: Path, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    done = call_dodona("train", folder / "train.conllu", "--components", "parser", "-o", tmp_path / "m", *arguments)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


FRESH = """
import resource, sys
from dodona.cli import process
process.take_large_pages()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    b"x" * 64_000_000
print(sys.argv[1:], resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""
LARGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or not LARGE_PAGES.exists() or "[never]" in LARGE_PAGES.read_text(),
    reason="another C library, or a system without large pages",
)
def test_a_training_has_large_pages() -> None:
    def count_pages(command: str) -> int:
        line = [sys.executable, "-c", FRESH, command, "a file"]
        environment = {**os.environ, "GLIBC_TUNABLES": ""}
        done = subprocess.run(
            line, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=True, timeout=60, env=environment
        )
        assert done.stdout.startswith(f"['{command}', 'a file'] ")
        return int(done.stdout.split()[-1])

    few = [count_pages(command) for command in ("train", "pretrain", "distill", "crossvalidate", "experiment")]
    assert 8 * max(few) < count_pages("parse")


def test_settings_of_the_c_library_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = []
    monkeypatch.setattr(os, "execv", lambda program, arguments: begun.append(os.environ["GLIBC_TUNABLES"]))
    monkeypatch.setattr(sys, "argv", ["dodona", "train"])
    monkeypatch.setattr(sys, "platform", "linux")
    for before in ("glibc.malloc.tcache_count=0", "glibc.malloc.hugetlb=0"):
        monkeypatch.setenv("GLIBC_TUNABLES", before)
        take_large_pages()
    assert begun == ["glibc.malloc.tcache_count=0:glibc.malloc.hugetlb=1"]
