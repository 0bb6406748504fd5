"""`dodona train`, `dodona parse` and `dodona info` from the outside."""

import gzip
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

import click
import pytest
from samples.command_line import call_dodona
from samples.signals import hearing_interrupts
from samples.treebank import treebank

from dodona import model_names, read, write
from dodona.cli.commands.train import GROUPS, train_command
from dodona.data.spacing import detokenize


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A treebank in two parts and a model trained on it."""
    path = tmp_path_factory.mktemp("treebank")
    write(treebank(150), path / "train.conllu")
    write(treebank(300, seed=2), path / "dev.conllu")
    done = call_dodona(
        "train", path / "train.conllu", "--dev", path / "dev.conllu", "-o", path / "model", "--licence", "free"
    )
    assert done.returncode == 0, done.stderr
    assert "parser 1/15:" in done.stderr
    assert "dev UAS" in done.stderr
    return path


def test_training_again_gives_the_same_model(folder: Path) -> None:
    again = (
        "train",
        folder / "train.conllu",
        "--dev",
        folder / "dev.conllu",
        "-o",
        folder / "again",
        "--licence",
        "free",
    )
    assert call_dodona(*again).returncode == 0
    assert (folder / "again").read_bytes() == (folder / "model").read_bytes()


def test_info(folder: Path) -> None:
    shown = call_dodona("info", folder / "model").stdout
    for word in ("arc-eager", "dynamic", "stack-full", "train.conllu", "free", "LAS", "format:         2, which"):
        assert word in shown


@pytest.mark.parametrize("arguments", [(), ("--models",)])
def test_models_are_listed(arguments: tuple[str, ...]) -> None:
    done = call_dodona("info", *arguments)
    assert done.returncode == 0, done.stderr
    head, *rows = (re.split("  +", line) for line in done.stdout.splitlines())
    assert head == ["model", "language", "scorer", "size", "LAS (dev)", "data", "licence"]
    assert [row[0] for row in rows] == model_names()
    (fast,) = (row for row in rows if row[0] == "en-fast")
    assert (fast[1], fast[2], fast[6]) == ("English", "linear", "CC BY-SA 4.0")
    assert fast[3].endswith(" MB")
    assert 50 < float(fast[4]) < 100


def test_one_model_or_all() -> None:
    done = call_dodona("info", "en-fast", "--models")
    assert (done.returncode, done.stdout) == (2, "")
    assert "expected only one of them" in done.stderr


def test_the_help_of_train_has_every_option_once() -> None:
    shown = call_dodona("train", "--help").stdout
    context = click.Context(train_command)
    for option in train_command.get_params(context):
        if isinstance(option, click.Option):
            assert len(re.findall(rf"^  (?:-\w, )?{option.opts[-1]}\b(?!-)", shown, re.M)) == 1, option.name
    titles = re.findall("^(\\S.+):$", shown, re.M)
    assert titles == list(GROUPS)
    linear, _, neural = shown.partition("only with --scorer linear:")[2].partition("only with --scorer neural:")
    assert "--templates" in linear
    assert "--vectors-size" in neural


def test_parse_changes_nothing_but_the_trees(folder: Path) -> None:
    done = call_dodona("parse", folder / "model", folder / "dev.conllu")
    assert done.returncode == 0, done.stderr
    before = (folder / "dev.conllu").read_text().splitlines()
    after = done.stdout.splitlines()
    assert len(before) == len(after)
    right = total = 0
    for old, new in zip(before, after, strict=True):
        if "\t" in old:
            a, b = old.split("\t"), new.split("\t")
            assert a[:6] + a[8:] == b[:6] + b[8:]
            right += a[6:8] == b[6:8]
            total += 1
        else:
            assert old == new
    assert right / total > 0.97


def test_jobs_give_the_same_output(folder: Path) -> None:
    one = call_dodona("parse", folder / "model", folder / "dev.conllu", folder / "train.conllu")
    two = call_dodona("parse", folder / "model", folder / "dev.conllu", folder / "train.conllu", "--jobs", "2")
    assert one.stdout == two.stdout != ""
    assert two.stderr == one.stderr


def test_output_file_and_packing(folder: Path) -> None:
    assert call_dodona("parse", folder / "model", folder / "dev.conllu", "-o", folder / "out.conllu.gz").returncode == 0
    assert call_dodona("evaluate", folder / "dev.conllu", folder / "out.conllu.gz").returncode == 0


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("horizontal", "the oak rustles .\n\nthe dove asks", ["the", "oak", "rustles", ".", "the", "dove", "asks"]),
        ("vertical", "the\noak\nrustles\n\n\nthe\ndove", ["the", "oak", "rustles", "the", "dove"]),
    ],
)
def test_plain_words(folder: Path, kind: str, text: str, words: list[str]) -> None:
    done = call_dodona("parse", folder / "model", "--input", kind, text=text)
    rows = [line.split("\t") for line in done.stdout.splitlines() if line]
    assert [row[1] for row in rows] == words
    assert [row[6] for row in rows].count("0") == 2


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("train",), 2, "missing argument"),
        (("train", "missing.conllu", "-o", "m"), 1, "missing.conllu: cannot be read"),
        (("train", "-", "-o", "m", "--system", "arc-lager"), 2, "arc-lager"),
        (("train", "-", "-o", "m", "--oracle", "lazy"), 2, "can be trained with"),
        (("train", "-", "-o", "m"), 1, "-: there are no sentences"),
        (("parse", "missing.model"), 1, "missing.model: there is no such"),
        (("parse", "word"), 1, "a text of one word goes through standard input"),
        (("parse", "."), 1, ".: is a directory"),
        (("info", "missing.model"), 1, "missing.model: there is no such"),
    ],
)
def test_errors_are_one_line_and_never_a_traceback(arguments: tuple[str, ...], code: int, message: str) -> None:
    done = call_dodona(*arguments)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not Path("m").exists()


def test_bad_input_leaves_no_output_behind(folder: Path) -> None:
    bad = folder / "bad.conllu"
    bad.write_text((folder / "dev.conllu").read_text() + "1\tcut\n")
    done = call_dodona("parse", folder / "model", bad, "-o", folder / "never.conllu")
    assert done.returncode == 1
    assert f"{bad}:" in done.stderr
    assert not [path for path in folder.iterdir() if "never" in path.name]


def interrupted(*arguments: str | Path, begun: Callable[[IO[str]], object]) -> "subprocess.CompletedProcess[str]":
    """Ctrl-C when it has begun: as soon as this function, which may read standard error, returns."""
    command = [sys.executable, "-m", "dodona", *map(str, arguments)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        hearing_interrupts(command), stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True,
        start_new_session=True,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        begun(process.stderr)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes at once
        out, err = process.communicate(timeout=20)
        return subprocess.CompletedProcess(command, process.returncode, out, err)


def test_ctrl_c_in_mid_training_leaves_nothing(folder: Path, tmp_path: Path) -> None:
    arguments = "train", folder / "train.conllu", "-o", tmp_path / "model", "--iterations", "100000"
    done = interrupted(*arguments, begun=lambda stderr: next(line for line in stderr if "parser 1/" in line))
    assert done.returncode == 130
    assert "interrupted" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_in_mid_parse_leaves_nothing(folder: Path, tmp_path: Path, jobs: str) -> None:
    files = [folder / "dev.conllu"] * 3_000

    def wait_for_output(stderr: IO[str]) -> None:
        deadline = time.monotonic() + 60
        while not any(path.stat().st_size for path in tmp_path.iterdir()):
            assert time.monotonic() < deadline
            time.sleep(0.01)

    arguments: list[str | Path] = ["parse", folder / "model", *files, "-o", tmp_path / "out.conllu", "--jobs", jobs]
    done = interrupted(*arguments, begun=wait_for_output)
    assert done.returncode == 130
    assert done.stderr.split() == ["dodona:", "interrupted"]  # and nothing of what processes have left behind
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk(folder: Path) -> None:
    command = f"{sys.executable} -m dodona parse {folder / 'model'} {folder / 'dev.conllu'} > /dev/full"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=100
    )
    assert done.returncode == 1
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_closed_pipe(folder: Path) -> None:
    files = " ".join([str(folder / "dev.conllu")] * 30)
    command = f"{sys.executable} -m dodona parse {folder / 'model'} {files} | head -n 1"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=100
    )
    assert done.stderr == ""


def test_plain_words_packed_and_bad(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "words.gz").write_bytes(gzip.compress(b"the oak rustles\n"))
    assert "rustles" in call_dodona("parse", folder / "model", "--input", "horizontal", tmp_path / "words.gz").stdout
    for name, data, message in (
        ("nul", b"a\nb\x00c d\n", "nul:2: words: value"),
        ("latin", b"a\n\xe9\n", "latin:2: byte 0xe9"),
    ):
        (tmp_path / name).write_bytes(data)
        done = call_dodona("parse", folder / "model", "--input", "horizontal", tmp_path / name)
        assert done.returncode == 1
        assert message in done.stderr


def test_text_from_anywhere(folder: Path, tmp_path: Path) -> None:
    """As an argument, from a file or from standard input; CoNLL-U is recognized."""
    texts = list(detokenize(treebank(80)))
    write(texts, tmp_path / "train.conllu")
    model = tmp_path / "model"
    assert (
        call_dodona("train", tmp_path / "train.conllu", "-o", model, "--iterations", "3", "--folds", "2").returncode
        == 0
    )
    text = "the oak asks the priest. the dove sees the leaf."
    (tmp_path / "text.txt").write_text(text)
    said = call_dodona("parse", model, text)
    assert said.stdout.count("# text = ") == 2, said.stderr
    assert call_dodona("parse", model, tmp_path / "text.txt").stdout == said.stdout
    assert call_dodona("parse", model, text=text).stdout == said.stdout
    assert call_dodona("parse", model, "--jobs", "2", text=text).stdout == said.stdout
    assert call_dodona("parse", model, text=said.stdout).stdout == said.stdout
    both = call_dodona("parse", model, tmp_path / "text.txt", folder / "dev.conllu").stdout
    assert "# newdoc id = text" in both
    assert "# sent_id = text-2" in both
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "text.txt").write_text(text)
    twins = call_dodona("parse", model, tmp_path / "text.txt", tmp_path / "other" / "text.txt", text)
    assert len({line for line in twins.stdout.splitlines() if line.startswith("# sent_id")}) == 6
    drawn = call_dodona("parse", model, text, "--format", "tree")
    assert drawn.stdout.count("─ .") == 2, drawn.stderr
    for nothing in ("", "  "):
        done = call_dodona("parse", model, nothing)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_n_best_trees_confidence_and_calibration(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "parsed.conllu"
    arguments = ("parse", folder / "model", folder / "dev.conllu", "--beam", "8")
    plain = call_dodona(*arguments).stdout
    assert "was trained without a beam" in call_dodona(*arguments).stderr
    best = call_dodona(*arguments, "--nbest", "3")
    assert best.stdout.count("# nbest = 1\n") == 300, best.stderr
    assert best.stdout.count("# nbest = 3\n") > 200
    first = [block for block in best.stdout.split("\n\n") if "# nbest = 1\n" in block]
    kept = ["\n".join(line for line in block.split("\n") if not line.startswith("#")) for block in first]
    assert kept == plain.rstrip("\n").split("\n\n")
    assert call_dodona(*arguments, "--nbest", "3", "--jobs", "2").stdout == best.stdout
    assert call_dodona(*arguments, "--confidence", "-o", out).returncode == 0
    shown = call_dodona("evaluate", folder / "dev.conllu", out, "--calibration").stdout
    assert "Calibration (expected calibration error" in shown
    refused = call_dodona("parse", folder / "model", folder / "dev.conllu", "--nbest", "3")
    assert refused.returncode == 2
    assert "expected a wider beam" in refused.stderr
    unknown = call_dodona("evaluate", folder / "dev.conllu", folder / "dev.conllu", "--calibration")
    assert unknown.returncode == 1
    assert "expected Confidence=" in unknown.stderr


def test_confidence_of_sentences(folder: Path, tmp_path: Path) -> None:
    few, out = tmp_path / "few.conllu", tmp_path / "parsed.conllu"
    write(list(read(folder / "dev.conllu"))[:30], few)
    bare = call_dodona("parse", folder / "model", few).stdout
    assert call_dodona("parse", folder / "model", few, "--confidence", "-o", out).returncode == 0
    for jobs in ("1", "2"):
        again = call_dodona("parse", folder / "model", out, "--jobs", jobs)
        assert again.stdout == bare, "nothing is left of what the other parse has said"
    for sentence in read(out):
        name, value = sentence.comments[-1].rsplit(maxsplit=1)
        words = [float(misc.rpartition("Confidence=")[2]) for misc in sentence.misc]
        assert name == "# confidence ="
        assert float(value) == pytest.approx(sum(words) / len(words), abs=2e-4)
    by_doubt = call_dodona("parse", folder / "model", few, "--confidence", "--sort").stdout.rstrip("\n").split("\n\n")
    assert sorted(by_doubt) == sorted(out.read_text().rstrip("\n").split("\n\n"))
    doubts = [line for block in by_doubt for line in block.split("\n") if line.startswith("# confidence")]
    assert doubts == sorted(doubts)
    before = call_dodona(
        "parse", "--confidence", "--sort", folder / "model", few
    ).stdout  # no file is taken for a measure
    assert before.rstrip("\n").split("\n\n") == by_doubt
    alone = call_dodona("parse", folder / "model", few, "--sort")
    assert alone.returncode == 2
    assert "--sort needs --confidence" in alone.stderr


def test_given_arcs_stay(folder: Path, tmp_path: Path) -> None:
    half = [sentence.copy() for sentence in treebank(30, seed=4, crossing=0)]
    lines = []
    for sentence in half:
        for line in sentence.to_bytes().decode().split("\n"):
            columns = line.split("\t")
            if len(columns) == 10 and int(columns[0]) % 2:
                columns[6:8] = ["_", "_"]
            lines.append("\t".join(columns))
    text = "\n".join(lines).replace("\n\n\n", "\n\n")
    (tmp_path / "half.conllu").write_text(text)
    done = call_dodona(
        "parse", folder / "model", tmp_path / "half.conllu", "--constrained", "-o", tmp_path / "out.conllu"
    )
    assert done.returncode == 0, done.stderr
    for given, found in zip(read(tmp_path / "half.conllu"), read(tmp_path / "out.conllu"), strict=True):
        for h, label, new_h, new_label in zip(given.heads, given.labels, found.heads, found.labels, strict=True):
            assert h is None or (h, label) == (new_h, new_label)
    (tmp_path / "bad.conllu").write_text("1\ta\t_\t_\t_\t_\t2\tx\t_\t_\n2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n\n")
    for jobs in ("1", "2"):
        done = call_dodona("parse", folder / "model", tmp_path / "bad.conllu", "--constrained", "--jobs", jobs)
        assert done.returncode == 1
        assert "bad.conllu:1: word 1 has HEAD 2, but the given arcs form a cycle" in done.stderr


def test_parsing_does_not_wait_for_what_other_commands_need(folder: Path) -> None:
    arguments = ["parse", folder / "model", folder / "dev.conllu"]
    command = [sys.executable, "-X", "importtime", "-m", "dodona", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL, timeout=100)
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "dodona.parser.parser" in imported
    assert not imported & {
        "rich",
        "concurrent.futures",
        "multiprocessing",
        "dodona.evaluation",
        "dodona.pipeline.training",
    }


def test_a_model_does_not_take_the_place_of_its_treebank(folder: Path) -> None:
    before = (folder / "train.conllu").read_bytes()
    done = call_dodona("train", folder / "train.conllu", "-o", folder / "train.conllu")
    assert (done.returncode, "would take the place of the treebank" in done.stderr) == (2, True)
    assert (folder / "train.conllu").read_bytes() == before


def test_parses_do_not_take_the_place_of_the_model(folder: Path) -> None:
    before = (folder / "model").read_bytes()
    done = call_dodona("parse", folder / "model", folder / "dev.conllu", "-o", folder / "model")
    assert (done.returncode, "would take the place of the model" in done.stderr) == (2, True)
    assert (folder / "model").read_bytes() == before


@pytest.mark.parametrize(("content", "message"), [(b"\xff\xfe", "not a text in UTF-8"), (b"S9.w", "'S9' in 'S9.w'")])
def test_bad_templates_are_told_before_anything_is_trained(folder: Path, content: bytes, message: str) -> None:
    (folder / "bad.txt").write_bytes(content)
    done = call_dodona("train", folder / "train.conllu", "-o", folder / "no", "--templates", folder / "bad.txt")
    assert (done.returncode, message in done.stderr, "tagger" in done.stderr) == (2, True, False)


def test_a_module_that_cannot_be_imported(folder: Path) -> None:
    (folder / "broken.py").write_text("def")
    done = subprocess.run(
        [sys.executable, "-m", "dodona", "--import", "broken", "oracle", "--list"],
        cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "--import broken: SyntaxError" in done.stderr
