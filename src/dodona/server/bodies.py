"""The bodies of requests: read with their limits enforced while they arrive, and taken for JSON."""

import asyncio
import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from starlette.requests import ClientDisconnect, Request

from dodona.server.limits import Limits
from dodona.server.refusals import Refusal

__all__ = ["Memory", "Share", "json_object"]

ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class Memory:
    """The bytes of all bodies in memory at a time."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.taken = 0

    @contextmanager
    def share(self) -> "Iterator[Share]":
        """Yield the memory of one request; it is given back at the end."""
        found = Share(self)
        try:
            yield found
        finally:
            self.taken -= found.taken


class Share:
    """The memory of one request."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.limits = memory.limits
        self.taken = 0

    async def body(self, request: Request, deadline: float) -> bytes:
        """Return the body of a request, read until the deadline."""
        declared = request.headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > self.limits.size:
            raise self._too_large()
        pieces: list[bytes] = []
        try:
            async with asyncio.timeout(deadline - time.monotonic()):
                async for piece in request.stream():
                    self._take(len(piece))
                    pieces.append(piece)
        except TimeoutError:
            raise Refusal(408, f"The request did not arrive within {self.limits.seconds:g} seconds.") from None
        except ClientDisconnect:
            raise Refusal(400, "The request ended too early.") from None
        return b"".join(pieces)

    def hold(self, count: int) -> None:
        """Count the bytes of an answer too: while slow clients take theirs, others may be refused."""
        self.taken += count
        self.memory.taken += count

    def _take(self, count: int) -> None:
        if self.taken + count > self.limits.size:
            raise self._too_large()
        if self.memory.taken + count > self.limits.memory:
            raise Refusal(503, "The server is busy: its memory for requests is full; try again later.", Retry_After="1")
        self.hold(count)

    def _too_large(self) -> Refusal:
        return Refusal(
            413, f"The request is too large; expected at most {self.limits.size:,} bytes.", Connection="close"
        )


def json_object(body: bytes) -> dict[str, Any]:
    """Return the object that a body in JSON is; nothing at all is an empty one."""
    if not body.strip():
        return {}
    try:
        found = json.loads(body.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise Refusal(400, f"Byte {error.start} of the request is not UTF-8; expected JSON in UTF-8.") from None
    except json.JSONDecodeError as error:
        raise Refusal(
            400, f"The request is not JSON: {error.msg} (line {error.lineno}, column {error.colno})."
        ) from None
    except (ValueError, RecursionError):
        raise Refusal(400, "The request has numbers or nesting that no request needs; expected plain JSON.") from None
    if not isinstance(found, dict):
        raise Refusal(400, 'The request is not a JSON object; expected for example {"text": "Oaks grow."}.')
    if ESCAPED_SURROGATE.search(body):
        try:
            json.dumps(found, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise Refusal(400, "The request has half a character (a lone surrogate); expected whole ones.") from None
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(name)
