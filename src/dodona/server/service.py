"""The service: requests in, work in threads with an end in time, answers out.

A thread that works is stopped at its deadline, or when nobody waits for its result any more: the compiled loops look at
the clock now and then (`transitions.clock`), and functions do so between portions of sentences.
"""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeVar, get_type_hints

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from dodona.errors import OptionError
from dodona.pipeline.processes import available_cores
from dodona.server.metrics import Metrics
from dodona.server.models import Models
from dodona.server.requests import convert, decode, read_form, read_query
from dodona.server.udpipe import ProcessRequest, process
from dodona.transitions.clock import observe

__all__ = ["Function", "Limits", "Service", "Stopped"]

JSON = "application/json"
CHUNK = 1 << 18  # bytes of an answer that are sent at a time
AGAIN = {"Retry-After": "1"}

T = TypeVar("T")


@dataclass(frozen=True)
class Limits:
    """What a server allows: how much, how long, how many at a time, and from where. No limit depends on the others."""

    size: int = 4 << 20
    """Bytes in the body of a request."""
    seconds: float = 60.0
    """For a request, from its first byte to its answer, the wait for a thread included."""
    threads: int = 0
    """Requests that are worked on at the same time; 0: one for each core."""
    waiting: int = 256
    """Requests that may wait for a thread; a further one is refused."""
    client: int = 128
    """Requests of one client, by its address, at the same time; a further one is refused."""
    memory: int = 256 << 20
    """Bytes of all bodies and answers in memory at a time; when there are as many, further requests are refused."""
    hosts: tuple[str, ...] = ()
    """Names in the Host header that are accepted, `*.example.org` for all that end so; none: all names."""
    origins: tuple[str, ...] = ()
    """Web sites whose pages may use the server beside its own; `*`: all."""

    def __post_init__(self) -> None:
        for name in ("size", "seconds", "client", "memory"):
            if not getattr(self, name) > 0:
                raise OptionError(f"{name} {getattr(self, name)!r}: expected more than 0")
        for name in ("threads", "waiting"):
            if getattr(self, name) < 0:
                raise OptionError(f"{name} {getattr(self, name)!r}: expected 0 or more")
        for host in self.hosts:
            if "*" in host.removeprefix("*.") and host != "*":
                raise OptionError(f"host {host!r}: expected a name, *.NAME or *")


@dataclass(frozen=True)
class Function:
    """A function of the JSON interface, `/api/NAME`, with its description.

    It takes a request of the type that its first parameter has (NoFields where GET is enough), and the models of the
    server; it returns what JSON can hold. It runs in a thread, raises a DodonaError for a bad request, and knows
    nothing of HTTP.
    """

    call: Callable[[Any, Models], Any]
    summary: str = ""
    example: dict[str, Any] | None = None

    @property
    def request(self) -> Any:
        return get_type_hints(self.call).get("request", Any)

    @property
    def answer(self) -> Any:
        return get_type_hints(self.call).get("return", Any)


class Stopped(Exception):
    """Raised in a thread whose result nobody waits for any more."""


class Workers:
    """Threads that work on requests, and the requests that wait for one."""

    def __init__(self, limits: Limits, threads: int, metrics: Metrics) -> None:
        self.limits = limits
        self.threads = threads
        self.metrics = metrics
        self.clients: Counter[str] = Counter()  # the admitted requests by the address of the client
        self._running: set[threading.Event] = set()  # each is set to stop what runs
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="dodona")

    @contextmanager
    def admit(self, client: str) -> Iterator[None]:
        """Count a request, or refuse it if too many wait, or too many of the same client."""
        if self.clients[client] >= self.limits.client:
            message = f"Too many requests at a time: {self.limits.client} of yours are not answered yet; wait for one."
            raise HTTPException(429, message, AGAIN)
        if self.clients.total() >= self.threads + self.limits.waiting:
            raise HTTPException(503, "The server is busy: too many requests wait already; try again later.", AGAIN)
        self.clients[client] += 1
        try:
            with self.metrics.in_progress.track_inprogress():
                yield
        finally:
            self.clients[client] -= 1
            if not self.clients[client]:
                del self.clients[client]

    async def run(self, deadline: float, function: Callable[[], T]) -> T:
        """Run a function in a thread and return its result; after the deadline, refuse the request."""
        begun, stopped = threading.Event(), threading.Event()

        def check() -> None:
            if stopped.is_set() or time.monotonic() > deadline:
                raise Stopped

        def work() -> T:
            begun.set()
            with self.metrics.busy.track_inprogress(), observe(check):
                check()
                return function()

        self._running.add(stopped)
        future = self._pool.submit(work)
        future.add_done_callback(lambda _: self._running.discard(stopped))
        seconds = f"{self.limits.seconds:g} seconds"
        try:
            async with asyncio.timeout(deadline - time.monotonic()):
                return await asyncio.wrap_future(future)
        except (TimeoutError, Stopped):
            if begun.is_set():
                raise HTTPException(504, f"This took longer than {seconds}; send less text.") from None
            message = f"The server is busy: no thread was free for {seconds}; try again later."
            raise HTTPException(503, message, AGAIN) from None
        finally:
            stopped.set()

    def close(self) -> None:
        """Stop everything that is still at work."""
        for stopped in tuple(self._running):
            stopped.set()
        self._pool.shutdown(wait=False, cancel_futures=True)


