"""Several processes on any operating system: how many cores there are, and how processes are started."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from multiprocessing import connection, get_all_start_methods, get_context, parent_process
from multiprocessing.context import BaseContext
from types import FrameType

__all__ = ["available_cores", "begin_process", "delay_signals", "process_context", "shut_down"]


QUIET = "ignore:resource_tracker:UserWarning"
DELAYED = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def available_cores() -> int:
    """Return the number of cores that this process may use: on Linux often fewer than there are, elsewhere all."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def process_context() -> BaseContext:
    """Return how new processes are started: from a clean one, so that no thread or lock of the parent is copied.

    After Ctrl-C, Python's own helper process may have to remove a lock that another process could not. It does, but
    would complain about it to the user; it hears of the warnings to be ignored when it is started.
    """
    if QUIET not in sys.warnoptions:
        sys.warnoptions.append(QUIET)
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

    Only after Ctrl-C nothing is waited for. Otherwise Python could end while the pool is being closed, or a process
    that has only begun could find the pool gone: with a traceback, either way.
    """
    pool.shutdown(wait=not isinstance(sys.exception(), KeyboardInterrupt), cancel_futures=True)


@contextmanager
def delay_signals() -> Iterator[None]:
    """Delay signals for which Python calls a function, such as Ctrl-C, to the end of the block.

    A process that is started meanwhile is then known, and can be ended with the others.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals interrupt only the main thread
        return
    arrived: list[tuple[int, FrameType | None]] = []
    handlers = {number: signal.getsignal(number) for number in DELAYED}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in handlers:
        signal.signal(number, lambda *found: arrived.append(found))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number, frame in arrived:
            handler = handlers[number]
            if callable(handler):
                handler(number, frame)
