"""Text is told from CoNLL-U by the first line that is no comment, in whatever pieces it comes."""

from collections.abc import Iterator

import pytest

from dodona.data.sniff import sniffed

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
}


@pytest.mark.parametrize("size", [1, 7, 1 << 18])
@pytest.mark.parametrize(("data", "expected"), list(CASES.items()), ids=[repr(data[:20]) for data in CASES])
def test_any_pieces_give_the_same_answer(data: bytes, expected: bool, size: int) -> None:
    if size == 1 and len(data) > 10_000:
        size = 4_999
    is_conllu, rest = sniffed(data[i : i + size] for i in range(0, len(data), size))
    assert is_conllu == expected
    assert b"".join(rest) == data


def test_no_more_is_read_than_it_takes() -> None:
    def pieces() -> Iterator[bytes]:
        yield b"# a comment\n"
        yield b"1\tOak\t"
        raise AssertionError("read on")

    is_conllu, rest = sniffed(pieces())
    assert is_conllu
    assert next(rest) == b"# a comment\n1\tOak\t"
