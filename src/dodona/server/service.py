"""The service: requests in, work in threads with an end in time, answers out.

Memory is counted before it is taken, in three parts: the bytes of requests and answers; what a request becomes when it
is read, which is known when its body is there; and what the sentences need that are worked on, a few at a time, which
is known by their words. Answers are sent while they are made.

A thread that works is stopped at its deadline, or when nobody waits for its result any more: the compiled loops look at
the clock now and then (`transitions.clock`), and functions do so between portions of sentences.
"""

import asyncio
import ctypes
import threading
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass
from functools import cache
from traceback import clear_frames
from typing import Any, cast, get_type_hints

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from dodona.errors import DodonaError, OptionError
from dodona.pipeline.processes import available_cores
from dodona.server.log import SHOWN_TEXT, note
from dodona.server.metrics import Metrics
from dodona.server.models import Models, claiming
from dodona.server.requests import convert, decode, read_form, read_query
from dodona.server.udpipe import ProcessRequest, process
from dodona.transitions.clock import observe

__all__ = ["Function", "Limits", "Service", "Stopped", "encode", "estimate_need", "return_large_blocks"]

JSON = "application/json"
CHUNK = 1 << 16  # bytes of an answer that are sent at a time
WINDOW = 1 << 20  # bytes of an answer that may wait for the client
FIRST = WINDOW // 2  # bytes that are made before the first is sent: until then an error gets a status of its own
STALL = 10.0  # seconds in which a client must take something of an answer that waits for it
LOOK_INTERVAL = 0.05  # seconds between two looks whether a thread that waits should go on, or end
AGAIN = {"Retry-After": "1"}
BUSY = "The server is busy: its memory for requests is full; try again later."

READ_NEED = 2 << 20  # bytes that any request takes when it is read
TEXT_NEED = 14  # bytes for each byte of a request in ASCII: the text, parts of it, and the text in other forms
WIDE_TEXT_NEED = 18  # and for one with other characters, which Python may hold in four bytes each
ESCAPES = (b"\\u", b"%", b"\r\n\r\n")  # where ASCII may stand for other characters: JSON, a form, a part of one
ITEM_NEEDS = {b"[": 56, b"]": 20, b"{": 72, b'"': 28, b",": 20}  # bytes for lists, objects, strings, and places in them
SHARES = {"bytes": 0.15, "room": 0.3, "portions": 0.42}  # of the memory; the rest is for connections and threads
LEAST_MEMORY = 32 << 20
TRIMMED = 16 << 20  # bytes: when a thread has needed more, free memory goes back to the system after a request
TRIMMED_AT_WORK = 64 << 20  # and between the sentences of one
MMAP_THRESHOLD = -3  # its number in malloc.h
LARGE_BLOCK = 1 << 20  # bytes
BODIES_SHARE = 0.75  # of that for bytes: the rest is for answers, or no request could end


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
    """Bytes that all requests together may need at a time, beside the models. Further requests wait or are refused; one
    that would need more than three tenths is too large."""
    connections: int = 256
    """Connections of one client, by its address, at the same time; a further one is closed."""
    shows_text: bool = False
    """Whether the log has the beginning of each request."""
    hosts: tuple[str, ...] = ()
    """Names in the Host header that are accepted, `*.example.org` for all that end so; none: all names."""
    origins: tuple[str, ...] = ()
    """Web sites whose pages may use the server beside its own; `*`: all."""

    def __post_init__(self) -> None:
        for name in ("size", "seconds", "client", "connections", "memory"):
            if not getattr(self, name) > 0:
                raise OptionError(f"{name} {getattr(self, name)!r}: expected more than 0")
        for name in ("threads", "waiting"):
            if getattr(self, name) < 0:
                raise OptionError(f"{name} {getattr(self, name)!r}: expected 0 or more")
        if self.memory < LEAST_MEMORY:
            raise OptionError(f"memory {self.memory:,} bytes: expected at least {LEAST_MEMORY:,}")
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


