"""A server at work: from a socket to its end."""

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

__all__ = ["listening", "serve"]


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens there; port 0 is any free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except OSError:
        found.close()
        raise
    return found


class _Server(uvicorn.Server):
    """Ends after a signal as if that were its task: running requests are finished first."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._heard) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _heard(self, number: int, frame: FrameType | None) -> None:
        self.handle_exit(number, frame)


def serve(app: ASGIApp, sock: socket.socket, grace: float = 30.0) -> None:
    """Serve an application on a socket, until SIGINT or SIGTERM; running requests have `grace` seconds to end."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=int(grace),
        limit_concurrency=1000,
        lifespan="on",
    )
    _Server(config).run(sockets=[sock])
