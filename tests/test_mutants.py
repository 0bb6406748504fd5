"""Faults that are seeded to try the tests: the written ones fit the code, and those that are drawn are faults."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parent.parent / "scripts"
sys.path.insert(0, str(SCRIPTS))
from mutators import changes_python, find_edits  # noqa: E402


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPTS / "mutants.py"), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_the_list_fits_the_code() -> None:
    done = run("--list")
    assert done.returncode == 0, done.stdout


def test_a_seed_draws_the_same_ones() -> None:
    first, again, other = (run("search", "--sample", "4", "--seed", seed, "--list").stdout for seed in "112")
    assert first == again != other
    assert first.endswith("4 mutants\n")
    assert first.count("\n    -") >= 4
    assert first.count("\n    +") >= 4


@pytest.mark.parametrize("arguments", [["nowhere"], ["--only", "nothing-*"]])
def test_nothing_to_seed(arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert arguments[-1] in done.stderr


PYTHON = '''
"""Says 1 < 2."""
LIMIT: "int" = 3
def take(values: list[int], n: int = 2, text="") -> None:
    """Says 3 < 4."""
    if n < len(values) and not text:
        raise ValueError(f"{n + 1} values")
    for k in range(n):
        values[k] += swap(n, k)
    values.sort()
    return values[: n - 1] if text is None else max(values)
'''

CYTHON = '''
"""Says 1 < 2."""
cdef extern from "a.h":
    int SIZE = 7
cdef class Pair:
    cdef int rows[4]
    cdef int take(self, int n, int* values=NULL) except -1:
        """Says 3 < 4."""
        cdef int k, total = 0
        if n < 5 and not self.is_empty:
            raise ValueError("1 + 2")
        for k in range(n):
            values[k] += swap(n, k)  # 1 < 2
        self.total = <int> (total - 1)
        self.sort()
        return max(n, 1)
'''


def changes(text: str, compiled: bool) -> set[tuple[str, str]]:
    return {(text[edit.begin : edit.end], edit.replacement) for edit in find_edits(text, compiled)}


def test_faults_of_python() -> None:
    assert changes(PYTHON, compiled=False) == {
        ("3", "4"), ("2", "3"), ("1", "2"), ("<", "<="), ("and", "or"), ("is", "is not"), ("-", "+"), ("max", "min"),
        ("not text", "(text)"), ("n < len(values) and not text", "not (n < len(values) and not text)"),
        ("text is None", "not (text is None)"), ('raise ValueError(f"{n + 1} values")', "pass"),
        ("n", "(n) + 1"), ("n", "(n) - 1"), ("n - 1", "(n - 1) + 1"), ("n - 1", "(n - 1) - 1"), ("n, k", "k, n"),
        ("values[k] += swap(n, k)", "pass"), (" += ", " -= "), ("values.sort()", "pass"),
    }  # fmt: skip


def test_faults_of_cython() -> None:
    assert changes(CYTHON, compiled=True) == {
        ("0", "1"), ("5", "6"), ("1", "2"), ("<", "<="), ("and", "or"), ("-", "+"), ("max", "min"),
        ("n < 5 and not self.is_empty", "not (n < 5 and not self.is_empty)"), ('raise ValueError("1 + 2")', "pass"),
        ("", " + 1"), ("", " - 1"), ("n, k", "k, n"), ("values[k] += swap(n, k)", "pass"), ("+=", "-="),
        ("self.total = <int> (total - 1)", "pass"), ("self.sort()", "pass"),
    }  # fmt: skip


def test_what_is_drawn_is_python_and_another_one() -> None:
    tried = noticed = 0
    for path in sorted((SCRIPTS.parent / "src" / "dodona" / "drawing").glob("*.py"))[:6]:
        text = path.read_text("utf-8")
        for edit in find_edits(text, compiled=False)[::9]:
            ast.parse(edit.apply(text))
            tried += 1
            noticed += changes_python(text, edit.apply(text))
    assert noticed > 0.95 * tried > 10


def test_what_changes_nothing_is_no_fault() -> None:
    assert not changes_python("x = 1", "x = (1)")
    assert not changes_python("x = 1", "x = ")
    assert changes_python("x = 1", "x = 2")
