"""A server at work: from its sockets to its end, in one process or in several.

Several processes need a system that can copy a process (fork): they share the models in memory. Each has a socket of
its own on the same port, so that the system deals out connections evenly. The first process holds all sockets, starts
the others, replaces one that has died, and passes on the signal to end.
"""

import asyncio
import math
import os
import signal
import socket
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import State
from uvicorn.protocols.http.h11_impl import H11Protocol

from dodona.errors import DodonaError, OptionError

__all__ = ["listen", "serve", "share_metrics", "supervise", "write_address"]

BACKLOG = 1024
FIRST_REQUEST = 15.0  # seconds until the head of the first request must be there
PAUSE = 1.0  # seconds before a process that has died is replaced
TICKS = 10  # of the server's clock in a second


def listen(host: str, port: int, processes: int) -> list[socket.socket]:
    """Return a socket for each process, all of them with the same port; port 0 is any free one."""
    if processes > 1 and not (hasattr(os, "fork") and hasattr(socket, "SO_REUSEPORT")):
        raise OptionError(f"--processes {processes}: this system cannot share a port; expected 1")
    sockets: list[socket.socket] = []
    try:
        for _ in range(processes):
            sockets.append(socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET))
            sockets[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if processes > 1:
                sockets[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            sockets[-1].bind((host, port))
            sockets[-1].listen(BACKLOG)  # from now on nobody is turned away; who comes before the server begins waits
            port = sockets[-1].getsockname()[1]
    except OSError as error:
        for each in sockets:
            each.close()
        raise DodonaError(f"cannot listen on {host}, port {port}: {error.strerror or error}") from error
    return sockets


def write_address(sock: socket.socket) -> str:
    """Return the address of the page that is served on a socket."""
    host, port = sock.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # all networks: this machine is one of them
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


class _Connection(H11Protocol):
    """A connection on which no request comes in time is closed: there is room for so many only."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.loop.call_later(FIRST_REQUEST, self._close_unused)

    def _close_unused(self) -> None:
        if self.cycle is None:
            self.transport.close()


class _Server(uvicorn.Server):
    """Ends after a signal as if that were its task: running requests are finished first. It also ends without the
    process `parent`."""

    def __init__(self, config: uvicorn.Config, state: State, parent: int | None) -> None:
        super().__init__(config)
        self.state = state
        self.parent = parent

    async def on_tick(self, counter: int) -> bool:
        if counter % TICKS == 0 and self.parent is not None:
            self.state.refresh()  # for whoever asks another process
            self.should_exit |= os.getppid() != self.parent
        return await super().on_tick(counter)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # where another process passes it on
        numbers = (signal.SIGTERM,) if ignored else (signal.SIGTERM, signal.SIGINT)
        before = {number: signal.signal(number, self.handle_exit) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def serve(app: Starlette, sock: socket.socket, grace: float = 30.0, parent: int | None = None) -> None:
    """Serve an application on a socket, until SIGINT or SIGTERM, or until the process `parent` is gone; then running
    requests have `grace` seconds to end."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=max(1, math.ceil(grace)),
        limit_concurrency=1000,
        lifespan="off",
        http=_Connection,
        ws="none",
    )
    try:
        _Server(config, app.state, parent).run(sockets=[sock])
    finally:
        app.state.close()


@contextmanager
def share_metrics() -> Iterator[None]:
    """Make a folder for the numbers of several processes. prometheus-client looks for its name when it is imported."""
    with tempfile.TemporaryDirectory(prefix="dodona-") as folder:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        try:
            yield
        finally:
            del os.environ["PROMETHEUS_MULTIPROC_DIR"]


def supervise(work: Callable[[int], None], sockets: Sequence[socket.socket], say: Callable[[str], None]) -> None:
    """Run `work(k)` in a process for each socket, until SIGINT or SIGTERM; then end them, and wait for them."""
    from prometheus_client.multiprocess import mark_process_dead

    numbers = {signal.SIGINT, signal.SIGTERM, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    children: dict[int, int] = {}
    ending = False
    try:
        for k in range(len(sockets)):
            children[_start(work, k, sockets, before)] = k
        while children:
            number = signal.sigwait(numbers)
            if number != signal.SIGCHLD:
                for each in sockets:
                    each.close()  # so that nobody new waits
                for child in children:
                    os.kill(child, signal.SIGKILL if ending and number == signal.SIGINT else signal.SIGTERM)
                ending = True
            for child in [child for child in children if os.waitpid(child, os.WNOHANG)[0]]:
                k = children.pop(child)
                mark_process_dead(child)  # type: ignore[no-untyped-call]  # what it has counted stays, and its gauges go
                if not ending:
                    say("a process of the server has died; another one takes its place")
                    time.sleep(PAUSE)
                    children[_start(work, k, sockets, before)] = k
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(work: Callable[[int], None], k: int, sockets: Sequence[socket.socket], mask: Collection[int]) -> int:
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
