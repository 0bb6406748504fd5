"""The entry point of the program. From here on Ctrl-C ends it without a traceback, also while the rest is imported.

So this file, and what is imported before it (`dodona`, `dodona.cli`), imports next to nothing: of `signal` the part in
C, which needs no `enum`, and of `importlib` what the interpreter has by itself.
"""

import _signal as signal  # type: ignore[import-not-found]
import atexit
import io
import os
import sys
import time
from _frozen_importlib_external import ExtensionFileLoader
from _thread import start_new_thread

TYPE_CHECKING = False  # as in `typing`, which would have to be imported
if TYPE_CHECKING:
    from types import FrameType

__all__ = ["hear_signals", "last_signal", "prepare_standard_streams", "raise_again", "run", "take_large_pages"]

AGAIN = 0.05  # seconds
LONGEST_IMPORT = 5.0  # seconds in which a signal waits for a compiled module

STREAMS = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
"""Name, mode, and how the null device is opened in place of a closed one: the wrong way round, so that use fails."""

TRAINING = {"train", "pretrain", "distill", "crossvalidate", "experiment"}
"""Commands that may train a network."""
LARGE_PAGES = "glibc.malloc.hugetlb=1"

_number: int = signal.SIGINT
_put_off_since = 0.0


def prepare_standard_streams() -> None:
    """Make closed standard streams fail like any closed file, when they are used.

    Python has None for them. Their numbers would go to the next files that are opened. Only messages on a closed
    standard error go nowhere, without an error.
    """
    for number, (name, mode, way) in enumerate(STREAMS):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, way)
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a character still gets the rest


def hear_signals() -> None:
    """Let SIGTERM and SIGHUP end the program as Ctrl-C does: without half-written files. `nohup` stays in force."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _interrupt)
    sys.unraisablehook = raise_again


def raise_again(lost: "sys.UnraisableHookArgs") -> None:
    """Let Ctrl-C come once more, a little later, if it came while Python called a function whose errors it ignores,
    such as a callback of the garbage collector: nobody else would hear of it, and the program would go on."""
    if isinstance(lost.exc_value, KeyboardInterrupt) and os.name == "posix":
        _send_again(signal.SIGINT)
    else:
        sys.__unraisablehook__(lost)


def take_large_pages() -> None:
    """Begin anew, with large pages for large arrays, where a command may train a network and the C library is glibc.

    A training asks for the same arrays again in every batch, and each time the system has to give pages for them. With
    pages of 4 kB that costs a quarter of the time. Arrays that are kept instead, by other options of glibc, take more
    and more memory. glibc is told by its environment, which it reads when a program begins.
    """
    tunables = os.environ.get("GLIBC_TUNABLES", "")
    if sys.platform != "linux" or not TRAINING & {*sys.argv[1:2]} or "glibc.malloc.hugetlb" in tunables:
        return
    os.environ["GLIBC_TUNABLES"] = f"{tunables}:{LARGE_PAGES}".lstrip(":")
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def last_signal() -> int:
    """Return the number of the signal that ends the program."""
    return _number


def _interrupt(number: int, frame: "FrameType | None") -> None:
    """Raise KeyboardInterrupt, but not while a compiled module is being loaded: those of JAX would lose it, say that
    they cannot begin, or crash. Then the signal comes once more, a little later."""
    global _number, _put_off_since
    _put_off_since = _put_off_since or time.monotonic()
    if os.name == "posix" and _loads_module(frame) and time.monotonic() < _put_off_since + LONGEST_IMPORT:
        _send_again(number)
        return
    _put_off_since = 0.0
    _number = number
    if number != signal.SIGINT:
        signal.signal(number, signal.SIG_IGN)  # once is enough: the second one must not disturb the end
    raise KeyboardInterrupt


def _loads_module(frame: "FrameType | None") -> bool:
    while frame is not None and not isinstance(frame.f_locals.get("self"), ExtensionFileLoader):
        frame = frame.f_back
    return frame is not None


def _send_again(number: int) -> None:
    """Let a signal come once more, by a thread without the locks of `threading`, which may be held just now."""
    start_new_thread(_send_later, (number,))


def _send_later(number: int) -> None:
    time.sleep(AGAIN)
    os.kill(os.getpid(), number)


def run() -> None:
    """Run the command line; for the installed program and `python -m dodona`."""
    take_large_pages()
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not ignored, as in the background
    if heard:
        signal.signal(signal.SIGINT, _end)
        # after all other work at the end: the interpreter would let a signal kill a program that has done everything
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    from dodona.cli.main import run as run_command

    try:
        if heard:
            signal.signal(signal.SIGINT, _interrupt)
        run_command()
    except KeyboardInterrupt:
        _end()
    finally:
        if heard:
            signal.signal(signal.SIGINT, _end)  # while the interpreter ends


def _end(*_: object) -> None:
    """End at once; nothing of ours is open."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.write(2, b"dodona: interrupted\n")
    os._exit(130)
