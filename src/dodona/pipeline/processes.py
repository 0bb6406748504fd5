"""Several processes on any operating system: how many cores there are, and how processes are started."""

import os
import signal
import sys
import threading
from concurrent.futures import Executor
from multiprocessing import connection, get_all_start_methods, get_context, parent_process
from multiprocessing.context import BaseContext

__all__ = ["available_cores", "begin_process", "process_context", "shut_down"]


def available_cores() -> int:
    """Return the number of cores that this process may use: on Linux often fewer than there are, elsewhere all."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def process_context() -> BaseContext:
    """Return how new processes are started: from a clean one, so that no thread or lock of the parent is copied."""
    return get_context("forkserver" if "forkserver" in get_all_start_methods() else "spawn")


def begin_process() -> None:
    """Set up a new process: it ends with its parent, however that ends, even by SIGKILL.

    Ctrl-C reaches all processes; this one just ends, and the parent reports it.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def shut_down(pool: Executor) -> None:
    """End the processes of a pool, without beginning anything that waits.

    Only after Ctrl-C is nothing waited for. Otherwise Python could end in the middle of it, with a traceback.
    """
    pool.shutdown(wait=not isinstance(sys.exception(), KeyboardInterrupt), cancel_futures=True)
