"""Mistyped commands, completion by the shell, and options that would mislead."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from samples.treebank import treebank

from dodona import write
from dodona.cli.commands.crossvalidate import crossvalidate
from dodona.cli.commands.train import train_command
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
        ("dodona parse ", ["file,"]),
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
