"""The bodies of requests, from bytes to what functions take: JSON, and forms, which browsers, curl and UDPipe's clients
send. What is wrong with one is told in a sentence, as an OptionError."""

import binascii
import logging
import quopri
import re
from typing import Any, TypeVar
from urllib.parse import unquote_to_bytes

import msgspec
from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.exceptions import HTTPException

from dodona.errors import DodonaError, OptionError

__all__ = ["MULTIPART", "URLENCODED", "Conflict", "NoFields", "convert", "decode", "read_form", "read_query"]

MAX_FIELDS = 64
UNQUOTED = 1 << 16  # characters that are decoded at a time
MAX_MESSAGE = 200  # characters of a message that may quote the request
logging.getLogger("python_multipart").setLevel(logging.CRITICAL)  # who sends a bad form reads of it, not the log
ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
URLENCODED, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"

T = TypeVar("T")


class NoFields(msgspec.Struct):
    """A request that asks for one thing only."""


class Conflict(DodonaError):
    """A request that does not fit the state of the server any more; the answer has what the client should know."""

    def __init__(self, message: str, content: dict[str, Any]) -> None:
        super().__init__(message)
        self.content = content


def decode(body: bytes, kind: type[T]) -> T:
    """Return a body in JSON as a value of a kind; nothing at all is an empty object."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise OptionError(f"Byte {error.start} of the request is not UTF-8; expected JSON in UTF-8.") from None
    try:
        return msgspec.json.decode(text if text.strip() else "{}", type=kind)
    except msgspec.ValidationError as error:
        raise _explain(error) from None
    except msgspec.DecodeError as error:
        half = ", or it has half a character (a lone surrogate)" if ESCAPED_SURROGATE.search(text) else ""
        raise OptionError(f"The request is not JSON{half}: {error}.") from None
    except RecursionError:
        raise OptionError("The request has nesting that no request needs; expected plain JSON.") from None


def convert(fields: dict[str, str], kind: type[T]) -> T:
    """Return the fields of a form as a value of a kind."""
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        raise _explain(error) from None


def _explain(error: msgspec.ValidationError) -> OptionError:
    """Name the field first, as all messages do; a name from outside may be long, or have anything in it."""
    message, _, path = str(error).partition(" - at `$")
    where = path.strip(".`") or "the request"
    shown = f"{where}: {message[:1].lower()}{message[1:]}"
    if len(shown) > MAX_MESSAGE:
        shown = f"{shown[:MAX_MESSAGE]}…"
    return OptionError(shown if shown.isprintable() else repr(shown))


def read_query(query: str) -> dict[str, str]:
    """Return the fields of a query, or of an URL-encoded form; the last one of a name counts."""
    if query.count("&") >= MAX_FIELDS:
        raise OptionError(f"The request has too many parameters; expected at most {MAX_FIELDS}.")
    try:
        pairs = (field.partition("=") for field in query.split("&") if field)
        return {_unquote(name): _unquote(value) for name, _, value in pairs}
    except UnicodeDecodeError:
        raise OptionError("The parameters are not UTF-8; expected text in UTF-8, percent-encoded.") from None


def _unquote(text: str) -> str:
    """Decode percent signs, some at a time: Python's function takes 200 bytes of memory for each."""
    decoded = bytearray()
    begin = 0
    while begin < len(text):
        end = begin + UNQUOTED
        escape = text.find("%", end - 2, end)  # must not be cut
        end = end if escape < 0 else escape
        decoded += unquote_to_bytes(text[begin:end].replace("+", " "))
        begin = end
    return decoded.decode()


def read_form(content_type: str, body: bytes) -> dict[str, str]:
    kind, options = parse_options_header(content_type)
    if kind == MULTIPART.encode():
        boundary = options.get(b"boundary", b"")
        if not 0 < len(boundary) <= 70:
            raise OptionError(f"The Content-Type has no valid boundary; expected {MULTIPART}; boundary=….")
        return dict(_read_part(headers, value) for headers, value in _split_parts(boundary, body))
    if kind == URLENCODED.encode():
        return read_query(_decode_text(body, "form"))
    if not body:
        return {}
    shown = repr(kind.decode(errors="replace")[:60]) if kind else "none"
    raise HTTPException(415, f"The Content-Type is {shown}; expected {MULTIPART} or {URLENCODED}.")


def _split_parts(boundary: bytes, body: bytes) -> list[tuple[dict[bytes, bytes], bytearray]]:
    """Return the headers, with names in lower case, and the value of each part."""
    parts: list[tuple[dict[bytes, bytes], bytearray]] = []
    name, text = bytearray(), bytearray()
    ends: list[bool] = []

    def begin_part() -> None:
        if len(parts) == MAX_FIELDS:
            raise OptionError(f"The form has too many parts; expected at most {MAX_FIELDS}.")
        parts.append(({}, bytearray()))

    def end_header() -> None:
        parts[-1][0][bytes(name).lower()] = bytes(text)
        name.clear()
        text.clear()

    parser = MultipartParser(
        boundary,
        {
            "on_part_begin": begin_part,
            "on_header_field": lambda data, start, end: name.extend(data[start:end]),
            "on_header_value": lambda data, start, end: text.extend(data[start:end]),
            "on_header_end": end_header,
            "on_part_data": lambda data, start, end: parts[-1][1].extend(data[start:end]),
            "on_end": lambda: ends.append(True),
        },
    )
    try:
        parser.write(body)
    except MultipartParseError as error:
        raise OptionError(f"The form cannot be read: {error}.") from None
    if not ends:
        raise OptionError("The form ends too early: the last boundary is missing.")
    return parts


def _read_part(headers: dict[bytes, bytes], value: bytes | bytearray) -> tuple[str, str]:
    """Return name and value of a part. It may be encoded as in a mail, as Python's email package does."""
    name = parse_options_header(headers.get(b"content-disposition"))[1].get(b"name")
    if name is None:
        raise OptionError("A part of the form has no name; expected Content-Disposition: form-data; name=….")
    field = _decode_text(name, "form")
    transfer = headers.get(b"content-transfer-encoding", b"").lower()
    try:
        if transfer == b"base64":
            value = binascii.a2b_base64(value)
        elif transfer == b"quoted-printable":
            value = quopri.decodestring(value)
        elif transfer not in (b"", b"7bit", b"8bit", b"binary"):
            raise OptionError(f"The part {field[:40]!r} has an unknown Content-Transfer-Encoding.")
    except binascii.Error:
        raise OptionError(f"The part {field[:40]!r} is not base64, as it says.") from None
    return field, _decode_text(value, f"part {field[:40]!r}")


def _decode_text(data: bytes | bytearray, what: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise OptionError(f"Byte {error.start} of the {what} is not UTF-8; expected text in UTF-8.") from None
