"""A server at work: from its sockets to its end, in one process or in several.

Several processes need a system that can copy a process (fork): they share the models in memory. Each has a socket of
its own on the same port, so that the system deals out connections evenly. The first process holds all sockets, starts
the others, replaces one that has died, and passes on the signal to end.

A supervisor may open the socket itself and pass it on (socket activation of systemd). It stays open while one server
ends and the next one begins, so that nobody who comes meanwhile is refused.
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
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import ClassVar

import h11
import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import State
from uvicorn.protocols.http.h11_impl import H11Protocol

from dodona.errors import DodonaError, OptionError
from dodona.server.log import LOGGER

__all__ = ["listen", "notify_ready", "receive_socket", "serve", "share_metrics", "supervise", "write_address"]

BACKLOG = 1024
IDLE = 15.0  # seconds in which the head of the next request must be there
CONNECTIONS = 1000  # at a time; for a further one, the one that has been idle for the longest time is closed
LONGEST_HEAD = 1 << 14  # bytes of the head of a request: each connection may hold as many
PASSED_SOCKET = 3  # the first number after standard input, output and error
PAUSE = 1.0  # seconds before a process that has died is replaced
TICKS = 10  # of the server's clock in a second


def listen(host: str, port: int, processes: int) -> list[socket.socket]:
    """Return a socket for each process, all of them with the same port; port 0 is any free one."""
    if processes > 1 and not (hasattr(os, "fork") and hasattr(socket, "SO_REUSEPORT")):
        raise OptionError(f"--processes {processes}: this system cannot share a port; expected 1")
    sockets: list[socket.socket] = []
    try:
        for _ in range(processes):
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            # asyncio sends small answers at once (TCP_NODELAY) only where the protocol is named, and not 40 ms later
            sockets.append(socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP))
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


def receive_socket(processes: int) -> list[socket.socket]:
    """Return the socket that a supervisor has passed on, as systemd does, for each process; none if there is none."""
    if os.environ.get("LISTEN_PID") != str(os.getpid()) or os.environ.get("LISTEN_FDS") != "1":
        return []
    for name in ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"):
        os.environ.pop(name, None)  # they are for this process only
    try:
        passed = [socket.socket(fileno=os.dup(PASSED_SOCKET)) for _ in range(processes)]
        os.close(PASSED_SOCKET)
        passed[0].getsockname()
    except OSError as error:
        raise DodonaError(f"no socket was passed on, though LISTEN_FDS says so: {error.strerror or error}") from error
    return passed


def notify_ready() -> None:
    """Tell systemd, if it waits for that, that the models are loaded."""
    address = os.environ.pop("NOTIFY_SOCKET", "")
    if address and hasattr(socket, "AF_UNIX"):
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
            sock.connect(address.replace("@", "\0", 1) if address.startswith("@") else address)
            sock.sendall(b"READY=1\n")


class _Connection(H11Protocol):
    """A connection that does nothing must not be in the way of others: there is room for so many only."""

    idle_since = 0.0
    counts: ClassVar[Counter[str]] = Counter()  # the connections of each client
    most = 0  # of one client

    @property
    def is_idle(self) -> bool:
        """Whether no request is under way, or only the beginning of its head is there."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.idle_since = self.loop.time()
        self.peer = self.client[0] if self.client else ""
        self.counts[self.peer] += 1
        if self.counts[self.peer] > self.most:
            self.close(f"{self.peer} has {self.most} connections already")
        elif len(self.connections) > CONNECTIONS:
            others = (each for each in self.connections if isinstance(each, _Connection) and each is not self)
            idle = [each for each in others if each.is_idle and not each.transport.is_closing()]
            if idle:
                min(idle, key=lambda each: each.idle_since).close("others need the connection")
            else:
                self.close(f"there are {CONNECTIONS} connections already")

    def close(self, reason: str) -> None:
        LOGGER.info("a connection is closed: %s", reason)
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.counts[self.peer] -= 1
        if not self.counts[self.peer]:
            del self.counts[self.peer]

    def on_response_complete(self) -> None:
        self.idle_since = self.loop.time()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer to what is no HTTP. An answer that has begun cannot be followed by another one; and whoever reads the
        body of this request is told that there is no more."""
        if self.conn.our_state is h11.IDLE:
            super().send_400_response(msg)
        else:
            self.transport.close()
            if self.cycle is not None:
                self.cycle.disconnected = True
                self.cycle.message_event.set()


class _Server(uvicorn.Server):
    """Ends after a signal when running requests are finished. It also ends without the process `parent`."""

    def __init__(self, config: uvicorn.Config, state: State, parent: int | None) -> None:
        super().__init__(config)
        self.state = state
        self.parent = parent
        self.is_interrupted = False

    async def on_tick(self, counter: int) -> bool:
        if counter % TICKS == 0:
            now = asyncio.get_running_loop().time()
            for each in list(self.server_state.connections):
                if isinstance(each, _Connection) and each.is_idle and now > each.idle_since + IDLE:
                    each.transport.close()
            if self.parent is not None:
                self.state.metrics.refresh()  # for whoever asks another process
                self.should_exit |= os.getppid() != self.parent
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.is_interrupted |= sig == signal.SIGINT
        super().handle_exit(sig, frame)

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
    requests have `grace` seconds to end. SIGTERM is how a server is asked to end; SIGINT is a KeyboardInterrupt, as it
    is everywhere, when they have ended."""
    from dodona.server.service import return_large_blocks  # prometheus-client must not be imported earlier

    return_large_blocks()
    _Connection.most = app.state.limits.connections
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=int(IDLE),
        timeout_graceful_shutdown=max(1, math.ceil(grace)),
        lifespan="off",
        http=_Connection,
        h11_max_incomplete_event_size=LONGEST_HEAD,
        ws="none",
    )
    server = _Server(config, app.state, parent)
    try:
        server.run(sockets=[sock])
    finally:
        app.state.close()
    if server.is_interrupted:
        raise KeyboardInterrupt


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
    """Run `work(k)` in a process for each socket, until SIGINT or SIGTERM; then end them, and wait for them. SIGINT is
    a KeyboardInterrupt in the end, as in `serve`."""
    from prometheus_client.multiprocess import mark_process_dead

    numbers = {signal.SIGINT, signal.SIGTERM, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    children: dict[int, int] = {}
    ending = is_interrupted = False
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
                is_interrupted |= number == signal.SIGINT
            for child in [child for child in children if os.waitpid(child, os.WNOHANG)[0]]:
                k = children.pop(child)
                mark_process_dead(child)  # type: ignore[no-untyped-call]  # what it has counted stays, and its gauges go
                if not ending:
                    say("a process of the server has died; another one takes its place")
                    time.sleep(PAUSE)
                    children[_start(work, k, sockets, before)] = k
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if is_interrupted:
        raise KeyboardInterrupt


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
