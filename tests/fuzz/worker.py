"""Tries inputs at doors, in a process of its own, which a fault of the compiled core may take down.

    python -m fuzz.worker FOLDER SEED DOOR:FIRST:CASES:UNTIL …

Before an input is tried it is written to FOLDER/running, after a line with the door and the number. So the parent
process knows what was tried when this one died. UNTIL is a time, as that of the clock, after which no input is tried. A
line on standard output for each door says how far it came: door, cases, refused.
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

from fuzz.door import Door
from fuzz.failures import keep

from dodona import DodonaError

__all__ = ["RUNNING", "Task"]

RUNNING = "running"
MEMORY = Path("/dev/shm")  # a file system in memory, where there is one: no input has to wait for a disk
MOST_MEMORY = 8 << 30  # bytes
LONGEST = float(os.environ.get("DODONA_FUZZ_SECONDS", "10"))  # that an input may take


class Task(NamedTuple):
    """Some inputs at a door."""

    door: str
    first: int
    cases: int
    until: float

    def __str__(self) -> str:
        return ":".join(map(str, self))

    @classmethod
    def parse(cls, text: str) -> "Task":
        door, first, cases, until = text.split(":")
        return cls(door, int(first), int(cases), float(until))


def run(task: Task, seed: int, folder: Path, running: int) -> None:
    door = Door(task.door)
    refused = 0
    number = task.first
    while number < task.first + task.cases and time.time() < task.until:
        os.ftruncate(running, 0)  # a fault of what makes up inputs is none of the last input
        data = door.case(seed, number)
        note = f"{task.door} {number}\n".encode() + data
        os.lseek(running, 0, os.SEEK_SET)
        os.ftruncate(running, os.write(running, note))
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        try:
            door.target(data)
        except DodonaError:
            refused += 1
        except Exception:
            keep(folder, task.door, data, traceback.format_exc())
        finally:
            faulthandler.cancel_dump_traceback_later()
        number += 1
    print(task.door, number - task.first, refused, flush=True)


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
        os.chdir(scratch)  # doors that need a file write it here
        for task in map(Task.parse, tasks):
            run(task, int(seed), home, running)


if __name__ == "__main__":
    main(*sys.argv[1:])
