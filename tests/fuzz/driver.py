"""Runs workers until all inputs were tried, also where one of them dies on the way."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.failures import keep
from fuzz.worker import LONGEST, RUNNING, Task

__all__ = ["Result", "WorkerError", "run_tasks"]

PREPARATION = 120.0  # seconds: a worker trains small models before it begins
MOST_CRASHES = 20  # at an entry; then something more basic is wrong


class WorkerError(Exception):
    """A worker that died before it tried anything."""


@dataclass
class Result:
    """What came of some tasks: inputs tried and refused at each entry, and how often a worker died."""

    cases: dict[str, int] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)
    crashes: dict[str, int] = field(default_factory=dict)

    def add(self, entry: str, cases: int, refused: int = 0, crashes: int = 0) -> None:
        for counts, more in ((self.cases, cases), (self.refused, refused), (self.crashes, crashes)):
            counts[entry] = counts.get(entry, 0) + more


def run_tasks(tasks: Iterable[Task], seed: int, folder: Path) -> Result:
    """Try all inputs. An input that takes down its worker is kept, and the rest goes on in a new one."""
    folder.mkdir(parents=True, exist_ok=True)
    result = Result()
    left = list(tasks)
    while left:
        ended, lines = _worker(left, seed, folder)
        for line in lines:
            entry, cases, refused = line.split()
            result.add(entry, int(cases), int(refused))
        if ended == "":
            break
        left = left[len(lines) :]
        task = left[0]
        entry, number, data = _running(folder, task, ended)
        keep(folder, entry, data, ended)
        result.add(entry, number + 1 - task.first, crashes=1)
        rest = task.cases - (number + 1 - task.first)
        left[0] = task._replace(first=number + 1, cases=rest)
        if result.crashes[entry] >= MOST_CRASHES or rest <= 0:
            del left[0]
    return result


def _worker(tasks: list[Task], seed: int, folder: Path) -> tuple[str, list[str]]:
    """Return how a worker ended, empty if well, and the lines that it wrote."""
    (folder / RUNNING).unlink(missing_ok=True)
    # a task without an end in time may take as long as all its inputs together
    longest = sum(min(max(0.0, task.until - time.time()), task.cases * LONGEST) for task in tasks)
    command = [sys.executable, "-X", "utf8", "-m", "fuzz.worker", str(folder), str(seed), *map(str, tasks)]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
    ) as process:
        try:
            output, errors = process.communicate(timeout=longest + PREPARATION)
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
            errors += "\nthe worker did not end"
        except BaseException:
            process.kill()
            raise
    if process.returncode == 0:
        return "", output.splitlines()
    code = process.returncode
    name = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
    return f"{name}\n{errors}", output.splitlines()


def _running(folder: Path, task: Task, ended: str) -> tuple[str, int, bytes]:
    """Entry, number and input that a worker tried when it died."""
    path = folder / RUNNING
    note, _, data = path.read_bytes().partition(b"\n") if path.exists() else (b"", b"", b"")
    if not note or note.decode().split()[0] != task.entry:
        raise WorkerError(f"{task.entry}: a worker died before it tried an input: {ended}")
    entry, number = note.decode().split()
    return entry, int(number), data
