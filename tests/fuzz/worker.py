"""Tries inputs at entries, in a process of its own, which a fault of the compiled core may take down.

    python -m fuzz.worker FOLDER SEED ENTRY:FIRST:CASES:UNTIL …

Before an input is tried it is written to FOLDER/running, after a line with the entry and the number. So the parent
process knows what was tried when this one died. UNTIL is a time, as that of the clock, after which no input is tried. A
line on standard output for each entry says how far it came: entry, cases, refused.
"""

import faulthandler
import os
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from typing import NamedTuple

from fuzz.entry import Entry
from fuzz.failures import keep

from dodona import DodonaError

__all__ = ["RUNNING", "Task"]

RUNNING = "running"
MEMORY = Path("/dev/shm")  # a file system in memory, where there is one: no input has to wait for a disk
MOST_MEMORY = 8 << 30  # bytes
LONGEST = float(os.environ.get("DODONA_FUZZ_SECONDS", "10"))  # that an input may take


class Task(NamedTuple):
    """Some inputs at an entry."""

    entry: str
    first: int
    cases: int
    until: float

    def __str__(self) -> str:
        return ":".join(map(str, self))

    @classmethod
    def parse(cls, text: str) -> "Task":
        entry, first, cases, until = text.split(":")
        return cls(entry, int(first), int(cases), float(until))


def run(task: Task, seed: int, folder: Path, running: int) -> None:
    entry = Entry(task.entry)
    refused = 0
    number = task.first
    while number < task.first + task.cases and time.time() < task.until:
        os.ftruncate(running, 0)  # a fault of what makes up inputs is none of the last input
        data = entry.case(seed, number)
        note = f"{task.entry} {number}\n".encode() + data
        os.lseek(running, 0, os.SEEK_SET)
        os.ftruncate(running, os.write(running, note))
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        try:
            entry.target(data)
        except DodonaError:
            refused += 1
        except Exception:
            keep(folder, task.entry, data, traceback.format_exc())
        finally:
            faulthandler.cancel_dump_traceback_later()
        number += 1
    print(task.entry, number - task.first, refused, flush=True)


def _limit_memory() -> None:
    """An input that makes a program take all memory is a fault, and not one to wait for."""
    if sys.platform != "win32" and "LD_PRELOAD" not in os.environ:  # sanitizers reserve terabytes, and use little
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def main(folder: str, seed: str, *tasks: str) -> None:
    faulthandler.enable()
    _limit_memory()
    warnings.simplefilter("ignore")
    home = Path(folder).absolute()
    running = os.open(home / RUNNING, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    with tempfile.TemporaryDirectory(prefix="dodona-fuzz-", dir=MEMORY if MEMORY.is_dir() else None) as scratch:
        os.chdir(scratch)  # entries that need a file write it here
        for task in map(Task.parse, tasks):
            run(task, int(seed), home, running)


if __name__ == "__main__":
    main(*sys.argv[1:])
