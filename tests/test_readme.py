"""What the README and the other pages show must work: the Python of two of them, and every `dodona` command."""

import ast
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from samples.treebank import treebank

from dodona import FormatError, write
from dodona.cli.main import COMMANDS
from dodona.cli.main import dodona as command_line
from dodona.data.spacing import detokenize
from dodona.pipeline.models import model_path

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "src" / "dodona" / "models" / "README.md"]
PYTHON = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
COMMAND = re.compile(r"^    (dodona [a-z]+ .*)$", re.M)
MODEL = 'dodona.load("en")'
RUN = [ROOT / "README.md", *(ROOT / "docs" / name for name in ("derivations.md", "search.md"))]
"""The pages whose Python is run, one after the other."""
REMARKS = {
    "derivation.to_dict()": "a long dictionary; the comment says what it is",
    "system.apply(c, 'SHIFT')": "has no value; the comment says what it does",
}
"""The expressions on these pages that are followed by a comment which is no value, with the reason."""


def has_model() -> bool:
    try:
        model_path("en")
    except FormatError:
        return False
    return True


def commands() -> list[str]:
    found = [line for page in PAGES for line in COMMAND.findall(page.read_text())]
    for name in COMMANDS:
        found += re.findall(r"^ *(dodona [a-z]+ .*)$", command(name).help or "", re.M)
    return found


def command(name: str) -> click.Command:
    found = command_line.get_command(click.Context(command_line), name)
    assert found is not None, name
    return found


def test_there_are_examples() -> None:
    assert all(PYTHON.findall(page.read_text()) for page in RUN)
    assert {line.split()[1] for line in commands()} == set(COMMANDS)


@pytest.mark.parametrize("line", sorted(set(commands())))
def test_commands_are_understood(line: str) -> None:
    """Every option and value is valid; nothing is run."""
    line = re.sub(r" --import \w+", "", line)  # a module of the reader's
    words = shlex.split(re.split(r" [>|] |  +[a-z]", line)[0], comments=True)
    _, name, *arguments = words
    with command(name).make_context(name, arguments):
        pass


def check_value(source: str, value: Any, told: str) -> None:
    """A comment after an expression is its value; `...` at the end of a list or a dictionary stands for the rest."""
    begin, dots, _ = told.rpartition(", ...")
    expected = ast.literal_eval(begin + told[-1] if dots else told)
    if dots:
        assert isinstance(value, type(expected)), source
        assert len(value) > len(expected) > 0, source
        items = list(value.items()) if isinstance(value, dict) else list(value)
        expected = list(expected.items()) if isinstance(expected, dict) else list(expected)
        value = items[: len(expected)]
    assert value == expected, source


@pytest.mark.parametrize("told", ["[1, 2]", "[1, 4, ...]", "[1, 2, 3, ...]", "{1: 2, ...}", "(1, 2, 3)", "a list"])
def test_a_wrong_value_would_be_noticed(told: str) -> None:
    check_value("x", [1, 2, 3], "[1, 2, ...]")
    with pytest.raises((AssertionError, SyntaxError)):
        check_value("x", [1, 2, 3], told)


def test_python_on_the_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks run one after the other, and every comment after an expression is its value."""
    monkeypatch.chdir(tmp_path)
    for name, count in (("train", 30), ("dev", 10), ("text", 5)):
        write(detokenize(treebank(count)), f"{name}.conllu")
    blocks = [block for page in RUN for block in PYTHON.findall(page.read_text())]
    names: dict[str, Any] = {}
    if not has_model():
        blocks = ["import dodona", *(block for block in blocks if MODEL not in block)]
    remarks, checked = [], 0
    for block in blocks:
        lines = block.splitlines()
        for statement in ast.parse(block).body:
            source = ast.unparse(statement)
            if not isinstance(statement, ast.Expr):
                exec(source, names)
                continue
            value = eval(source, names)
            line = lines[(statement.end_lineno or 1) - 1].encode()[statement.end_col_offset :].decode()
            told = line.strip().removeprefix("#").strip()
            if source in REMARKS:
                remarks.append(source)
                assert told, source
            elif told:
                check_value(source, value, told)
                checked += 1
    assert remarks == list(REMARKS)
    assert checked >= (14 if has_model() else 10)
    assert not has_model() or (tmp_path / "my.model").exists()


def test_a_script_of_two_lines_can_train(tmp_path: Path) -> None:
    """Without any `if __name__ == "__main__"`, which other processes would need."""
    write(treebank(20), tmp_path / "train.conllu")
    (tmp_path / "script.py").write_text('import dodona\ndodona.train("train.conllu", iterations=1).save("my.model")\n')
    subprocess.run([sys.executable, "script.py"], cwd=tmp_path, check=True, stdin=subprocess.DEVNULL, timeout=100)
    assert (tmp_path / "my.model").exists()
