"""Requests to an ASGI application without a network: what it gets, and what it answers."""

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from starlette.types import ASGIApp, Message

from dodona.server.app import FUNCTIONS
from dodona.server.models import Models
from dodona.server.requests import decode
from dodona.server.service import Function, encode

__all__ = ["Reply", "ask", "asked", "call", "json_of", "list_bounds"]

LIMIT = 60  # seconds after which a test gives up


@dataclass
class Reply:
    """An answer: status, headers (in lower case) and body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def asked(
    app: ASGIApp,
    path: str,
    body: bytes | Iterable[bytes] = b"",
    *,
    method: str = "POST",
    headers: Mapping[str, str] | None = None,
    gone: asyncio.Event | None = None,
) -> Reply:
    """Send a request, its body piece by piece, and return the answer; the client leaves when `gone` is set."""
    address, _, query = path.partition("?")
    pieces = [body] if isinstance(body, bytes) else list(body)
    given = {"host": "localhost", **(headers or {})}
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": address, "raw_path": address.encode(), "query_string": query.encode(), "root_path": "",
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in given.items()],
        "client": ("127.0.0.1", 1), "server": ("localhost", 80),
    }  # fmt: skip
    sent: list[Message] = []
    leaving = gone or asyncio.Event()

    async def receive() -> Message:
        if pieces:
            return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}
        await leaving.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    async with asyncio.timeout(LIMIT):
        await app(scope, receive, send)
    start = next(message for message in sent if message["type"] == "http.response.start")
    found = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
    content = b"".join(message.get("body", b"") for message in sent if message["type"] == "http.response.body")
    return Reply(start["status"], found, content)


def ask(app: ASGIApp, path: str, body: bytes | Iterable[bytes] = b"", **more: Any) -> Reply:
    """Like `asked`, from a program without an event loop."""
    return asyncio.run(asked(app, path, body, **more))


def json_of(app: ASGIApp, path: str, request: Any) -> Any:
    """Return the answer to a request in JSON; it must be a good one."""
    reply = ask(app, path, json.dumps(request).encode(), headers={"content-type": "application/json"})
    assert reply.status == 200, reply.text
    return reply.json


def call(name: str, request: Any, models: Models) -> Any:
    """Return what a function of the JSON interface answers, without a server; an error is raised."""
    function = FUNCTIONS[name]
    answer = function.call(decode(json.dumps(request).encode(), function.request), models)
    return json.loads(b"".join(encode(answer)))


def list_bounds(function: Function) -> set[str]:
    """Return what the fields of a request must be: `.name 1..10 =5` is a number, a text or a list of such a size, and 5
    if it is missing; `[]` are items of a list, and `.name!` must be there. `.*` says that others may be there, too."""
    (schema,), kinds = msgspec.json.schema_components([function.request])
    found: dict[str, list[str]] = {}

    def look(name: str, value: dict[str, Any]) -> None:
        told = found.setdefault(name, [])
        sizes = [(value.get(f"min{kind}", ""), value.get(f"max{kind}", "")) for kind in ("imum", "Length", "Items")]
        told += [f"{least}..{most}" for least, most in sizes if (least, most) != ("", "")]
        told += ["|".join(value["enum"])] if "enum" in value else []
        for each in value.get("anyOf", ()):
            look(name, each)
        for place, item in [*enumerate(value.get("prefixItems", ())), ("", value.get("items"))]:
            if isinstance(item, dict):
                look(f"{name}[{place}]", item)
        kind = kinds.get(value.get("$ref", "").rpartition("/")[2], {})
        for key, item in kind.get("properties", {}).items():
            look(f"{name}.{key}{'!' if key in kind.get('required', ()) else ''}", item)
        if kind.get("additionalProperties", True) and kind:
            found[f"{name}.*"] = []
        told += [f"={value['default']!r}"] if "default" in value else []

    look("", schema)
    return {" ".join([name, *told]) for name, told in found.items() if name and (told or name[-1] in "!*")}
