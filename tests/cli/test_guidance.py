"""Mistyped commands, completion by the shell, and options that would mislead."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from samples.command_line import call_dodona
from samples.treebank import treebank

from dodona import Sentence, write
from dodona.cli.commands.crossvalidate import crossvalidate
from dodona.cli.commands.train import train_command
from dodona.cli.main import COMMANDS
from dodona.cli.main import dodona as command_line


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("prase", "No such command 'prase'. Did you mean 'parse'?"),
        ("model", "No such command 'model'. Did you mean 'models'"),
        ("Oak trees grow.", "Did you mean `dodona parse`, which takes files and texts?"),
        ("xyzzy", "No such command 'xyzzy'; expected one of: parse, train,"),
    ],
)
def test_a_mistyped_command_gets_a_suggestion(name: str, message: str) -> None:
    done = CliRunner().invoke(command_line, [name])
    assert done.exit_code == 2
    assert message in done.output


def test_a_file_is_probably_to_be_parsed(tmp_path: Path) -> None:
    (tmp_path / "novel.txt").write_text("a")
    assert "`dodona parse`" in CliRunner().invoke(command_line, [str(tmp_path / "novel.txt")]).output


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("dodona par", ["plain,parse"]),
        ("dodona parse ", ["plain,en", "plain,en-fast", "plain,en-small", "file,"]),
        ("dodona info en-", ["plain,en-fast", "plain,en-small", "file,en-"]),
        ("dodona parse en tex", ["file,tex"]),
        ("dodona parse -o ou", ["file,ou"]),
        ("dodona train --dev d", ["file,d"]),
        ("dodona parse --format tr", ["plain,tree"]),
        ("dodona parse --bea", ["plain,--beam"]),
    ],
)
def test_file_names_are_completed_by_the_shell(words: str, expected: list[str]) -> None:
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" ")), "_DODONA_COMPLETE": "bash_complete"}
    done = CliRunner(env=asked).invoke(command_line, prog_name="dodona")
    assert [line for line in done.output.splitlines() if line] == expected


@pytest.mark.parametrize(
    "words",
    ["parse", "parse x --committee", "info", "package", "bench", "cite", "distill", "serve", "search x --model",
     "oracle --model", "pretrain x --model"],
)  # fmt: skip
def test_names_of_models_are_completed_wherever_one_is_asked_for(words: str) -> None:
    asked = {"COMP_WORDS": f"dodona {words} en-", "COMP_CWORD": str(words.count(" ") + 2)}
    done = CliRunner(env=asked | {"_DODONA_COMPLETE": "bash_complete"}).invoke(command_line, prog_name="dodona")
    assert done.output.split() == ["plain,en-fast", "plain,en-small", "file,en-"]


def test_completion_of_the_program_itself() -> None:
    asked = {**os.environ, "COMP_WORDS": "dodona ev", "COMP_CWORD": "1", "_DODONA_COMPLETE": "bash_complete"}
    done = subprocess.run(
        [sys.executable, "-m", "dodona"], env=asked, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "plain,evaluate", "")


def test_cross_validation_does_not_offer_what_it_refuses() -> None:
    helps = {
        command.name: next(o.help for o in command.params if isinstance(o, click.Option) and o.name == "components")
        for command in (train_command, crossvalidate)
    }
    assert "tokenizer, tagger" in str(helps["train"])
    assert "tokenizer" not in str(helps["crossvalidate"])
    assert "tagger, lemmatizer, parser" in str(helps["crossvalidate"])


def test_scores_on_the_training_data_are_announced(tmp_path: Path) -> None:
    write(treebank(12), tmp_path / "a.conllu")
    os.link(tmp_path / "a.conllu", tmp_path / "b.conllu")
    arguments = ["train", str(tmp_path / "a.conllu"), "--iterations", "1", "--components", "parser", "--jobs", "1"]
    for dev, warned in (("b.conllu", True), ("c.conllu", False)):
        write(treebank(3, seed=2), tmp_path / "c.conllu")
        done = CliRunner().invoke(
            command_line, [*arguments, "--dev", str(tmp_path / dev), "-o", str(tmp_path / "m.model")]
        )
        assert done.exit_code == 0
        assert ("is both treebank and --dev" in done.output) == warned


def test_errors_of_usage_look_like_all_others() -> None:
    done = call_dodona("stats", "--nonsense", "x")
    assert done.stderr == "dodona: no such option '--nonsense' (`dodona stats --help` says more)\n"
    assert done.returncode == 2


def test_a_module_of_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "mine_here.py").write_text("print('imported')\n")
    done = subprocess.run(
        [sys.executable, "-P", "-m", "dodona", "--import", "mine_here", "models"],  # -P: as the installed program
        cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert done.stdout.startswith("imported\n"), done.stderr


def test_training_lists_all_faults(tmp_path: Path) -> None:
    good = "1\tA\ta\tX\t_\t_\t0\troot\t_\t_\n\n"
    path = tmp_path / "bad.conllu"
    path.write_text(good + good.replace("\t0\t", "\tzero\t") + good + good.replace("1\tA", "2\tA"))
    done = call_dodona("train", path, "-o", tmp_path / "m.model")
    assert done.returncode == 1
    first, one, other, hint = done.stderr.splitlines()
    assert first == f"dodona: 2 faults in {path}:"
    assert one.startswith(f"  {path}:3: ")
    assert other.startswith(f"  {path}:7: ")
    assert hint == f"`dodona validate {path}` lists all that is wrong"


def test_training_tells_how_much_of_a_treebank_is_partial(tmp_path: Path) -> None:
    whole = "1\tA\ta\tX\t_\t_\t0\troot\t_\t_\n2\tB\tb\tX\t_\t_\t1\tx\t_\t_\n\n"
    part, none = whole.replace("\t1\tx", "\t_\t_"), whole.replace("\t1\tx", "\t_\t_").replace("\t0\troot", "\t_\t_")
    path = tmp_path / "part.conllu"
    path.write_text(whole * 6 + part + none)
    done = call_dodona(
        "train", path, "-o", tmp_path / "m.model", "--components", "parser", "--tags", "gold", "--iterations", "1"
    )
    assert f"{path}: 1 of 8 sentences have part of a tree and 1 have none; 3 of 16 words have no head" in done.stderr


def test_evaluation_tells_that_the_order_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["one", "two", "three"]
    rows = [f"1\t{word}\t_\tX\t_\t_\t0\troot\t_\t_\n\n" for word in words]
    (tmp_path / "gold.conllu").write_text("".join(rows))
    (tmp_path / "parsed.conllu").write_text("".join([rows[0], rows[2], rows[1]]))
    done = call_dodona("evaluate", "gold.conllu", "parsed.conllu")
    assert done.returncode == 1
    assert done.stderr == (
        "dodona: the same sentences in another order: sentence 2 (gold.conllu:3) is sentence 3 (parsed.conllu:5); "
        "expected the same order in both files\n"
    )


def test_the_representation_of_a_sentence() -> None:
    assert repr(Sentence.from_words(["Oak", "trees"])) == "<Sentence 'Oak trees'>"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    answer = CliRunner().invoke(command_line, [command, "--help"])
    assert answer.exit_code == 0, answer.exception
    assert answer.output.startswith("Usage:")
