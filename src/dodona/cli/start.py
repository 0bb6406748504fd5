"""The entry point of the program. From here on Ctrl-C ends it without a traceback, also while the rest is imported.

So this file, and what is imported before it (`dodona`, `dodona.cli`), imports next to nothing.
"""

import os
import signal

__all__ = ["run"]


def run() -> None:
    """Run the command line; for the installed program and `python -m dodona`."""
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not ignored, as in the background
    if heard:
        signal.signal(signal.SIGINT, _end)
    from dodona.cli.main import run as run_command

    try:
        if heard:
            signal.signal(signal.SIGINT, signal.default_int_handler)
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
