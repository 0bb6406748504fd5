"""Forms in all their encodings, and what is refused of them."""

import json
from collections.abc import Callable
from urllib.parse import quote_plus, unquote_plus

import pytest
from starlette.exceptions import HTTPException

from dodona import OptionError
from dodona.server.models import AnnotateRequest
from dodona.server.requests import URLENCODED, NoFields, decode, read_form, read_query

PARTS = "multipart/form-data; boundary=xyz"


def part(value: bytes, name: bytes = b"data", more: bytes = b"") -> bytes:
    return b'--xyz\r\nContent-Disposition: form-data; name="' + name + b'"' + more + b"\r\n\r\n" + value + b"\r\n"


END = b"--xyz--\r\n"


def test_parts_keep_every_character() -> None:
    text = "é\r\n\r\n--xy\r\n--x--\r\n"
    more = b'; filename="a;b.txt"\r\nContent-Type: text/plain; charset=utf-8'
    body = b"\r\n" + part(text.encode(), more=more) + part(b"", b"tagger") + END + b"after"
    assert read_form('multipart/form-data; boundary="xyz"', body) == {"data": text, "tagger": ""}
    assert read_form(PARTS.upper().replace("XYZ", "xyz"), part(b"1") + part(b"2") + END) == {"data": "2"}
    assert read_form(PARTS, END) == {}


def test_who_sends_a_bad_form_is_told_and_not_the_log(caplog: pytest.LogCaptureFixture) -> None:
    for body in (b"x", b"--xyz\r\nContent-\0: x\r\n", b"--xyz\nx", part(b"1") + b"--xyz-x"):
        with pytest.raises(OptionError, match="The form"):
            read_form(PARTS, body)
    assert caplog.records == []


def test_parts_can_be_encoded_for_mail() -> None:
    """In letters of any size, as mail has it."""
    for encoding, value in ((b"base64", b"w6k=\r\n"), (b"quoted-printable", b"=C3=\r\n=A9"), (b"binary", b"\xc3\xa9")):
        header = b"Content-Transfer-Encoding: " + encoding
        for more in (header, header.lower(), header.upper(), header.title()):
            assert read_form(PARTS, part(value, more=b"\r\n" + more) + END) == {"data": "é"}


def test_fields_in_the_address() -> None:
    assert read_query("data=a+b%20%C3%A9&tokenizer&tagger=&data=c") == {"data": "c", "tokenizer": "", "tagger": ""}
    assert read_form("application/x-www-form-urlencoded; charset=utf-8", b"data=a%26b") == {"data": "a&b"}
    assert read_form("", b"") == {}


@pytest.mark.parametrize(
    ("content_type", "body", "status", "message"),
    [
        ("", b"x", 415, "The Content-Type is none; expected"),
        ("text/plain", b"x", 415, "The Content-Type is 'text/plain'; expected"),
        ("multipart/form-data", END, 400, "no valid boundary"),
        (f"multipart/form-data; boundary={'x' * 71}", END, 400, "no valid boundary"),
        (PARTS, b"", 400, "ends too early"),
        (PARTS, part(b"x"), 400, "ends too early"),
        (PARTS, b"before\r\n" + part(b"x") + END, 400, "The form cannot be read: Expected boundary character"),
        (PARTS, b"--xyz\r\nA: b\r\n\r\nx\r\n" + END, 400, "has no name"),
        (
            PARTS,
            b'--xyz\r\nContent-Disposition: form-data; name="data"\r\n' + END,
            400,
            "The form cannot be read: Found invalid",
        ),
        (PARTS, part(b"\xff") + END, 400, "Byte 0 of the part 'data' is not UTF-8"),
        (PARTS, part(b"x", b"\xff") + END, 400, "is not UTF-8"),
        (PARTS, part(b"x", more=b"\r\nContent-Transfer-Encoding: base64") + END, 400, "is not base64"),
        (PARTS, part(b"x", more=b"\r\nContent-Transfer-Encoding: rot13") + END, 400, "unknown Content-Transfer"),
        (PARTS, part(b"x") * 65 + END, 400, "too many parts; expected at most 64"),
        ("application/x-www-form-urlencoded", b"data=\xff", 400, "Byte 5 of the form is not UTF-8"),
        ("application/x-www-form-urlencoded", b"data=%ff", 400, "The parameters are not UTF-8"),
        ("application/x-www-form-urlencoded", b"a=1&" * 64 + b"a=1", 400, "too many parameters; expected at most 64"),
    ],
)
def test_a_bad_form_is_refused(content_type: str, body: bytes, status: int, message: str) -> None:
    with pytest.raises(OptionError if status == 400 else HTTPException) as refused:
        read_form(content_type, body)
    assert getattr(refused.value, "status_code", 400) == status
    assert message in str(refused.value)


