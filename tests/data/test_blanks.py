"""Blanks in raw text are kept, up to a limit: a small compressed file can have a billion of them, or of anything."""

from collections.abc import Iterator

import pytest

from dodona import FormatError
from dodona.data.conllu import LINE_LIMIT, read_conllu
from dodona.data.formats import BLANK_LIMIT, INK_LIMIT, decode_text, detect_format, read_words
from dodona.data.stream import only_sentences


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


def repeat(unit: bytes, given: list[int], beginning: bytes = b"") -> Iterator[bytes]:
    """Chunks without end; `given` has the sizes of those that were taken."""
    chunk = unit * ((1 << 18) // len(unit))
    yield beginning + chunk
    while True:
        given.append(len(chunk))
        yield chunk


@pytest.mark.parametrize(
    ("unit", "limit"),
    [(b"\t", BLANK_LIMIT), (b"\n", BLANK_LIMIT), (b" \r\n", BLANK_LIMIT), (b"#", LINE_LIMIT), (b"1\t_", 0)],
)
def test_what_no_format_allows_decides_the_format_at_once(unit: bytes, limit: int) -> None:
    given: list[int] = []
    format, rest = detect_format(repeat(unit, given), "-")
    assert format == ("conllu" if unit.startswith(b"1") else "text")
    assert limit - (1 << 20) < sum(given) <= limit
    assert next(rest).startswith(unit)


def test_a_first_word_without_an_end_is_not_waited_for() -> None:
    given: list[int] = []
    assert detect_format(repeat(b"a", given, b"1\t"), "-")[0] == "text"
    assert sum(given) <= LINE_LIMIT


def test_a_word_without_an_end_is_an_error_before_it_is_collected() -> None:
    given: list[int] = []
    taken = decode_text(repeat("ü".encode(), given), "text.txt")
    with pytest.raises(FormatError, match=r"text.txt:1: more than 16,777,216 characters without a blank; expected a t"):
        for _ in taken:
            pass
    assert sum(given) <= 2 * INK_LIMIT  # bytes
    for blank in (" ", "\n", "\0"):
        spaced = [b"a" * (INK_LIMIT // 2), blank.encode()] * 4
        assert sum(map(len, decode_text(spaced, "text.txt"))) == sum(map(len, spaced))


def test_a_word_a_line_without_an_end_is_an_error_before_it_is_collected() -> None:
    given: list[int] = []
    word = b"oak" * 1000 + b"\n"
    with pytest.raises(FormatError, match=r"x:55[0-9]{2}: a sentence of more than 16 MiB; expected an empty line"):
        list(read_words(repeat(word, given), "x", vertical=True))
    assert sum(given) <= LINE_LIMIT
    assert len(list(read_words([word * 5000 + b"\n", word * 5000], "x", vertical=True))) == 2


GOOD = b"1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n"


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b"3\ta\t_\t_\t_\t_\t0\troot\t_\t_\n", "x:2: word number '3'; expected 2"),
        (b"2\ta\t_\t_\t_\t_\tb\troot\t_\t_\n", "x:2: HEAD 'b'; expected the number of a word, or 0 for the root"),
        (b"2\ta\n", "x:2: 2 columns; expected 10"),
        (b"2\t\xff\t_\t_\t_\t_\t0\troot\t_\t_\n", "x:2: byte 0xff is not UTF-8"),
        (b"3-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n", "x:2: multiword range 3-2; expected a last word after the first"),
    ],
)
@pytest.mark.filterwarnings("ignore::dodona.FormatWarning")
def test_a_wrong_line_is_an_error_before_the_rest_of_its_sentence_is_collected(line: bytes, fault: str) -> None:
    given: list[int] = []
    with pytest.raises(FormatError) as caught:
        list(read_conllu(repeat(b"# in mid-sentence\n", given, GOOD + line), "x"))
    assert str(caught.value).startswith(fault)
    assert sum(given) <= 1 << 20


def number(first: int, last: int, head: bytes = b"40000") -> bytes:
    """Words whose head comes late."""
    return b"".join(b"%d\ta\t_\t_\t_\t_\t%s\tdep\t_\t_\n" % (k, head) for k in range(first, last))


@pytest.mark.parametrize("irregular", [b"", b"39999.1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n", b"# in mid-sentence\n"])
@pytest.mark.filterwarnings("ignore::dodona.FormatWarning")
def test_a_long_sentence_may_refer_to_words_that_come_late(irregular: bytes) -> None:
    body = number(1, 40_000) + irregular + number(40_000, 90_000, b"0") + b"\n"
    chunks = [body[i : i + (1 << 16)] for i in range(0, len(body), 1 << 16)]
    assert len(body) > 2 << 20
    [sentence] = only_sentences(read_conllu(chunks, "x"))
    assert sentence.to_bytes() == body
    assert sentence.heads[:2] == [40_000, 40_000]


def test_an_error_late_in_a_long_sentence_has_its_own_line() -> None:
    body = b"# a comment\n" + number(1, 80_000) + number(1, 80_000)
    given: list[int] = []

    def chunks() -> Iterator[bytes]:
        for i in range(0, len(body), 1 << 16):
            given.append(i)
            yield body[i : i + (1 << 16)]

    with pytest.raises(FormatError, match="x:80001: word number '1'; expected 80000"):
        list(read_conllu(chunks(), "x"))
    assert given[-1] < len(body) - (1 << 17)
