"""A few thousand inputs at all entries; and the driver notices whatever can go wrong with one."""

import os
import sys
from pathlib import Path

import pytest
from fuzz.driver import Result, WorkerError, run_tasks
from fuzz.entry import Entry, all_entries
from fuzz.failures import kept
from fuzz.worker import Task

TESTS = Path(__file__).parents[1]
CASES = {"command_line": 50, "model": 150}
OTHERS = 300
FOREVER = 1e12
SEED = 1

BROKEN = """
import os, signal, time
from dodona import FormatError

def seeds():
    return [b"fine", b"refused", b"wrong", b"crash", b"fine again", b"hang", b"the end"]

def target(data):
    if data == b"refused":
        raise FormatError("no")
    if data == b"wrong":
        raise KeyError("uncaught")
    if data == b"crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    while data == b"hang":
        time.sleep(1)
"""


@pytest.fixture(autouse=True)
def _workers_find_the_targets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = [str(tmp_path), str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path))


def test_no_input_does_harm(tmp_path: Path) -> None:
    """In one process, one entry after the other; `make fuzz` takes minutes."""
    folder = tmp_path / "found"
    tasks = [Task(entry, 0, CASES.get(entry, OTHERS), FOREVER) for entry in all_entries()]
    result = run_tasks(tasks, SEED, folder)
    assert {path.name: path.with_suffix(".txt").read_text() for path in kept(folder)} == {}
    assert result.cases == {task.entry: task.cases for task in tasks}
    for entry in all_entries():
        assert result.refused[entry] < result.cases[entry], f"{entry}: nothing gets through, so nothing is tested"


@pytest.mark.skipif(sys.platform == "win32", reason="a signal is not an exit status there")
def test_whatever_goes_wrong_is_noticed_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DODONA_FUZZ_SECONDS", "0.5")
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "broken.py").write_text(BROKEN, encoding="utf-8")
    folder = tmp_path / "found"
    result = run_tasks([Task("some.broken", 0, 7, FOREVER)], SEED, folder)
    assert result == Result({"some.broken": 7}, {"some.broken": 0}, {"some.broken": 2})
    happened = {path.read_bytes(): path.with_suffix(".txt").read_text() for path in kept(folder)}
    assert happened.keys() == {b"wrong", b"crash", b"hang"}
    assert "KeyError: 'uncaught'" in happened[b"wrong"]
    assert happened[b"crash"].startswith("signal SIGSEGV")
    assert "Timeout (0:00:00.500000)!" in happened[b"hang"]


def test_a_seed_gives_the_same_inputs() -> None:
    entry = Entry("conllu")
    first = [entry.case(1, number) for number in range(50)]
    assert [Entry("conllu").case(1, number) for number in reversed(range(50))] == first[::-1]
    assert [entry.case(2, number) for number in range(50)] != first
    assert len(set(first)) > 45


def test_what_cannot_make_up_inputs_is_no_entry(tmp_path: Path) -> None:
    (tmp_path / "some").mkdir()
    program = "def seeds(): return [b'']\ndef target(data): pass\ndef mutate(seeds, chance): raise KeyError('no input')"
    (tmp_path / "some" / "wrong.py").write_text(program, encoding="utf-8")
    with pytest.raises(WorkerError, match=r"some.wrong: a worker died before it tried an input(.|\n)*no input"):
        run_tasks([Task("some.wrong", 0, 100, FOREVER)], SEED, tmp_path / "found")
    assert kept(tmp_path / "found") == []
