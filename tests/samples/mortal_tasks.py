"""Tasks for other processes, some of which cost a process its life."""

import os
import signal
import threading
from pathlib import Path
from typing import Any

__all__ = ["again", "always_die", "die", "double", "double_at_leisure", "end_early", "remember"]

_prepared: list[Any] = []
again = threading.Event()
again.set()


def remember(value: Any) -> None:
    _prepared.append(value)


def double(number: int) -> dict[str, Any]:
    return {"twice": 2 * number, "process": os.getpid(), "prepared": list(_prepared)}


def double_at_leisure(number: int) -> dict[str, Any]:
    """Wait for `again`, in a thread of the same process."""
    assert again.wait(60)
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
