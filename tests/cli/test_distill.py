"""`dodona distill` and `dodona train --silver` from the outside: a teacher, its parses, and a student."""

import json
import os
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from samples.signals import interrupted
from samples.small_models import full_treebank

import dodona
from dodona import DodonaError, FormatError, OptionError, read, write
from dodona.cli.commands import distill as module
from dodona.cli.commands.distill import distill
from dodona.cli.commands.evaluate import evaluate_command
from dodona.cli.commands.parse import parse
from dodona.cli.commands.train import train_command

QUICK = ("--folds", "2", "--jobs", "1", "--iterations", "2", "--components", "tagger,parser")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A teacher that knows more than the student's treebank says, and text that it has not seen."""
    path = tmp_path_factory.mktemp("distill")
    dodona.train(full_treebank(60), folds=2, iterations=3).save(path / "teacher.model")
    write(full_treebank(8, seed=2), path / "train.conllu")
    dev = full_treebank(10, seed=3)
    for sentence in dev:  # the end of each is annotated as no model would: tags of the treebank must not help it
        sentence.set_column("upos", [*sentence.upos[:-1], "VERB"])
    write(dev, path / "dev.conllu")
    texts = [" ".join(sentence.words) for sentence in full_treebank(40, seed=4)]
    (path / "one.txt").write_text("\n".join(texts[:25]) + "\n")
    (path / "two.txt").write_text("\n".join(texts[25:]) + "\n")
    return path


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEAST_SECONDS", 0.001)


def command(folder: Path, target: Path, *others: str) -> list[str]:
    text = ("--text", str(folder / "*.txt"), "--input", "horizontal", "--shard-size", "0.0005")
    student = ("--dev", str(folder / "dev.conllu"), "-o", str(target), *QUICK)
    return [str(folder / "teacher.model"), str(folder / "train.conllu"), *text, *student, *others]


