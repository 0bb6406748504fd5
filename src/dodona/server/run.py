"""A server at work: from a socket to its end."""

import asyncio
import math
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["address", "listening", "serve"]

BACKLOG = 1024
FIRST_REQUEST = 15.0  # seconds until the head of the first request must be there


def listening(host: str, port: int, shared: bool = False) -> socket.socket:
    """Return a socket that listens there; port 0 is any free one. With `shared`, other sockets may have the same."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if shared:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        found.bind((host, port))
        found.listen(BACKLOG)  # from now on nobody is turned away; who comes before the server has begun waits
    except OSError:
        found.close()
        raise
    return found


def address(sock: socket.socket) -> str:
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
    """Ends after a signal as if that were its task: running requests are finished first."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # where another process passes it on
        numbers = (signal.SIGTERM,) if ignored else (signal.SIGTERM, signal.SIGINT)
        before = {number: signal.signal(number, self._heard) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _heard(self, number: int, frame: FrameType | None) -> None:
        self.handle_exit(number, frame)


def serve(app: Starlette, sock: socket.socket, grace: float = 30.0) -> None:
    """Serve an application on a socket, until SIGINT or SIGTERM; running requests have `grace` seconds to end."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=max(1, math.ceil(grace)),
        limit_concurrency=1000,
        lifespan="on",
        http=_Connection,
        ws="none",
    )
    server = _Server(config)
    app.state.parent_gone = partial(setattr, server, "should_exit", True)
    try:
        server.run(sockets=[sock])
    finally:
        app.state.close()
