"""The service: requests in, work in a thread, answers out."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import ExitStack, suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from dodona.errors import DodonaError
from dodona.server.bodies import Memory, json_object
from dodona.server.forms import form_fields, query_fields
from dodona.server.functions import Function
from dodona.server.limits import Limits
from dodona.server.metrics import Board, Metrics, metrics_text
from dodona.server.models import Models
from dodona.server.refusals import Refusal
from dodona.server.udpipe import process
from dodona.server.work import Workers

__all__ = ["Service"]

JSON = "application/json"
PIECE = 1 << 18  # bytes of an answer that are sent at a time


class Answer(Response):
    """A result in JSON, sent in pieces: its memory counts until a slow client has taken nearly all of it."""

    def __init__(self, content: bytes, seconds: float, held: ExitStack) -> None:
        super().__init__(content, media_type=JSON)
        self.seconds = seconds
        self.held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        with self.held, suppress(TimeoutError):  # a client that takes longer gets no more
            async with asyncio.timeout(self.seconds):
                await send(start)
                for at in range(0, len(self.body), PIECE):
                    piece = self.body[at : at + PIECE]
                    more = at + PIECE < len(self.body)
                    await send({"type": "http.response.body", "body": piece, "more_body": more})


class Service:
    """The endpoints, and what they share."""

    def __init__(self, models: Models, limits: Limits, board: Board, place: int) -> None:
        self.models = models
        self.limits = limits
        self.workers = Workers(limits)
        self.memory = Memory(limits)
        self.metrics = Metrics()
        self.board = board
        self.place = place

    async def health(self, request: Request) -> Response:
        """Answer at once, whatever else is going on."""
        return Response('{"status": "ok"}', media_type=JSON)

    def publish(self) -> None:
        """Write the numbers of this process where the others can read them."""
        numbers = self.metrics.numbers(
            requests_in_progress=self.workers.admitted,
            threads=self.workers.threads,
            threads_busy=self.workers.busy,
            body_bytes=self.memory.taken,
        )
        self.board.write(self.place, numbers)

    async def metrics_answer(self, request: Request) -> Response:
        self.publish()
        text = metrics_text(map(self.board.read, range(self.board.places)))
        return Response(text, media_type="text/plain; version=0.0.4")

    async def models_answer(self, request: Request) -> Response:
        return Response(json.dumps(self.models.described()), media_type=JSON)

    async def process(self, request: Request) -> Response:
        """`/process` of UDPipe's service."""
        query = request.url.query
        content_type = request.headers.get("content-type", "")

        def work(body: bytes) -> bytes:
            given = query_fields(query)
            if request.method == "POST":
                given |= form_fields(content_type, body)
            return json.dumps(process(given, self.models), ensure_ascii=False).encode()

        return await self._worked(request, work)

    def answering(self, function: Function) -> Callable[[Request], Awaitable[Response]]:
        """Return the endpoint of a function of the JSON interface."""

        def work(body: bytes) -> bytes:
            answer = function(json_object(body), self.models)
            return json.dumps(answer, ensure_ascii=False, allow_nan=False).encode()

        async def answer(request: Request) -> Response:
            return await self._worked(request, work)

        return answer

    async def _worked(self, request: Request, work: Callable[[bytes], bytes]) -> Response:
        """Read the body of a request, and work on it in a thread, while somebody waits for the result."""
        deadline = time.monotonic() + self.limits.seconds
        with ExitStack() as stack:
            share = stack.enter_context(self.memory.share())
            with self.workers.admitted_request(request.client.host if request.client else ""):
                body = await share.body(request, deadline)
                self.metrics.received += len(body)
                result = await self._unless_disconnected(request, self.workers.run(deadline, _decently, work, body))
            share.hold(len(result))
            return Answer(result, self.limits.seconds, stack.pop_all())

    async def _unless_disconnected(self, request: Request, work: Coroutine[Any, Any, bytes]) -> bytes:
        running = asyncio.create_task(work)
        gone = asyncio.create_task(_disconnected(request))
        try:
            await asyncio.wait((running, gone), return_when=asyncio.FIRST_COMPLETED)
            if not running.done():
                raise Refusal(499, "The client has closed the connection.")
            return await running
        finally:
            gone.cancel()
            running.cancel()


async def _disconnected(request: Request) -> None:
    """Return when nobody waits for the answer any more; the body must have been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _decently(work: Callable[[bytes], bytes], body: bytes) -> bytes:
    """Turn errors of the request into refusals; those of the server stay what they are."""
    try:
        return work(body)
    except DodonaError as error:
        raise Refusal(400, str(error)) from None
