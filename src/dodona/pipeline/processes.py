"""Several processes on any operating system: how many cores there are, and how processes are started."""

import os
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.context import BaseContext

__all__ = ["available_cores", "process_context"]


def available_cores() -> int:
    """Return the number of cores that this process may use: on Linux often fewer than there are, elsewhere all."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def process_context() -> BaseContext:
    """Return how new processes are started: from a clean one, so that no thread or lock of the parent is copied."""
    return get_context("forkserver" if "forkserver" in get_all_start_methods() else "spawn")
