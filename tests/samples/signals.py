"""Child processes that Ctrl-C can reach, also where the tests run with SIGINT ignored (in the background)."""

import sys

__all__ = ["hearing_interrupts"]

PROGRAM = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"


def hearing_interrupts(command: list[str]) -> list[str]:
    """The command, started with what a shell in the foreground gives its commands.

    By another program and not between fork and exec: the tests have threads, and locks of theirs would be copied.
    """
    return [sys.executable, "-c", PROGRAM, *command]