class Answer(Response):
    """A result in JSON, sent in chunks: its memory counts until a slow client has taken nearly all of it."""

    def __init__(self, content: bytes, seconds: float, held: ExitStack) -> None:
        super().__init__(content, media_type=JSON)
        self.seconds = seconds
        self.held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        with self.held, suppress(TimeoutError):  # a client that takes longer gets no more
            async with asyncio.timeout(self.seconds):
                await send(start)
                for at in range(0, len(self.body), CHUNK):
                    chunk = self.body[at : at + CHUNK]
                    more = at + CHUNK < len(self.body)
                    await send({"type": "http.response.body", "body": chunk, "more_body": more})


class Service:
    """The endpoints, and what they share."""

    def __init__(self, models: Models, limits: Limits) -> None:
        self.models = models
        self.limits = limits
        threads = limits.threads or available_cores()
        self.metrics = Metrics(threads)
        self.workers = Workers(limits, threads, self.metrics)
        self.taken = 0  # bytes of all bodies and answers in memory

    async def answer_metrics(self, request: Request) -> Response:
        return Response(self.metrics.write(), media_type="text/plain; version=0.0.4")

    async def answer_process(self, request: Request) -> Response:
        """`/process` of UDPipe's service."""

        def work(body: bytes) -> bytes:
            fields = read_query(request.url.query)
            if request.method == "POST":
                fields |= read_form(request.headers.get("content-type", ""), body)
            return msgspec.json.encode(process(convert(fields, ProcessRequest), self.models))

        return await self._answer(request, work)

    def make_endpoint(self, function: Function) -> Callable[[Request], Awaitable[Response]]:
        """Return the endpoint of a function of the JSON interface."""
        kind = function.request

        def work(body: bytes) -> bytes:
            return msgspec.json.encode(function.call(decode(body, kind), self.models))

        async def answer(request: Request) -> Response:
            return await self._answer(request, work)

        return answer

    async def _answer(self, request: Request, work: Callable[[bytes], bytes]) -> Response:
        """Read the body of a request, and work on it in a thread, while somebody waits for the result."""
        deadline = time.monotonic() + self.limits.seconds
        with ExitStack() as stack:
            with self.workers.admit(request.client.host if request.client else ""):
                body = await self._read_body(request, deadline, stack)
                self.metrics.received.inc(len(body))
                working = self.workers.run(deadline, lambda: work(body))
                result = await self._unless_disconnected(request, working)
            self._hold(len(result), stack)
            return Answer(result, self.limits.seconds, stack.pop_all())

    async def _read_body(self, request: Request, deadline: float, held: ExitStack) -> bytes:
        """Return the body of a request, read until the deadline; the limits hold while it arrives."""
        message = f"The request is too large; expected at most {self.limits.size:,} bytes."
        too_large = HTTPException(413, message, {"Connection": "close"})
        declared = request.headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > self.limits.size:
            raise too_large
        chunks: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(deadline - time.monotonic()):
                async for chunk in request.stream():
                    size += len(chunk)
                    if size > self.limits.size:
                        raise too_large
                    if self.taken + len(chunk) > self.limits.memory:
                        message = "The server is busy: its memory for requests is full; try again later."
                        raise HTTPException(503, message, AGAIN)
                    self._hold(len(chunk), held)
                    chunks.append(chunk)
        except TimeoutError:
            message = f"The request did not arrive within {self.limits.seconds:g} seconds."
            raise HTTPException(408, message) from None
        except ClientDisconnect:
            raise HTTPException(400, "The request ended too early.") from None
        return b"".join(chunks)

    def _hold(self, count: int, held: ExitStack) -> None:
        """Count bytes until the end of `held`, those of an answer too: while slow clients take theirs, others may be
        refused."""
        self._take(count)
        held.callback(self._take, -count)

    def _take(self, count: int) -> None:
        self.taken += count
        self.metrics.body_bytes.inc(count)

    async def _unless_disconnected(self, request: Request, work: Coroutine[Any, Any, bytes]) -> bytes:
        running = asyncio.create_task(work)
        gone = asyncio.create_task(_wait_for_disconnection(request))
        try:
            await asyncio.wait((running, gone), return_when=asyncio.FIRST_COMPLETED)
            if not running.done():
                raise HTTPException(499, "The client has closed the connection.")
            return await running
        finally:
            gone.cancel()
            running.cancel()


async def _wait_for_disconnection(request: Request) -> None:
    """Return when nobody waits for the answer any more; the body must have been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
