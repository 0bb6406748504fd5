"""Bytes from files, pipes, sockets and terminals, and the moments when these pause."""

import os
import select
import stat
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["is_terminal", "raw_chunks", "size_of"]

CHUNK = 1 << 18
PATIENCE = 2.0
"""Seconds to wait for the first byte of a named pipe before saying so."""


def raw_chunks(name: str) -> Iterator[bytes]:
    """Yield the bytes of a file as soon as they are there; an empty chunk before each read that will have to wait."""
    with _opened(name) as handle:
        is_file = stat.S_ISREG(os.fstat(handle).st_mode)
        while True:
            if not is_file and not _is_ready(handle, 0.0):
                yield b""
            chunk = os.read(handle, CHUNK)
            if not chunk:
                return
            yield chunk


def size_of(name: str) -> int | None:
    """Return the size of a regular file in bytes; None for anything else, of which the size is not known."""
    try:
        found = os.fstat(0) if name == "-" else os.stat(name)
    except OSError:
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def is_terminal(name: str) -> bool:
    """Return whether a file is a terminal; `-` is standard input."""
    if name == "-":
        return os.isatty(0)
    try:
        if not stat.S_ISCHR(os.stat(name).st_mode):
            return False
        handle = os.open(name, os.O_RDONLY | getattr(os, "O_NOCTTY", 0))
    except OSError:
        return False
    try:
        return os.isatty(handle)
    finally:
        os.close(handle)


@contextmanager
def _opened(name: str) -> Iterator[int]:
    """Yield the handle of an open file; `-` is standard input."""
    if name == "-":
        yield 0
        return
    is_fifo = sys.platform == "linux" and _is_fifo(name)
    handle = os.open(name, os.O_RDONLY | getattr(os, "O_BINARY", 0) | (os.O_NONBLOCK if is_fifo else 0))
    try:
        if is_fifo:
            _wait_for_writer(handle, name)
        yield handle
    finally:
        os.close(handle)


def _wait_for_writer(handle: int, name: str) -> None:
    """Wait until a program has written to a named pipe. Opened for blocking, it would wait in silence; only Linux
    tells a pipe without a writer so far from one whose writer has closed it."""
    if not _is_ready(handle, PATIENCE):
        warnings.warn(f"{name}: waiting for a program that writes to this named pipe", stacklevel=2)
        _is_ready(handle, None)
    os.set_blocking(handle, True)


def _is_fifo(name: str) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(name).st_mode)
    except OSError:
        return False


def _is_ready(handle: int, seconds: float | None) -> bool:
    """Return whether a read returns at once, after waiting for it for some time (None: as long as it takes)."""
    try:
        ready, _, _ = select.select([handle], [], [], seconds)
    except (OSError, ValueError):
        return True  # not on this system, or too many open files: the read itself will wait
    return bool(ready)
