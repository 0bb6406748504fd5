"""Several processes on any operating system: how many cores there are, and how processes share work and are ended."""

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import connection, get_all_start_methods, get_context, parent_process
from multiprocessing.context import BaseContext
from types import FrameType
from typing import Any, TypeVar

from dodona.errors import DodonaError

__all__ = ["available_cores", "delay_signals", "end_with_parent", "map_in_processes", "process_context"]

T = TypeVar("T")
R = TypeVar("R")

QUIET = "ignore:resource_tracker:UserWarning"
MASKS = hasattr(signal, "pthread_sigmask")  # not on Windows
DELAYED = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def available_cores() -> int:
    """Return the number of cores that this process may use: on Linux often fewer than there are, elsewhere all."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def map_in_processes(function: Callable[[T], R], arguments: Iterable[T], jobs: int) -> Iterator[R]:
    """Yield the result for each argument, in order, from this many new processes.

    The function must be one of a module, or a `partial` of one. It goes to them with their work, and not when they
    begin: that would make this process wait until they read it, deaf to Ctrl-C.
    """
    contents = pickle.dumps(function)
    pool = ProcessPoolExecutor(jobs, process_context(), _begin_process)
    try:
        with delay_signals():
            futures = [pool.submit(_call, contents, argument) for argument in arguments]
        for future in futures:
            yield future.result()
    except BrokenProcessPool as error:
        raise DodonaError("a process that was training has died; with one job the reason may show") from error
    finally:
        # Only after Ctrl-C nothing is waited for. Otherwise Python could end while the pool is being closed, or a
        # process that has only begun could find the pool gone: with a traceback, either way.
        pool.shutdown(wait=not isinstance(sys.exception(), KeyboardInterrupt), cancel_futures=True)


_function: Callable[[Any], Any] | None = None


def _begin_process() -> None:
    """Set up a new process: it ends with its parent, however that ends, even by SIGKILL.

    Ctrl-C reaches all processes; this one just ends, and the parent reports it. A Ctrl-C that came before was blocked.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if MASKS:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    end_with_parent()


def _call(contents: bytes, argument: Any) -> Any:
    """Call the function with these contents, which is the same one in all the life of a process."""
    global _function
    if _function is None:
        _function = pickle.loads(contents)  # from the parent
    assert _function is not None
    return _function(argument)


def end_with_parent() -> None:
    """Let this process end when its parent does, whatever it is doing then."""
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def process_context() -> BaseContext:
    """Return how new processes are started: from a clean one, so that no thread or lock of the parent is copied.

    After Ctrl-C, Python's own helper process may have to remove a lock that another process could not. It does, but
    would complain about it to the user; it hears of the warnings to be ignored when it is started.
    """
    if QUIET not in sys.warnoptions:
        sys.warnoptions.append(QUIET)
    return get_context("forkserver" if "forkserver" in get_all_start_methods() else "spawn")


@contextmanager
def delay_signals() -> Iterator[None]:
    """Delay signals for which Python calls a function, such as Ctrl-C, to the end of the block.

    A process that is started meanwhile is then known, and can be ended with the others. It begins with SIGINT blocked,
    and so does the server that starts others: Ctrl-C, which reaches them too, would end them with a traceback before
    they can handle it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals interrupt only the main thread
        return
    arrived: list[tuple[int, FrameType | None]] = []
    handlers = {number: handler for number in DELAYED if callable(handler := signal.getsignal(number))}
    for number in handlers:
        signal.signal(number, lambda *signalled: arrived.append(signalled))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT]) if MASKS else set()
    try:
        yield
    finally:
        if MASKS:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number, frame in arrived:
            handlers[number](number, frame)
