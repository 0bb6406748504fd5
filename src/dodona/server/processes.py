"""Several processes for one server, on systems that can copy a process (fork): they share the models in memory.

Each process has a socket of its own on the same port, so that the system deals out connections evenly. The first
process holds all sockets, starts the others, replaces one that has died, and passes on the signal to end.
"""

import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Collection, Sequence

from dodona.errors import OptionError

__all__ = ["check_processes", "supervise"]

PAUSE = 1.0  # seconds before a process that has died is replaced


def check_processes(count: int) -> None:
    """Raise an error if this system cannot run so many."""
    if count > 1 and not (hasattr(os, "fork") and hasattr(socket, "SO_REUSEPORT")):
        raise OptionError(f"--processes {count}: this system cannot share a port; expected 1")


def supervise(work: Callable[[int], None], sockets: Sequence[socket.socket], say: Callable[[str], None]) -> None:
    """Run `work(k)` in a process for each socket, until SIGINT or SIGTERM; then end them, and wait for them."""
    heard = {signal.SIGINT, signal.SIGTERM, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, heard)
    children: dict[int, int] = {}
    ending = False
    try:
        for k in range(len(sockets)):
            children[_started(work, k, sockets, before)] = k
        while children:
            number = signal.sigwait(heard)
            if number != signal.SIGCHLD:
                for each in sockets:
                    each.close()  # so that nobody new waits
                for child in children:
                    os.kill(child, signal.SIGKILL if ending and number == signal.SIGINT else signal.SIGTERM)
                ending = True
            for child in _ended(children):
                k = children.pop(child)
                if not ending:
                    say("a process of the server has died; another one takes its place")
                    time.sleep(PAUSE)
                    children[_started(work, k, sockets, before)] = k
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _started(work: Callable[[int], None], k: int, sockets: Sequence[socket.socket], mask: Collection[int]) -> int:
    """Start a process and return its number; the new process does not return from here."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the first process passes it on
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for other in (each for j, each in enumerate(sockets) if j != k):
            other.close()  # or connections would wait there for a process that has ended
        work(k)
        code = 0
    except Exception:
        traceback.print_exc(file=sys.stderr)
    finally:
        os._exit(code)


def _ended(children: dict[int, int]) -> list[int]:
    """Return the processes that have ended."""
    return [child for child in children if os.waitpid(child, os.WNOHANG)[0]]