class MemoryBudget:
    """A number of bytes that several may take; whoever finds too few waits, in a thread, or is told so."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.used = 0
        self._room = threading.Condition()

    def take(self, count: int, share: float = 1.0) -> bool:
        """Take bytes if there are as many, of a share of all."""
        with self._room:
            if self.used + count > self.size * share:
                return False
            self.used += count
            return True

    def give_back(self, count: int) -> None:
        with self._room:
            self.used -= count
            self._room.notify_all()

    def wait(self, count: int, check: Callable[[], None]) -> None:
        """Take bytes as soon as there are as many; `check` is called now and then, and ends the waiting by an error."""
        while not self.take(count):
            check()
            with self._room:
                self._room.wait(LOOK_INTERVAL)


def estimate_need(body: bytes) -> int:
    """Return how many bytes a request becomes at most when it is read, beside its body and its answer.

    A text is held in several forms. Lists and strings take more than their letters: a list of nothing, two bytes in a
    request, is 56 bytes of memory. That there are many sentences changes nothing: they come and go a few at a time.
    """
    counts = {sign: body.count(sign) for sign in ITEM_NEEDS}
    is_wide = not body.isascii() or any(escape in body for escape in ESCAPES)
    text = (len(body) - sum(counts.values())) * (WIDE_TEXT_NEED if is_wide else TEXT_NEED)
    return READ_NEED + text + sum(ITEM_NEEDS[sign] * count for sign, count in counts.items())


@cache
def _find_in_c(name: str) -> Callable[..., int]:
    """Return a function of the C library; one that does nothing where only the library of GNU has it."""
    try:
        return cast(Callable[..., int], getattr(ctypes.CDLL(None), name))
    except (AttributeError, OSError, TypeError):
        return lambda *numbers: 0


def return_large_blocks() -> None:
    """Let the memory of large arrays go back to the system as soon as they are freed, for the whole process.

    By itself the C library stops to do so for blocks as large as any that was freed before, up to 32 MiB. After one
    long sentence the arrays of all others would lie between smaller things that stay.
    """
    _find_in_c("mallopt")(MMAP_THRESHOLD, LARGE_BLOCK)


class AnswerBuffer:
    """The bytes of an answer on their way from the thread that makes them to the client."""

    def __init__(self, memory: MemoryBudget, check: Callable[[], None]) -> None:
        self.memory = memory
        self.check = check
        self.size = 0  # of what is there
        self.is_open = True
        self._chunks: deque[bytes] = deque()
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._taken = threading.Condition()
        self._last = time.monotonic()  # when the client took something

    def put(self, chunk: bytes) -> None:
        """Add a chunk, from the thread; waits while the client has much to take already, but not for long."""
        self._last = time.monotonic()
        while self.size and self.size + len(chunk) > WINDOW:
            self.check()
            if time.monotonic() > self._last + STALL:
                raise Stopped
            with self._taken:
                self._taken.wait(LOOK_INTERVAL)
        self.memory.wait(len(chunk), self.check)
        with self._taken:
            if not self.is_open:
                self.memory.give_back(len(chunk))
                raise Stopped
            self._chunks.append(chunk)
            self.size += len(chunk)
        self.tell()

    def tell(self) -> None:
        """Wake up whoever waits for more."""
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._changed.set)

    async def wait(self) -> None:
        """Wait until there is more."""
        await self._changed.wait()
        self._changed.clear()

    def get(self) -> bytes:
        """Return the next bytes, which count until `take` is told of them; none if there are none."""
        return self._chunks[0] if self._chunks else b""

    def take(self) -> None:
        """Forget the bytes that `get` has returned: the client has them."""
        with self._taken:
            count = len(self._chunks.popleft())
            self.size -= count
            self._last = time.monotonic()
            self._taken.notify_all()
        self.memory.give_back(count)

    def close(self) -> None:
        """Give the memory back, whatever was sent; who puts more is stopped."""
        with self._taken:
            self.is_open = False
            self._chunks.clear()
            count, self.size = self.size, 0
            self._taken.notify_all()
        self.memory.give_back(count)


class Workers:
    """Threads that work on requests, and the requests that wait for one."""

    def __init__(self, models: Models, limits: Limits, threads: int, metrics: Metrics) -> None:
        self.models = models
        self.limits = limits
        self.threads = threads
        self.metrics = metrics
        self.clients: Counter[str] = Counter()  # the admitted requests by the address of the client
        self.bytes = MemoryBudget(int(limits.memory * SHARES["bytes"]))  # of bodies and answers
        self.room = MemoryBudget(int(limits.memory * SHARES["room"]))  # for requests that are read
        self.portions = MemoryBudget(int(limits.memory * SHARES["portions"]))  # for sentences that are worked on
        self._running: set[threading.Event] = set()  # each is set to stop what runs
        self._needed = threading.local()  # bytes, since a thread has last given memory back
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="dodona")

    @contextmanager
    def admit(self, client: str) -> Iterator[None]:
        """Count a request, or refuse it if too many wait, or too many of the same client."""
        if self.clients[client] >= self.limits.client:
            message = f"Too many requests at a time: {self.limits.client} of yours are not answered yet; wait for one."
            raise HTTPException(429, message, AGAIN)
        if not self.has_room():
            raise HTTPException(503, "The server is busy: too many requests wait already; try again later.", AGAIN)
        self.clients[client] += 1
        try:
            with self.metrics.in_progress.track_inprogress():
                yield
        finally:
            self.clients[client] -= 1
            if not self.clients[client]:
                del self.clients[client]

    def has_room(self) -> bool:
        """Whether one more request would be admitted."""
        return self.clients.total() < self.threads + self.limits.waiting

    def begin(self, deadline: float, need: int, function: Callable[[], Iterator[bytes]]) -> "Work":
        """Let a thread work as soon as one is free, and as much memory as it needs."""
        if need > self.room.size:
            message = f"The request needs {need >> 20:,} MiB; expected one that needs at most {self.room.size >> 20:,}."
            raise HTTPException(413, message)
        work = Work(self, deadline, need, function)
        self._running.add(work.stopped)
        context = copy_context()
        work.future = self._pool.submit(context.run, work.run)
        work.future.add_done_callback(lambda _: self._running.discard(work.stopped))
        work.future.add_done_callback(lambda _: work.buffer.tell())
        return work

    def trim(self, need: int) -> None:
        """Count what this thread has needed for a request. Now and then it gives its memory back to the system:
        workspaces for long sentences, words that it knows, and what is free. The C library would keep much of it, for
        each thread by itself, and the next thread would take more."""
        self._needed.bytes = getattr(self._needed, "bytes", 0) + need
        if self._needed.bytes <= TRIMMED:
            return
        self._needed.bytes = 0
        for pipeline in self.models.pipelines.values():
            pipeline.parser.release_workspace()
        _find_in_c("malloc_trim")(0)

    def close(self) -> None:
        """Stop everything that is still at work."""
        for stopped in tuple(self._running):
            stopped.set()
        self._pool.shutdown(wait=False, cancel_futures=True)


class Work:
    """The work on one request, in a thread, and the answer that it makes."""

    future: "Future[None]"

    def __init__(self, workers: Workers, deadline: float, need: int, function: Callable[[], Iterator[bytes]]) -> None:
        self.workers, self.deadline, self.need, self.function = workers, deadline, need, function
        self.begun, self.stopped = threading.Event(), threading.Event()
        self.buffer = AnswerBuffer(workers.bytes, self.check)
        self.claimed = 0  # bytes for the sentences that are worked on
        self.needed = 0  # and for those that were, since memory was given back

    def claim(self, count: int) -> None:
        """Take memory for some sentences, as soon as there is as much; that for those before is given back first."""
        memory = self.workers.portions
        if self.needed > TRIMMED_AT_WORK:
            self.workers.trim(self.needed)
            self.needed = 0
        memory.give_back(self.claimed)
        self.claimed = 0
        if count > memory.size:
            shown = f"{count >> 20:,} MiB; expected at most {memory.size >> 20:,}"
            raise OptionError(f"The longest sentence needs {shown}: send it in parts.")
        memory.wait(count, self.check)
        self.claimed = count
        self.needed += count

    def check(self) -> None:
        if self.stopped.is_set() or time.monotonic() > self.deadline:
            raise Stopped

    def run(self) -> None:
        """Make the answer; runs in the thread."""
        self.workers.room.wait(self.need, self.check)
        try:
            self.begun.set()
            with self.workers.metrics.busy.track_inprogress(), observe(self.check), claiming(self.claim):
                self.check()
                for chunk in _join(self.function()):
                    self.buffer.put(chunk)
        except BaseException as error:
            _forget_values(error)
            raise
        finally:
            del self.function  # and what it has read
            self.workers.trim(self.need + self.needed)
            self.claim(0)
            self.workers.room.give_back(self.need)

    async def wait(self) -> bool:
        """Wait for more of the answer; returns whether it is complete. What went wrong in the thread is raised here."""
        seconds = f"{self.workers.limits.seconds:g} seconds"
        try:
            async with asyncio.timeout(self.deadline - time.monotonic()):
                await self.buffer.wait()
            if self.future.done():
                self.future.result()
                return True
            return False
        except (TimeoutError, Stopped, CancelledError):
            if self.begun.is_set():
                raise HTTPException(504, f"This took longer than {seconds}; send less text.") from None
            message = f"The server is busy: no thread was free for {seconds}; try again later."
            raise HTTPException(503, message, AGAIN) from None

    def end(self) -> None:
        """Stop what still runs, and give back what is not sent."""
        self.stopped.set()
        self.buffer.close()


def _forget_values(error: BaseException | None) -> None:
    """Let go of all values where an error has passed; its lines stay, for the log. The future has the error, and the
    error the future: until Python looks for cycles, which it seldom does, all that was read would stay."""
    while error is not None:
        clear_frames(error.__traceback__)
        error = error.__context__


def _join(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the same bytes in chunks of about the same size."""
    held: list[bytes] = []
    size = 0
    for chunk in chunks:
        for at in range(0, len(chunk), CHUNK):
            held.append(chunk[at : at + CHUNK])
            size += len(held[-1])
            if size >= CHUNK:
                yield b"".join(held)
                held, size = [], 0
    if held:
        yield b"".join(held)