def test_escapes_are_decoded_wherever_a_long_value_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "aé+b %𝒜"
    for size in range(3, 40):
        monkeypatch.setattr("dodona.server.requests.UNQUOTED", size)
        for value in (quote_plus(text), "%41" * 20, "%4", "a%", "%%41", "+" * 9):
            assert read_query(f"x=&data={value}&&y") == {
                "x": "", "data": unquote_plus(value, errors="strict"), "y": ""
            }  # fmt: skip


# Limits and long names, in both kinds of form


def test_as_many_fields_as_allowed_in_either_kind_of_form() -> None:
    for count, is_good in ((64, True), (65, False)):
        names = [f"f{k}" for k in range(count)]
        expected = dict.fromkeys(names, "x")
        ways: list[Callable[[], dict[str, str]]] = [
            lambda: read_query("&".join(f"{name}=x" for name in names)),  # noqa: B023
            lambda: read_form(URLENCODED, "&".join(f"{name}=x" for name in names).encode()),  # noqa: B023
            lambda: read_form(PARTS, b"".join(part(b"x", name.encode()) for name in names) + END),  # noqa: B023
        ]
        for way in ways:
            if is_good:
                assert way() == expected
            else:
                with pytest.raises(OptionError, match=r"too many (parts|parameters); expected at most 64\.$"):
                    way()


@pytest.mark.parametrize("length", [0, 1, 70, 71])
def test_boundaries_of_every_length(length: int) -> None:
    boundary = "x" * length
    body = (part(b"1") + END).replace(b"--xyz", b"--" + boundary.encode())
    if 0 < length <= 70:
        assert read_form(f"multipart/form-data; boundary={boundary}", body) == {"data": "1"}
    else:
        with pytest.raises(OptionError, match="no valid boundary; expected multipart/form-data; boundary=…"):
            read_form(f"multipart/form-data; boundary={boundary}", body)


@pytest.mark.parametrize("encoding", ["", "7bit", "8bit", "binary", "Binary", "base64", "quoted-printable"])
def test_encodings_of_a_part(encoding: str) -> None:
    more = b"" if not encoding else b"\r\nContent-Transfer-Encoding: " + encoding.encode()
    value = {"base64": b"YQ==", "quoted-printable": b"=61"}.get(encoding, b"a")
    assert read_form(PARTS, part(value, more=more) + END) == {"data": "a"}


def test_only_the_beginning_of_what_came_is_in_a_message() -> None:
    """Nobody fills a log or a screen with the name of a field, or with a type."""
    long = "n" * 500
    transfer = b"\r\nContent-Transfer-Encoding: "
    ways: list[tuple[Callable[[], object], str]] = [
        (lambda: read_form(PARTS, part(b"x", long.encode(), transfer + b"rot13") + END),
         f"The part {'n' * 40!r} has an unknown Content-Transfer-Encoding."),
        (lambda: read_form(PARTS, part(b"x", long.encode(), transfer + b"base64") + END),
         f"The part {'n' * 40!r} is not base64, as it says."),
        (lambda: read_form(PARTS, part(b"\xff", long.encode()) + END),
         f"Byte 0 of the part {'n' * 40!r} is not UTF-8; expected text in UTF-8."),
        (lambda: decode(json.dumps({long: 1}).encode(), AnnotateRequest),
         f"the request: object contains unknown field `{'n' * 200}"[:200] + "…"),
        (lambda: decode(b'{"text": 1}', AnnotateRequest), "text: expected `str | null`, got `int`"),
    ]  # fmt: skip
    for way, message in ways:
        with pytest.raises(OptionError) as caught:
            way()
        assert str(caught.value) == message
    with pytest.raises(HTTPException) as refused:
        read_form(f"text/{long}", b"x")
    shown = repr(f"text/{long}"[:60])
    expected = "expected multipart/form-data or application/x-www-form-urlencoded."
    assert refused.value.detail == f"The Content-Type is {shown}; {expected}"
    assert refused.value.status_code == 415


@pytest.mark.parametrize("body", [b"", b" ", b"\r\n\t ", b"\xef\xbb\xbf", b"\xef\xbb\xbf {} ", b"{}"])
def test_nothing_is_an_empty_request(body: bytes) -> None:
    assert decode(body, AnnotateRequest) == AnnotateRequest()
    assert decode(body, NoFields) == NoFields()
