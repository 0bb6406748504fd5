"""`dodona` as a user calls it, but in this process: a new one would take longer to start than most commands to run.

What a process alone can show (signals, closed streams, what is imported) is tested in processes: `test_streams`,
`test_interrupts`, `test_limits`.
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from unittest import mock

from dodona.cli.main import run

__all__ = ["call_dodona", "call_dodona_with_bytes"]


def call_dodona(*arguments: str | Path, text: str = "") -> "subprocess.CompletedProcess[str]":
    """Run the command with this text on standard input."""
    done = call_dodona_with_bytes(*arguments, given=text.encode())
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def call_dodona_with_bytes(*arguments: str | Path, given: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    """Run the command with these bytes. Standard input is a pipe, and the outputs are files, by their handles too."""
    words = list(map(str, arguments))
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with (
            _pipe(given) as pipe,
            _handles(pipe, out.fileno(), err.fileno()),
            _settings_of_the_process(),
            mock.patch.object(sys, "argv", ["dodona", *words]),
        ):
            code = _run()
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(words, code, out.read(), err.read())


@contextmanager
def _pipe(given: bytes) -> Iterator[int]:
    """The end of a pipe from which these bytes can be read, by somebody who may stop before their end."""
    reader, writer = os.pipe()

    def write() -> None:
        with suppress(BrokenPipeError), open(writer, "wb") as stream:
            stream.write(given)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield reader
    finally:
        os.close(reader)
        thread.join()


def _run() -> int:
    try:
        run()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


@contextmanager
def _handles(*replacements: int) -> Iterator[None]:
    """Let standard input, output and error be these, for Python and for whatever uses their numbers."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    kept = [os.dup(number) for number in range(3)]
    try:
        for number, replacement in enumerate(replacements):
            os.dup2(replacement, number)
        with (
            open(0, encoding="utf-8", closefd=False) as stdin,
            open(1, "w", encoding="utf-8", closefd=False) as stdout,
            open(2, "w", encoding="utf-8", buffering=1, closefd=False) as stderr,
            mock.patch.multiple(sys, stdin=stdin, stdout=stdout, stderr=stderr),
        ):
            yield
    finally:
        for number, handle in enumerate(kept):
            os.dup2(handle, number)
            os.close(handle)


@contextmanager
def _settings_of_the_process() -> Iterator[None]:
    """Put back what a program may set for itself: how it warns, and which signals it hears."""
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    handlers = [signal.getsignal(number) for number in numbers]
    try:
        with warnings.catch_warnings(), mock.patch.object(sys, "unraisablehook", sys.unraisablehook):
            yield
    finally:
        for number, handler in zip(numbers, handlers, strict=True):
            signal.signal(number, handler)