def encode(answer: Any) -> Iterator[bytes]:
    """Yield an answer in JSON. Fields of it that are iterators are made while they are written: a list of what an
    iterator yields, or for a field that is a string, its parts."""
    if isinstance(answer, msgspec.Struct):
        kinds = {field.name: field.type for field in msgspec.structs.fields(answer)}
        values = {name: getattr(answer, name) for name in kinds}
    else:
        kinds, values = {}, answer if isinstance(answer, dict) else {}
    if not any(isinstance(value, Iterator) for value in values.values()):
        yield msgspec.json.encode(answer)
        return
    for number, (name, value) in enumerate(values.items()):
        yield (b"," if number else b"{") + msgspec.json.encode(name) + b":"
        if not isinstance(value, Iterator):
            yield msgspec.json.encode(value)
        elif kinds.get(name) is str:
            yield b'"'
            for part in value:
                yield msgspec.json.encode(part)[1:-1]
            yield b'"'
        else:
            yield b"["
            for place, item in enumerate(value):
                yield (b"," if place else b"") + msgspec.json.encode(item)
            yield b"]"
    yield b"}"


class Answer(Response):
    """An answer in JSON, sent while it is made; whatever is not made or not sent in time is cut off."""

    def __init__(self, work: Work, is_complete: bool, held: ExitStack, seconds: float) -> None:
        super().__init__(media_type=JSON)
        self.work, self.is_complete, self.held, self.seconds = work, is_complete, held, seconds
        del self.headers["content-length"]
        if is_complete:
            self.headers["content-length"] = str(work.buffer.size)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        buffer = self.work.buffer
        with self.held:
            gone = asyncio.create_task(_wait_for_disconnection(receive, self.work))
            try:
                async with asyncio.timeout(self.seconds):  # a client that takes longer gets no more
                    await send(start)
                    while True:
                        while chunk := buffer.get():
                            await send({"type": "http.response.body", "body": chunk, "more_body": True})
                            buffer.take()
                        if self.is_complete:
                            break
                        self.is_complete = await self.work.wait()
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
            except (TimeoutError, HTTPException, DodonaError) as error:
                note(reason=f"cut off: {getattr(error, 'detail', error) or 'the client was too slow'}")
            finally:
                gone.cancel()


