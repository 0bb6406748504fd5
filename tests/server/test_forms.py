"""Forms in all their encodings, and what is refused of them."""

from urllib.parse import quote_plus, unquote_plus

import pytest
from starlette.exceptions import HTTPException

from dodona import OptionError
from dodona.server.requests import read_form, read_query

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


def test_as_many_parts_as_allowed() -> None:
    assert read_form(PARTS, part(b"x") * 64 + END) == {"data": "x"}


def test_escapes_are_decoded_wherever_a_long_value_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "aé+b %𝒜"
    for size in range(3, 40):
        monkeypatch.setattr("dodona.server.requests.UNQUOTED", size)
        for value in (quote_plus(text), "%41" * 20, "%4", "a%", "%%41", "+" * 9):
            assert read_query(f"x=&data={value}&&y") == {
                "x": "", "data": unquote_plus(value, errors="strict"), "y": ""
            }  # fmt: skip
