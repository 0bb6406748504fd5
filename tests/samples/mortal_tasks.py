"""Tasks for other processes, some of which cost a process its life."""

import os
import signal
from pathlib import Path
from typing import Any

__all__ = ["always_die", "die", "double", "double_anywhere", "end_early", "remember"]

_prepared: list[Any] = []


def remember(value: Any) -> None:
    _prepared.append(value)


def double(number: int) -> dict[str, Any]:
    return {"twice": 2 * number, "process": os.getpid(), "prepared": list(_prepared)}


def double_anywhere(number: int) -> dict[str, Any]:
    """The same in each process."""
    return {"twice": 2 * number}


def end_early(number: int) -> dict[str, Any]:
    raise EOFError("a file that is cut off")  # and not the end of the pipe


def die(until: Path) -> dict[str, Any]:
    """Die, unless somebody has died before."""
    if not until.exists():
        until.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"lives": True}


def always_die(number: int) -> dict[str, Any]:
    os.kill(os.getpid(), signal.SIGKILL)
    return {}
