"""The application: which function answers which address.

A function of `FUNCTIONS` takes a request, which is a dictionary (from JSON), and the models of the server. It returns a
dictionary, for JSON. It runs in a thread, raises a DodonaError for a bad request, and knows nothing of HTTP.
"""

import contextlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from dodona.errors import DodonaError
from dodona.server.bodies import Memory, json_object
from dodona.server.functions import FUNCTIONS, Function
from dodona.server.guard import Guard, refused
from dodona.server.limits import Limits
from dodona.server.models import Models
from dodona.server.refusals import Refusal
from dodona.server.work import Workers

__all__ = ["create_app"]

STATIC = Path(__file__).parent / "static"


def create_app(
    models: Models, limits: Limits | None = None, functions: Mapping[str, Function] | None = None
) -> Starlette:
    """Return the application that serves these models; an ASGI application, for any server of that kind."""
    service = _Service(models, limits or Limits(), FUNCTIONS if functions is None else functions)
    return Starlette(
        routes=service.routes(),
        middleware=[Middleware(Guard, limits=service.limits)],
        exception_handlers={HTTPException: _http_error},
        lifespan=service.lifespan,
    )


async def _http_error(request: Request, error: Exception) -> Response:
    """Say in a sentence what the framework says with a number."""
    assert isinstance(error, HTTPException)
    messages = {
        404: "There is nothing at this address; / is the playground, /api describes the interface.",
        405: f"The method {request.method[:20]} is not for this address.",
    }
    message = messages.get(error.status_code, str(error.detail))
    return refused(Refusal(error.status_code, message, **(error.headers or {})), request.url.path)


class _Service:
    def __init__(self, models: Models, limits: Limits, functions: Mapping[str, Function]) -> None:
        self.models = models
        self.limits = limits
        self.functions = functions
        self.workers = Workers(limits)
        self.memory = Memory(limits)

    @contextlib.asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        yield
        self.workers.close()

    def routes(self) -> list[BaseRoute]:
        return [
            *(Route(f"/api/{name}", self._answering(function), methods=["GET", "POST"])
              for name, function in self.functions.items()),
            Route("/health", self._health),
            Mount("/", StaticFiles(directory=STATIC, html=True)),
        ]  # fmt: skip

    async def _health(self, request: Request) -> Response:
        return Response('{"status": "ok"}', media_type="application/json")

    def _answering(self, function: Function) -> Callable[[Request], Awaitable[Response]]:
        def work(body: bytes) -> bytes:
            try:
                answer = function(json_object(body), self.models)
            except DodonaError as error:
                raise Refusal(400, str(error)) from None
            return json.dumps(answer, ensure_ascii=False, allow_nan=False).encode()

        async def answer(request: Request) -> Response:
            return Response(await self._worked(request, work), media_type="application/json")

        return answer

    async def _worked(self, request: Request, work: Callable[..., bytes], *arguments: Any) -> bytes:
        """Read the body of a request, and work on it in a thread."""
        deadline = time.monotonic() + self.limits.seconds
        self.workers.admit()
        try:
            body = await self.memory.body(request, deadline)
            try:
                return await self.workers.run(deadline, work, body, *arguments)
            finally:
                self.memory.release(body)
        finally:
            self.workers.leave()