def run(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> tuple[Any, str]:
    distill.main([*arguments, "--format", "json"], standalone_mode=False)
    out, err = capfd.readouterr()
    return json.loads(out)[0], err


def test_a_student_of_a_teacher(folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "student.model"
    results, err = run(command(folder, target, "--baseline"), capfd)
    rows = results["students"]
    assert list(rows) == [f"teacher {folder / 'teacher.model'}", "student without silver", "student"]
    gold = list(read(folder / "dev.conllu"))
    for name, model in ((next(iter(rows)), folder / "teacher.model"), ("student", target)):
        parsed = list(dodona.load(model).parse([s.copy() for s in gold], retag=True))
        arcs, tags = (
            [(a, b) for s, p in zip(gold, parsed, strict=True) for a, b in zip(own(s), own(p), strict=True)]
            for own in (lambda s: list(zip(s.heads, s.labels, strict=True)), lambda s: s.upos)
        )
        las, upos = (sum(a == b for a, b in pairs) / len(pairs) for pairs in (arcs, tags))
        assert rows[name]["LAS"] == pytest.approx(100 * las)
        assert rows[name]["UPOS"] == pytest.approx(100 * upos)
        assert upos < 1
        assert rows[name]["MB"] == pytest.approx(model.stat().st_size / 1e6)
        assert rows[name]["words per CPU second"] > 0
    shards = sorted((tmp_path / "student.model.silver").glob("shard-*.conllu"))
    assert len(shards) > 2
    parsed = [s for shard in shards for s in read(shard)]
    teacher = dodona.load(folder / "teacher.model")
    again = list(teacher.parse([dodona.Sentence.from_words(s.words) for s in parsed]))
    assert [(s.upos, s.heads, s.labels) for s in parsed] == [(s.upos, s.heads, s.labels) for s in again]
    assert "silver: " in err
    assert dodona.load(target).about["silver"].endswith(" sentences")

    same = tmp_path / "same.model"  # the student is that of `dodona train` with the teacher's parses
    silver = [argument for shard in shards for argument in ("--silver", str(shard))]
    plain = [str(folder / "train.conllu"), "--dev", str(folder / "dev.conllu"), "-o", str(same), *QUICK, *silver]
    train_command.main(plain, standalone_mode=False)
    assert same.read_bytes() == target.read_bytes()

    shards[0].unlink()  # as if it had been interrupted before this one was whole
    times = {shard: shard.stat().st_mtime_ns for shard in shards[1:]}
    capfd.readouterr()
    _, err = run(command(folder, target), capfd)
    assert f"shards: 1 to do, {len(shards) - 1} finished earlier" in err
    assert {shard: shard.stat().st_mtime_ns for shard in shards[1:]} == times
    assert same.read_bytes() == target.read_bytes()

    with pytest.raises(FormatError, match="its shards are those of option"):  # another text kind: another corpus
        distill.main(command(folder, target, "--shard-size", "1"), standalone_mode=False)


def test_other_texts_and_processes(folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Raw text is tokenized by the teacher; shards are the same, wherever they are parsed."""
    target, cache = tmp_path / "student.model", tmp_path / "cache"
    arguments = [
        *(str(folder / "teacher.model"), str(folder / "train.conllu"), "--text", str(folder / "one.txt")),
        *("--dev", str(folder / "dev.conllu"), "-o", str(target), *QUICK),
    ]
    run([*arguments, "--cache", str(cache)], capfd)
    alone = (cache / "shard-00001.conllu").read_bytes()
    assert b"# text = " in alone
    shutil.rmtree(cache)
    run([*arguments, "--cache", str(cache), "--scheduler", "local"], capfd)
    assert (cache / "shard-00001.conllu").read_bytes() == alone


def test_interrupted_while_the_teacher_parses(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "student.model"
    done = interrupted("dodona: shards: ", "distill", *command(folder, target))
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    assert not target.exists()
    for path in (tmp_path / "student.model.silver").glob("*"):
        assert path.name in ("manifest.json", ".parts") or path.read_bytes().endswith(b"\n\n")


def test_what_is_refused_before_anything_is_parsed(
    folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "student.model"
    bare = tmp_path / "bare.model"
    dodona.train(full_treebank(3), components=["parser"], tags="gold", iterations=1).save(bare)
    (tmp_path / "nothing.conllu").write_text("")
    good = command(folder, target)
    wrong: list[tuple[list[str], type[DodonaError], str]] = [
        ([*good, "--beam", "4", "--oracle", "dynamic"], OptionError, "can be trained with a beam with"),
        ([*good, "--resume"], OptionError, "expected one with the scorer 'neural' or 'transformer'"),
        ([*good, "--scorer", "neural", "--resume"], OptionError, "student.model.checkpoint: there is no such file"),
        ([*good, "--scorer", "neural", "--vectors", str(tmp_path / "missing")], FormatError, "cannot be read"),
        ([*good, "--held-out", str(tmp_path / "missing")], FormatError, "cannot be read"),
        ([*good, "--text", str(tmp_path / "*.missing")], FormatError, "no file has a name like this"),
        (["missing.model", *good[1:]], FormatError, "there is no such file or model"),
        ([good[0], str(tmp_path / "nothing.conllu"), *good[2:]], FormatError, "there are no sentences"),
        (command(folder, folder / "teacher.model"), OptionError, "would take the place of the teacher"),
        ([str(bare), *good[1:], "--input", "text"], OptionError, "this model has no tokenizer"),
    ]
    for arguments, kind, message in wrong:
        with pytest.raises(kind, match=message):
            distill.main(arguments, standalone_mode=False)
        assert not os.path.exists(f"{target}.silver")
        assert not target.exists()
    write(full_treebank(3), tmp_path / "silver.conllu")
    plain = [good[1], "--silver", str(tmp_path / "silver.conllu"), "-o", str(tmp_path / "silver.conllu")]
    with pytest.raises(OptionError, match="the model would take the place of the silver sentences"):
        train_command.main(plain, standalone_mode=False)


def test_the_example_of_the_documentation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its commands, as they stand there, with a small treebank."""
    page = (Path(__file__).parents[2] / "docs" / "distillation.md").read_text("utf-8")
    lines = page.partition("## An example")[2].partition("From Python")[0].splitlines()
    commands = [shlex.split(line) for line in lines if line.startswith("    dodona ")]
    assert [words[1] for words in commands] == ["distill", "parse", "evaluate"]
    monkeypatch.chdir(tmp_path)
    for name, count in (("train", 30), ("dev", 8), ("test", 8)):
        write(full_treebank(count, seed=count), f"{name}.conllu")
    Path("posts.txt").write_text("The old oak sees the dove today.\n\nThe dove hears the oak.\n\n" * 3)
    for command, words in zip((distill, parse, evaluate_command), commands, strict=True):
        command.main(words[2:], standalone_mode=False)
    assert sorted(path.name for path in tmp_path.glob("student*")) == ["student.model", "student.model.silver"]