async def _wait_for_disconnection(receive: Receive, work: Work) -> None:
    """Stop the work when nobody waits for the answer any more; the body must have been read."""
    while (await receive())["type"] != "http.disconnect":
        pass
    work.stopped.set()
    work.buffer.tell()


class Service:
    """The endpoints, and what they share."""

    def __init__(self, models: Models, limits: Limits) -> None:
        self.models = models
        self.limits = limits
        threads = limits.threads or available_cores()
        self.metrics = Metrics(threads)
        self.workers = Workers(models, limits, threads, self.metrics)

    async def answer_metrics(self, request: Request) -> Response:
        self.metrics.body_bytes.set(self.workers.bytes.used)
        return Response(self.metrics.write(), media_type="text/plain; version=0.0.4")

    async def answer_ready(self, request: Request) -> Response:
        """Whether one more request would be worked on: not while too many wait, or memory is short."""
        waiting = self.workers.clients.total()
        is_ready = self.workers.has_room() and self.workers.bytes.used < self.workers.bytes.size * BODIES_SHARE
        state = {
            "status": "ready" if is_ready else "busy",
            "models": list(self.models.pipelines),
            "in_progress": waiting,
            "waiting": max(0, waiting - self.workers.threads),
        }
        return Response(msgspec.json.encode(state), 200 if is_ready else 503, AGAIN if not is_ready else None, JSON)

    async def answer_process(self, request: Request) -> Response:
        """`/process` of UDPipe's service."""

        def work(body: bytes) -> Iterator[bytes]:
            fields = read_query(request.url.query)
            if request.method == "POST":
                fields |= read_form(request.headers.get("content-type", ""), body)
            return encode(process(convert(fields, ProcessRequest), self.models))

        return await self._answer(request, work)

    def make_endpoint(self, function: Function) -> Callable[[Request], Awaitable[Response]]:
        """Return the endpoint of a function of the JSON interface."""
        kind = function.request

        def work(body: bytes) -> Iterator[bytes]:
            return encode(function.call(decode(body, kind), self.models))

        async def answer(request: Request) -> Response:
            return await self._answer(request, work)

        return answer

    async def _answer(self, request: Request, work: Callable[[bytes], Iterator[bytes]]) -> Response:
        """Read the body of a request, and work on it in a thread, while somebody waits for the result."""
        deadline = time.monotonic() + self.limits.seconds
        with ExitStack() as stack:
            stack.enter_context(self.workers.admit(request.client.host if request.client else ""))
            body = await self._read_body(request, deadline, stack)
            self.metrics.received.inc(len(body))
            shown = body[:SHOWN_TEXT].decode(errors="replace") if self.limits.shows_text else ""
            note(received=len(body), text=shown)
            query = len(request.url.query) * WIDE_TEXT_NEED
            working = self.workers.begin(deadline, estimate_need(body) + query, lambda: work(body))
            stack.callback(working.end)
            is_complete = await self._begin_answer(request, working)
            return Answer(working, is_complete, stack.pop_all(), self.limits.seconds)

    async def _begin_answer(self, request: Request, work: Work) -> bool:
        """Wait until an answer is complete, or long enough to be sent; returns whether it is complete."""
        gone = asyncio.create_task(_wait_for_disconnection(request.receive, work))
        is_complete = False
        try:
            while not (is_complete := await work.wait()) and work.buffer.size < FIRST:
                if gone.done():
                    break
        except HTTPException:
            if not gone.done():
                raise
        finally:
            gone.cancel()
        if gone.done() and not gone.cancelled():
            raise HTTPException(499, "The client has closed the connection.")
        return is_complete

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
                    if not self.workers.bytes.take(len(chunk), BODIES_SHARE):
                        raise HTTPException(503, BUSY, AGAIN)
                    held.callback(self.workers.bytes.give_back, len(chunk))
                    chunks.append(chunk)
        except TimeoutError:
            message = f"The request did not arrive within {self.limits.seconds:g} seconds."
            raise HTTPException(408, message) from None
        except ClientDisconnect:
            raise HTTPException(400, "The request ended too early.") from None
        return b"".join(chunks)
