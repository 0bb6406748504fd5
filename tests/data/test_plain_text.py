"""Sentences that are only words."""

from pathlib import Path

import pytest

from dodona.data.files import chunks
from dodona.data.formats import decode_text, read_stream
from dodona.data.stream import only_sentences

MARK = b"\xef\xbb\xbf"
WORDS = [["Zeus", "asks"], ["the", "oak"]]


@pytest.mark.parametrize("end", [b"\n", b""])
@pytest.mark.parametrize("mark", [b"", MARK])
@pytest.mark.parametrize("vertical", [False, True])
def test_words_without_mark_and_with_or_without_a_last_line_end(
    tmp_path: Path, vertical: bool, mark: bytes, end: bytes
) -> None:
    text = "\n\n".join("\n".join(words) for words in WORDS) if vertical else "\n".join(map(" ".join, WORDS))
    path = tmp_path / "words.txt"
    path.write_bytes(mark + text.encode() + end)
    items = read_stream("vertical" if vertical else "horizontal", chunks(path), str(path))
    assert [sentence.words for sentence in only_sentences(items)] == WORDS


def test_raw_text_has_no_mark_however_it_is_cut() -> None:
    data = MARK + "Ζεύς\n".encode()
    for size in range(1, len(data) + 1):
        pieces = [data[i : i + size] for i in range(0, len(data), size)]
        assert "".join(decode_text(pieces, "some.txt")) == "Ζεύς\n"
