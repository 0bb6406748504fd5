"""No test can hang on a child process: none waits for standard input, and each has an end in time.

Where standard input stays open (in a pipe, under nohup), a child that reads it would wait for ever.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
STARTERS = {"run", "Popen", "check_output", "check_call", "call"}
FILES = sorted(path for path in TESTS.rglob("*.py") if "subprocess." in path.read_text(encoding="utf-8"))


def careless(tree: ast.AST) -> Iterator[str]:
    """Calls that start a process with the standard input of the tests, or wait for it without an end."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr not in STARTERS:
            continue
        if not isinstance(call.func.value, ast.Name) or call.func.value.id != "subprocess":
            continue
        named = {keyword.arg for keyword in call.keywords}
        if not named & {"stdin", "input"}:
            yield f"line {call.lineno}: expected stdin= or input="
        if call.func.attr != "Popen" and "timeout" not in named:
            yield f"line {call.lineno}: expected timeout="


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(TESTS)))
def test_child_processes_are_started_with_care(path: Path) -> None:
    assert list(careless(ast.parse(path.read_text(encoding="utf-8")))) == []


def test_carelessness_is_noticed() -> None:
    program = (
        "subprocess.run(a)\nsubprocess.Popen(a, stdin=b)\nsubprocess.Popen(a)\nsubprocess.run(a, input=b, timeout=1)"
    )
    assert [fault.partition(":")[0] for fault in careless(ast.parse(program))] == ["line 1", "line 1", "line 3"]
