"""The application: which function answers at which address, and what holds for every request and every answer."""

import itertools
import os
import platform
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dodona import __version__
from dodona.errors import DodonaError
from dodona.server.log import LOGGER, RequestRecord, follow, log_request
from dodona.server.metrics import Metrics
from dodona.server.models import Models, annotate, list_models
from dodona.server.openapi import Version, describe, write_page
from dodona.server.playground.oracle import describe_offer, lay_out_lattice, step
from dodona.server.playground.parse import correct, draw, parse
from dodona.server.requests import Conflict, NoFields
from dodona.server.search import search
from dodona.server.service import JSON, Function, Limits, Service

__all__ = ["FUNCTIONS", "PAGE", "create_app"]

PAGE = Path(__file__).parent / "playground" / "page"
STYLE = Path(__file__).parent / "reference.css"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
METHODS = ("GET", "HEAD", "POST", "OPTIONS")
WATCHED = ("/health", "/ready")  # by whoever watches over the server, who may know it by any name
PLAIN = ("/process", "/models", "/api/process")  # errors are plain text there, as clients of UDPipe expect
READS: dict[str, Any] = {
    "words": ["She", "reads", "books"],
    "heads": [2, 0, 2],
    "labels": ["nsubj", "root", "obj"],
    "system": "arc-eager",
}
OAKS = "1\tOaks\t_\tNOUN\t_\t_\t_\t_\t_\t_\n2\tgrow\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n"
DRAWN_OAKS = "1\tOaks\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tgrow\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
FUNCTIONS = {
    "models": Function(list_models, "The models, with their components, and the name of the default."),
    "annotate": Function(
        annotate,
        "Sentences with all columns, of a text of any length that the server allows.",
        {"text": "Oaks grow slowly."},
    ),
    "parse": Function(
        parse,
        "Trees with confidence for the playground, of a short text or of CoNLL-U; `nbest` of each sentence.",
        {"text": "Oaks grow slowly.", "nbest": 2},
    ),
    "correct": Function(
        correct,
        "A sentence in CoNLL-U, parsed again around given arcs: lists of word, head, and label or null.",
        {"conllu": OAKS, "given": [[2, 0, "root"]]},
    ),
    "draw": Function(
        draw,
        "A sentence with its tree as a picture: SVG, or TikZ for LaTeX.",
        {"conllu": DRAWN_OAKS, "format": "tikz"},
    ),
    "search": Function(
        search,
        "Trees that match a pattern of Grew's language, in a text or in CoNLL-U, with counts.",
        {"pattern": "pattern { V [upos=VERB]; V -[nsubj]-> S }", "text": "Oaks grow slowly.", "count": ["V.lemma"]},
    ),
    "systems": Function(
        describe_offer, "What the playground offers: models, transition systems and their oracles, examples."
    ),
    "step": Function(
        step,
        "A configuration after some `moves`, the legal moves, their costs, and the gold arcs that each loses.",
        {**READS, "oracle": "dynamic", "moves": ["SHIFT"]},
    ),
    "lattice": Function(lay_out_lattice, "All correct derivations of a tree, as a graph.", READS),
}
"""The functions of the JSON interface, by the names under which they are called."""


def create_app(
    models: Models,
    limits: Limits | None = None,
    functions: Mapping[str, Function] = FUNCTIONS,
    pages: Sequence[Path] = (PAGE,),
    index: str = "index.html",
) -> Starlette:
    """Return the application that serves these models; an ASGI application, for any server of that kind.

    `functions` are those of the JSON interface, by name; the files of its page are in the first of the folders `pages`
    that has them, and `index` is the one at `/`.
    """
    limits = limits or Limits()
    service = Service(models, limits)
    both = ["GET", "POST"]
    description = describe(functions)
    routes = [
        *(
            Route(
                f"/api/{name}",
                service.make_endpoint(function),
                methods=both if function.request is NoFields else ["POST"],
            )
            for name, function in functions.items()
        ),
        *(Route(f"{prefix}/process", service.answer_process, methods=both) for prefix in ("", "/api")),
        Route("/models", _repeat(msgspec.json.encode(list_models(NoFields(), models)), JSON), methods=both),
        Route("/api", _repeat(write_page(description).encode(), "text/html")),
        Route("/api/openapi.json", _repeat(msgspec.json.encode(description), JSON)),
        Route("/reference.css", _repeat(STYLE.read_bytes(), "text/css")),
        Route("/health", _repeat(b'{"status": "ok"}', JSON)),
        Route("/ready", service.answer_ready),
        Route("/version", _repeat(msgspec.json.encode(_describe_version(models)), JSON)),
        Route("/metrics", service.answer_metrics),
    ]
    paths = frozenset(route.path for route in routes)
    middleware = [Middleware(Guard, origins=limits.origins, metrics=service.metrics, routes=paths)]
    if limits.hosts:
        names = [f"[{host}]" if ":" in host else host for host in limits.hosts]
        allowed = [*names, *(f"{name}." for name in names if name != "*")]
        middleware.append(Middleware(Hosts, allowed_hosts=allowed, www_redirect=False))
    if limits.origins:
        middleware.append(Middleware(CORSMiddleware, allow_origins=limits.origins, allow_methods=both))
    app = Starlette(
        routes=[*routes, Mount("/", PageFiles(paths, pages, index))],
        middleware=middleware,
        exception_handlers={
            HTTPException: _answer_http_error,
            Conflict: _answer_conflict,
            DodonaError: _answer_error,
        },
    )
    app.state.close = service.workers.close
    app.state.limits = limits
    app.state.metrics = service.metrics
    return app


