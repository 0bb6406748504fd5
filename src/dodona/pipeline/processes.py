"""Several processes on any system: how many there is room for, and how they are started."""

import os
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.context import BaseContext

__all__ = ["available_cores", "process_context"]


def available_cores() -> int:
    """The cores that this process may use: on Linux often fewer than the machine has, elsewhere all of them."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def process_context() -> BaseContext:
    """How new processes begin: from a clean one, so that no thread or lock of the parent is copied into them."""
    return get_context("forkserver" if "forkserver" in get_all_start_methods() else "spawn")
