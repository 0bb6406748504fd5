"""The application: which function answers at which address."""

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from dodona.server.functions import ASK_NOTHING, FUNCTIONS, Function
from dodona.server.guard import Guard, refused
from dodona.server.limits import Limits
from dodona.server.metrics import Board
from dodona.server.models import Models
from dodona.server.openapi import openapi
from dodona.server.reference import reference_page
from dodona.server.refusals import Refusal
from dodona.server.service import Service

__all__ = ["create_app"]

STATIC = Path(__file__).parent / "static"


def create_app(
    models: Models,
    limits: Limits | None = None,
    functions: Mapping[str, Function] | None = None,
    board: Board | None = None,
    place: int = 0,
) -> Starlette:
    """Return the application that serves these models; an ASGI application, for any server of that kind.

    `functions` are those of the JSON interface, by name; without them, all that there are. Where a server has several
    processes, they share a board, and each has a place on it.
    """
    service = Service(models, limits or Limits(), board or Board(1), place)
    both = ["GET", "POST"]
    description = openapi()
    named = [
        *(
            Route(f"/api/{name}", service.answering(function), methods=both if name in ASK_NOTHING else ["POST"])
            for name, function in (FUNCTIONS if functions is None else functions).items()
        ),
        *(Route(f"{prefix}/process", service.process, methods=both) for prefix in ("", "/api")),
        Route("/models", service.models_answer, methods=both),
        Route("/api", _fixed(reference_page(description), "text/html")),
        Route("/api/openapi.json", _fixed(json.dumps(description, ensure_ascii=False), "application/json")),
        Route("/health", service.health),
        Route("/metrics", service.metrics_answer),
    ]

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        parent = os.getppid()

        async def beat() -> None:
            while os.getppid() == parent:
                service.publish()
                await asyncio.sleep(1)
            app.state.parent_gone()

        beating = asyncio.create_task(beat()) if service.board.places > 1 else None
        yield
        if beating is not None:
            beating.cancel()

    paths = frozenset(route.path for route in named)
    guard = Middleware(Guard, limits=service.limits, metrics=service.metrics, routes=paths)
    app = Starlette(
        routes=[*named, Mount("/", _Files(paths))],
        middleware=[guard],
        exception_handlers={HTTPException: _http_error},
        lifespan=lifespan,
    )
    app.state.close = service.workers.close
    return app


class _Files(StaticFiles):
    """The files of the page. They come last, so they also get requests with the wrong method for other addresses."""

    def __init__(self, others: Collection[str]) -> None:
        super().__init__(directory=STATIC, html=True)
        self.others = others

    async def get_response(self, path: str, scope: Scope) -> Response:
        if f"/{path}" in self.others:
            raise HTTPException(405, headers={"Allow": "POST"})
        return await super().get_response(path, scope)


def _fixed(text: str, media_type: str) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that always answers the same."""

    async def answer(request: Request) -> Response:
        return Response(text, media_type=media_type)

    return answer


async def _http_error(request: Request, error: Exception) -> Response:
    """Say in a sentence what the framework says with a number."""
    assert isinstance(error, HTTPException)
    messages = {
        404: "There is nothing at this address; / is the playground, /api describes the interface.",
        405: f"The method {request.method[:20]} is not for this address.",
    }
    refusal = Refusal(error.status_code, messages.get(error.status_code, "This request cannot be answered."))
    refusal.headers |= dict(error.headers or {})
    return refused(refusal, request.url.path)
