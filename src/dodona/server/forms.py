"""The parameters of requests as HTML forms send them: in the address, URL-encoded, or in several parts."""

import base64
import binascii
import quopri
import re
from urllib.parse import parse_qsl

from dodona.server.refusals import Refusal

__all__ = ["form_fields", "query_fields"]

MOST_FIELDS = 64
PARAMETER = re.compile(r';\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))')
TRANSFERS = ("", "7bit", "8bit", "binary")
URLENCODED, PARTS = "application/x-www-form-urlencoded", "multipart/form-data"


def query_fields(query: str) -> dict[str, str]:
    """Return the fields of a query, or of an URL-encoded form; the last one of a name counts."""
    try:
        return dict(parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS))
    except UnicodeDecodeError:
        raise Refusal(400, "The parameters are not UTF-8; expected text in UTF-8, percent-encoded.") from None
    except ValueError:
        raise Refusal(400, f"The request has too many parameters; expected at most {MOST_FIELDS}.") from None


def form_fields(content_type: str, body: bytes) -> dict[str, str]:
    """Return the fields of a form, which a browser, curl or a client of UDPipe has sent."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind == PARTS:
        return _fields_of_parts(content_type, body)
    if kind == URLENCODED:
        return query_fields(_decoded(body, "form"))
    if not body:
        return {}
    found = repr(kind[:60]) if kind else "none"
    raise Refusal(415, f"The Content-Type is {found}; expected {PARTS} or {URLENCODED}.")


def _fields_of_parts(content_type: str, body: bytes) -> dict[str, str]:
    boundary = _parameters(content_type).get("boundary", "")
    if not 0 < len(boundary) <= 70 or not boundary.isascii():
        raise Refusal(400, f"The Content-Type has no valid boundary; expected {PARTS}; boundary=….")
    mark = b"--" + boundary.encode()
    # what comes before the first mark and after the last is of no meaning; a mark begins a line
    pieces = (b"\r\n" + body).split(b"\r\n" + mark, MOST_FIELDS + 2)
    if len(pieces) > MOST_FIELDS + 2:
        raise Refusal(400, f"The form has too many parts; expected at most {MOST_FIELDS}.")
    if len(pieces) < 2 or not pieces[-1].startswith(b"--"):
        raise Refusal(400, "The form ends too early: the last boundary is missing.")
    return dict(map(_field, pieces[1:-1]))


def _field(piece: bytes) -> tuple[str, str]:
    """Return name and value of a part, which has headers, an empty line, and the value."""
    head, empty, value = piece.partition(b"\r\n\r\n")
    headers = {}
    for line in _decoded(head, "form").split("\r\n")[1:]:
        name, _, text = line.partition(":")
        headers[name.strip().lower()] = text.strip()
    field = _parameters(headers.get("content-disposition", "")).get("name")
    if not empty or field is None:
        raise Refusal(400, "A part of the form has no name; expected Content-Disposition: form-data; name=….")
    transfer = headers.get("content-transfer-encoding", "").lower()
    try:
        if transfer == "base64":
            value = base64.b64decode(value, validate=False)
        elif transfer == "quoted-printable":
            value = quopri.decodestring(value)
        elif transfer not in TRANSFERS:
            raise Refusal(400, f"The part {field[:40]!r} has an unknown Content-Transfer-Encoding.")
    except binascii.Error:
        raise Refusal(400, f"The part {field[:40]!r} is not base64, as it says.") from None
    return field, _decoded(value, f"part {field[:40]!r}")


def _parameters(header: str) -> dict[str, str]:
    """Return the parameters of a header like `form-data; name="data"`."""
    found = {}
    for name, quoted, plain in PARAMETER.findall(header):
        found[name.lower()] = re.sub(r"\\(.)", r"\1", quoted) if quoted else plain
    return found


def _decoded(data: bytes, what: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Refusal(400, f"Byte {error.start} of the {what} is not UTF-8; expected text in UTF-8.") from None
