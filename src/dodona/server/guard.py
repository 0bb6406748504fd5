"""What holds for every request and every answer: who may ask, the headers, and that an error shows nothing."""

import json
import sys
import time
import traceback
from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dodona.server.limits import Limits
from dodona.server.metrics import Metrics
from dodona.server.refusals import Refusal

__all__ = ["Guard", "refused"]

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
METHODS = ("GET", "HEAD", "POST", "OPTIONS")
PLAIN = ("/process", "/models", "/api/process")  # errors are plain text there, as clients of UDPipe expect


class Guard:
    """Stands before the application: refuses other hosts and sites, and completes every answer."""

    def __init__(self, app: ASGIApp, limits: Limits, metrics: Metrics, routes: Collection[str]) -> None:
        self.app = app
        self.limits = limits
        self.metrics = metrics
        self.routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begin = time.monotonic()
        status = 0
        extra = dict(HEADERS)

        async def completed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in extra.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            else:
                self.metrics.sent += len(message.get("body", b""))
            await send(message)

        try:
            given = Headers(scope=scope)
            if scope["path"] != "/health":  # which whoever watches over the server asks, by any name
                self._check_host(given)
            extra |= self._shared_with(given, scope["path"])
            if scope["method"] == "OPTIONS" and "origin" in given:
                await Response(status_code=204)(scope, receive, completed)
                return
            await self.app(scope, receive, completed)
        except Refusal as refusal:
            await refused(refusal, scope["path"])(scope, receive, completed)
        except Exception:
            traceback.print_exc(file=sys.stderr)  # for whoever runs the server, never for who asks
            if status:
                raise
            failure = Refusal(500, "The server failed; this is a fault of Dodona, and not of the request.")
            await refused(failure, scope["path"])(scope, receive, completed)
        finally:
            route = scope["path"] if scope["path"] in self.routes else "other"
            method = scope["method"] if scope["method"] in METHODS else "other"
            self.metrics.count(route, method, status, time.monotonic() - begin)

    def _check_host(self, given: Headers) -> None:
        """A page of another site must not reach a server that only this machine should reach, by a name that leads
        here (DNS rebinding)."""
        host = given.get("host", "")
        if self.limits.hosts and _host_name(host) not in self.limits.hosts:
            raise Refusal(421, "This server does not answer to that name in the Host header.")

    def _shared_with(self, given: Headers, path: str) -> Mapping[str, str]:
        """Return the headers that let the page of another site read the answer; refuse a site that may not ask."""
        origin = given.get("origin")
        if origin is None:
            site = given.get("sec-fetch-site", "none")
            if site == "cross-site" and given.get("sec-fetch-mode") != "navigate" and "*" not in self.limits.origins:
                raise Refusal(403, "Pages of other sites may not use this server.")
            return {"Cross-Origin-Resource-Policy": "same-origin"}
        if "*" in self.limits.origins or origin in self.limits.origins:
            return {
                "Access-Control-Allow-Origin": "*" if "*" in self.limits.origins else origin,
                "Access-Control-Allow-Methods": "GET, POST",
                "Access-Control-Allow-Headers": "Content-Type",
                "Access-Control-Max-Age": "600",
                "Cross-Origin-Resource-Policy": "cross-origin",
                "Vary": "Origin",
            }
        if origin.partition("://")[2] != given.get("host"):
            raise Refusal(403, "Pages of other sites may not use this server.")
        return {"Cross-Origin-Resource-Policy": "same-origin"}


def _host_name(host: str) -> str:
    """Return a Host header without its port."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def refused(refusal: Refusal, path: str) -> Response:
    """Return the answer to a request that gets no result."""
    if path in PLAIN:
        return Response(f"{refusal}\n", refusal.status, refusal.headers, "text/plain")
    content = json.dumps({"error": str(refusal)}, ensure_ascii=False)
    return Response(content, refusal.status, refusal.headers, "application/json")
