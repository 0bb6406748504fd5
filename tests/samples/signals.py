"""Child processes that Ctrl-C can reach, also where the tests run with SIGINT ignored (in the background)."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

__all__ = ["hearing_interrupts", "interrupted"]

PROGRAM = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"


def hearing_interrupts(command: list[str]) -> list[str]:
    """The command, started with what a shell in the foreground gives its commands.

    By another program and not between fork and exec: the tests have threads, and locks of theirs would be copied.
    """
    return [sys.executable, "-c", PROGRAM, *command]


def interrupted(after: str, *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    """Run `dodona` with these arguments; Ctrl-C as soon as a line on standard error begins with `after`."""
    command = [sys.executable, "-m", "dodona", *map(str, arguments)]
    with subprocess.Popen(
        hearing_interrupts(command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    ) as process:  # fmt: skip
        limit = threading.Timer(100, process.kill)
        limit.start()
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            lines = []
            for line in process.stderr:
                lines.append(line)
                if line.startswith(after):
                    os.killpg(process.pid, signal.SIGINT)
                    after = "\0"  # only once
            out = process.stdout.read()
            process.wait()
        finally:
            limit.cancel()
    return subprocess.CompletedProcess(command, process.returncode, out, "".join(lines))
