"""Blanks in raw text are kept, up to a limit: a small compressed file can have a billion of them."""

from collections.abc import Iterator

import pytest

from dodona import FormatError
from dodona.data.formats import BLANK_LIMIT, decode_text


def text_of(*pieces: bytes) -> str:
    return "".join(decode_text(pieces, "text.txt"))


@pytest.mark.parametrize("blank", [b" ", b"\n", b"\0"])
def test_as_many_blanks_as_the_limit_are_kept(blank: bytes) -> None:
    half = blank * (BLANK_LIMIT // 2)
    for pieces in ([b"Oak." + half, half, b"Elm."], [half, half, b"Oak"], [b"Oak" + half, half + b"Elm" + half, half]):
        assert text_of(*pieces).encode() == b"".join(pieces)


@pytest.mark.parametrize("blank", [b" ", b"\n", b"\0"])
def test_more_blanks_are_an_error_before_they_are_collected(blank: bytes) -> None:
    half = blank * (BLANK_LIMIT // 2)

    given = []

    def endless() -> Iterator[bytes]:
        yield b"Oak."
        while True:
            given.append(len(half))
            yield half

    with pytest.raises(FormatError, match=r"text.txt:\d+: more than 1,048,576 blanks in a row; expected a text"):
        list(decode_text(endless(), "text.txt"))
    assert len(given) == 3
    with pytest.raises(FormatError, match="blanks in a row"):
        text_of(b"Oak" + half, half + blank + b"Elm")