class Guard:
    """Stands before the application: refuses pages of other sites, completes every answer, and counts it."""

    def __init__(self, app: ASGIApp, origins: Collection[str], metrics: Metrics, routes: Collection[str]) -> None:
        self.app = app
        self.origins = origins
        self.metrics = metrics
        self.routes = routes
        self.numbers = itertools.count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        client = scope.get("client")
        record = RequestRecord(
            f"{os.getpid()}-{next(self.numbers)}",
            client[0] if client else "",
            scope["method"] if scope["method"] in METHODS else "other",
            scope["path"] if scope["path"] in self.routes else "other",  # an unknown one could say anything
        )
        with follow(record):
            await self._answer(record, scope, receive, send)

    async def _answer(self, record: RequestRecord, scope: Scope, receive: Receive, send: Send) -> None:
        begin = time.monotonic()
        request = Headers(scope=scope)
        is_allowed = "*" in self.origins or request.get("origin") in self.origins
        shared = "cross-origin" if is_allowed and "origin" in request else "same-origin"

        async def complete(message: Message) -> None:
            if message["type"] == "http.response.start":
                record.status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = record.number
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers["Cross-Origin-Resource-Policy"] = shared
            else:
                record.sent += len(message.get("body", b""))
            await send(message)

        try:
            if is_allowed or _is_same_site(request):
                await self.app(scope, receive, complete)
            else:
                refusal = _refuse(scope["path"], 403, "Pages of other sites may not use this server.")
                await refusal(scope, receive, complete)
        except Exception:
            LOGGER.exception("request %s failed", record.number)  # for whoever runs the server, never for who asks
            if record.status:
                raise
            message = "The server failed; this is a fault of Dodona, and not of the request."
            await _refuse(scope["path"], 500, message)(scope, receive, complete)
        finally:
            seconds = time.monotonic() - begin
            record.milliseconds = round(1000 * seconds, 1)
            self.metrics.sent.inc(record.sent)
            self.metrics.count(record.route, record.method, record.status, seconds)
            log_request(record)


def _is_same_site(request: Headers) -> bool:
    """Whether a request comes from a page of this server, or from no page. Starlette's middleware for origins would
    answer the others, and leave it to the browser to throw the answer away."""
    if "origin" in request:
        return request["origin"].partition("://")[2] == request.get("host")
    return request.get("sec-fetch-site") != "cross-site" or request.get("sec-fetch-mode") == "navigate"


class Hosts(TrustedHostMiddleware):
    """A page of another site must not reach a server that only this machine should reach, by a name that leads here
    (DNS rebinding). Whoever watches over the server may ask for its health by any name."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = self.app if scope.get("path") in WATCHED else super().__call__
        await answer(scope, receive, send)


class PageFiles(StaticFiles):
    """The files of the page. They come last, so they also get requests with the wrong method for other addresses."""

    def __init__(self, others: Collection[str], folders: Sequence[Path], index: str) -> None:
        super().__init__(directory=folders[0])
        self.all_directories = list(folders)
        self.others = others
        self.index = index

    async def get_response(self, path: str, scope: Scope) -> Response:
        if f"/{path}" in self.others:
            raise HTTPException(405, headers={"Allow": "POST"})
        return await super().get_response(self.index if path == "." else path, scope)


def _describe_version(models: Models) -> Version:
    trained = {name: str(pipeline.about.get("data", "")) for name, pipeline in models.pipelines.items()}
    return Version(__version__, platform.python_version(), trained)


def _repeat(content: bytes, media_type: str) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that always answers the same."""

    async def answer(request: Request) -> Response:
        return Response(content, media_type=media_type)

    return answer


def _refuse(path: str, status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return the answer to a request that gets no result. Whoever asked sees the message, so it has nothing of the
    machine in it; the log has only the status, as a message may quote the request."""
    if path in PLAIN:
        return Response(f"{message}\n", status, headers, "text/plain")
    return Response(msgspec.json.encode({"error": message}), status, headers, JSON)


async def _answer_error(request: Request, error: Exception) -> Response:
    return _refuse(request.url.path, 400, str(error))


async def _answer_conflict(request: Request, error: Exception) -> Response:
    assert isinstance(error, Conflict)
    return Response(msgspec.json.encode({"error": str(error)} | error.content), 409, media_type=JSON)


async def _answer_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    by_framework = {  # which says it with a number
        404: "There is nothing at this address; / is the playground, /api describes the interface.",
        405: f"The method {request.method[:20]} is not for this address.",
    }
    message = by_framework.get(error.status_code, error.detail)
    return _refuse(request.url.path, error.status_code, message, error.headers)
