"""What the README and the other pages show must work: the Python in the README, and every `dodona` command anywhere."""

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
from dodona.data.rawtext import detokenized
from dodona.pipeline.doors import model_path

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "src" / "dodona" / "models" / "README.md"]
PYTHON = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
COMMAND = re.compile(r"^    (dodona [a-z]+ .*)$", re.M)
MODEL = 'dodona.load("en")'


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
    assert len(PYTHON.findall(PAGES[0].read_text())) >= 3
    assert {line.split()[1] for line in commands()} == set(COMMANDS)


@pytest.mark.parametrize("line", sorted(set(commands())))
def test_commands_are_understood(line: str) -> None:
    """Every option and value is valid; nothing is run."""
    words = shlex.split(re.split(r" [>|] |  +[a-z]", line)[0], comments=True)
    _, name, *arguments = words
    with command(name).make_context(name, arguments):
        pass


def test_python_in_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks run one after the other, and where a value is told in a comment, it is the right one."""
    monkeypatch.chdir(tmp_path)
    for name, count in (("train", 30), ("dev", 10), ("text", 5)):
        write(detokenized(treebank(count)), f"{name}.conllu")
    blocks = PYTHON.findall(PAGES[0].read_text())
    names: dict[str, Any] = {}
    if not has_model():
        blocks = ["import dodona", *(block for block in blocks if MODEL not in block)]
    for block in blocks:
        lines = block.splitlines()
        for statement in ast.parse(block).body:
            source = ast.unparse(statement)
            if not isinstance(statement, ast.Expr):
                exec(source, names)
                continue
            value = eval(source, names)
            told = lines[(statement.end_lineno or 1) - 1][statement.end_col_offset :].strip().removeprefix("# ")
            try:
                expected = ast.literal_eval(told)
            except (SyntaxError, ValueError):
                continue
            if isinstance(expected, list) and expected[-1:] == [...]:
                value, expected = value[: len(expected) - 1], expected[:-1]
            assert value == expected, source
    assert (tmp_path / "parsed.conllu").exists()


def test_a_script_of_two_lines_can_train(tmp_path: Path) -> None:
    """Without any `if __name__ == "__main__"`, which other processes would need."""
    write(treebank(20), tmp_path / "train.conllu")
    (tmp_path / "script.py").write_text('import dodona\ndodona.train("train.conllu", iterations=1).save("my.model")\n')
    subprocess.run([sys.executable, "script.py"], cwd=tmp_path, check=True)
    assert (tmp_path / "my.model").exists()
