"""What a server says of its requests and faults, on standard error: a line each, as text or as JSON.

A line about a request has its number, address, status, duration, words and model. It has nothing of what was sent,
unless whoever runs the server has asked for that.
"""

import logging
import os
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import msgspec

__all__ = ["FORMATS", "LEVELS", "LOGGER", "RequestRecord", "follow", "log_request", "note", "set_up_log"]

LEVELS = ("error", "warning", "info", "debug")
FORMATS = ("text", "json")
LOGGER = logging.getLogger("dodona.server")
SHOWN_TEXT = 200  # bytes of a request that are shown, if at all


@dataclass
class RequestRecord:
    """What is known of a request, from its beginning to its end."""

    number: str = ""
    client: str = ""
    method: str = ""
    route: str = ""
    status: int = 0
    milliseconds: float = 0.0
    received: int = 0  # bytes
    sent: int = 0
    sentences: int = 0
    words: int = 0
    model: str = ""
    reason: str = ""  # why it was refused, or cut off
    text: str = ""  # its beginning, if that was asked for


_current: ContextVar[RequestRecord | None] = ContextVar("request", default=None)


@contextmanager
def follow(record: RequestRecord) -> Iterator[None]:
    """Let `note` add to this record, here and in the threads that work on the request."""
    token = _current.set(record)
    try:
        yield
    finally:
        _current.reset(token)


def note(**values: Any) -> None:
    """Add to what is known of the request that is worked on: numbers are added up, names replaced."""
    record = _current.get()
    if record is not None:
        for name, value in values.items():
            setattr(record, name, getattr(record, name) + value if isinstance(value, int) else value)


def log_request(record: RequestRecord) -> None:
    """Tell of a request that is answered."""
    LOGGER.info(record)


def set_up_log(level: str = "warning", form: str = "text") -> None:
    """Write what the server and its libraries say to standard error, from this level on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if form == "json" else TextFormatter())
    for logger in (LOGGER, logging.getLogger("uvicorn.error"), logging.getLogger("asyncio")):
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(level.upper())
        logger.addFilter(_is_news)


TOLD = ("without completing response", "Unsupported upgrade", "No supported WebSocket")


def _is_news(record: logging.LogRecord) -> bool:
    """Whether nothing else tells it: an answer that was cut off has its line as a request, and so has one that asks for
    another protocol and is answered in this one."""
    return not any(words in str(record.msg) for words in TOLD)


class TextFormatter(logging.Formatter):
    """A line for people; a traceback, which only a fault of Dodona has, stands below it."""

    def format(self, record: logging.LogRecord) -> str:
        fields = _describe(record)
        fault = fields.pop("traceback", "")
        head = f"{fields.pop('time')} {fields.pop('level')} [{fields.pop('process')}]"
        shown = " ".join(f"{name}={_quote(value)}" for name, value in fields.items() if name != "message")
        line = " ".join(filter(None, (head, fields.get("message", ""), shown)))
        return f"{line}\n{fault.rstrip()}" if fault else line


class JsonFormatter(logging.Formatter):
    """An object a line, for programs."""

    def format(self, record: logging.LogRecord) -> str:
        return msgspec.json.encode(_describe(record)).decode()


def _describe(record: logging.LogRecord) -> dict[str, Any]:
    seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
    fields: dict[str, Any] = {
        "time": f"{seconds}.{int(record.msecs):03}Z",
        "level": record.levelname.lower(),
        "process": os.getpid(),
    }
    if isinstance(record.msg, RequestRecord):
        values = {name: getattr(record.msg, name) for name in RequestRecord.__dataclass_fields__}
        always = ("number", "client", "method", "route", "status", "milliseconds")
        fields |= {name: value for name, value in values.items() if value or name in always}
    else:
        fields["message"] = record.getMessage()
    if record.exc_info and record.exc_info[1] is not None:
        fields["traceback"] = "".join(traceback.format_exception(record.exc_info[1]))
    return fields


def _quote(value: Any) -> str:
    """Return a value as it stands in a line; whatever comes from outside cannot end the line, or look like a field."""
    text = str(value)
    return text if text.isprintable() and not set(text) & set(' "=') else msgspec.json.encode(text).decode()
