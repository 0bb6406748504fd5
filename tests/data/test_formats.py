"""Text is told from CoNLL-U by the first line that is no comment, in whatever pieces it comes."""

from collections.abc import Iterator

import pytest

from dodona.data.formats import detect_format, read_stream
from dodona.errors import FormatError

WORD = b"1\tOak\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
CASES = {
    WORD: True,
    b"# text = Oak\n" + WORD: True,
    b"\xef\xbb\xbf# text = Oak\n\n# more\n" + WORD: True,
    b"# a comment\n" * 40_000 + WORD: True,
    b"1-2\tdon't\t" + WORD: True,
    b"0.1\tempty\t" + WORD: True,
    b"# a heading\n\nOak trees grow.\n": False,
    b"12 oaks\n": False,
    b"12\toaks": False,
    b"# nothing but a heading": False,
    b"": False,
    b"\n \n": False,
    b"Oak": False,
    b"1-2-3\tOak\t": False,
    b"\tOak": False,
}


@pytest.mark.parametrize("size", [1, 7, 1 << 18])
@pytest.mark.parametrize(("data", "expected"), list(CASES.items()), ids=[repr(data[:20]) for data in CASES])
def test_any_pieces_give_the_same_answer(data: bytes, expected: bool, size: int) -> None:
    if size == 1 and len(data) > 10_000:
        size = 4_999
    found, rest = detect_format((data[i : i + size] for i in range(0, len(data), size)), "-")
    assert found == ("conllu" if expected else "text")
    assert b"".join(rest) == data


def test_no_more_is_read_than_it_takes() -> None:
    def pieces() -> Iterator[bytes]:
        yield b"# a comment\n"
        yield b"1\tOak\t"
        raise AssertionError("read on")

    found, rest = detect_format(pieces(), "-")
    assert found == "conllu"
    assert next(rest) == b"# a comment\n1\tOak\t"


@pytest.mark.parametrize("form", ["horizontal", "vertical"])
def test_bytes_that_are_no_text_are_named_with_their_line(form: str) -> None:
    for data, line, byte in ((b"a\nbc\xffd\n", 2, "0xff"), (b"a\xe9", 1, "0xe9"), (b"a\n\nbc \xc3\n", 3, "0xc3")):
        with pytest.raises(FormatError) as caught:
            list(read_stream(form, [data], "x"))
        assert str(caught.value) == f"x:{line}: byte {byte} is not UTF-8"


ROW = b"1 The the DET _ _ 2 det _ _\n"
FORMATS = {
    (b"anything\n", "a.conllu.gz"): "conllu",
    (b"", "a.CONLLX"): "conllx",
    (WORD, "-"): "conllu",
    (ROW.replace(b" 2 ", b" two "), "-"): "text",
    (ROW.replace(b"1", b"17"), "a.txt"): "text",
    (b"1 " * 11 + b"\n", "-"): "text",
    (b"# a heading\n12 oaks\n", "-"): "text",
    (b"1 " + b"a" * 20_000, "-"): "text",
}


@pytest.mark.parametrize("size", [1, 1 << 18])
@pytest.mark.parametrize(("given", "expected"), list(FORMATS.items()), ids=lambda value: repr(value)[:30])
def test_formats_by_name_and_by_content(given: tuple[bytes, str], expected: str, size: int) -> None:
    data, name = given
    format, rest = detect_format((data[i : i + size] for i in range(0, len(data), size)), name)
    assert format == expected
    assert b"".join(rest) == data


@pytest.mark.parametrize("size", [1, 1 << 18])
@pytest.mark.parametrize(
    ("data", "line"),
    [(ROW, 1), (ROW.rstrip(), 1), (b"# text = The oak\n" + ROW, 2), (b"\n# sent_id = 1\n12 oaks\n", 3),
     (ROW.replace(b"1", b"1-2").replace(b" 2 ", b" _ "), 1), (ROW.replace(b"1", b"0.1"), 1),
     (b"\xef\xbb\xbf" + ROW, 1)],
)  # fmt: skip
def test_spaces_for_tabs_are_an_error_with_a_hint(data: bytes, line: int, size: int) -> None:
    with pytest.raises(FormatError, match=f"^-:{line}: this looks like CoNLL-U with spaces for tabs.*--input text"):
        detect_format((data[i : i + size] for i in range(0, len(data), size)), "-")
