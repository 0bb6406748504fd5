"""Files are cut where it changes nothing: the pieces, parsed one by one, give the sentences of the whole."""

import gzip
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from samples.small_models import whole

from dodona import FormatError, Sentence
from dodona.data.conllu import read_conllu
from dodona.data.formats import decode_text, read_words
from dodona.data.stream import only_sentences
from dodona.distributed.shards import find_cuts, read_span

PIECES = [
    "a b.",
    "Zeus saw",
    " ",
    "\n",
    "\n\n",
    "\r\n\r\n",
    "\t",
    "\u3000",
    "\u2029",
    "\x85",
    "\0",
    "\x1c",
    "é",
    "木。",
    "\ufeff",
    '"',
]


def cut_shards(data: bytes, kind: str, size: int, chunk: int = 7) -> list[bytes]:
    pieces = [data[k : k + chunk] for k in range(0, len(data), chunk)]
    cuts, length = find_cuts(pieces, kind, size)
    assert length == len(data)
    places = [0, *(cut.place for cut in cuts), length]
    assert [cut.line for cut in cuts] == [1 + data[: cut.place].count(b"\n") for cut in cuts]
    return [data[begin:end] for begin, end in pairwise(places)]


def tokenized(data: bytes) -> list[tuple[list[str], list[str]]]:
    """Words and white space, without numbers."""
    sentences = whole().sentences(decode_text([data], "memory"))
    return [(sentence.words, sentence.misc) for sentence in sentences]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.integers(1, 12))
@example("a b.\n\n\ufeffa b. Zeus saw.", 1)
@example("\n\n\n\na b.\n\nZeus saw.", 1)
@example("a b.\n\n\u3000Zeus saw.", 1)
def test_a_tokenizer_sees_no_cut(text: str, size: int) -> None:
    data = text.encode()
    pieces = cut_shards(data, "text", size)
    assert [sentence for piece in pieces for sentence in tokenized(piece)] == tokenized(data)
    for piece in pieces[1:]:  # then the sentence before ended a paragraph, and this one begins one
        assert piece == piece.lstrip()
    assert len(pieces) == 1 or all(map(tokenized, pieces))


@pytest.mark.parametrize("chunk", [1, 3, 1000])
def test_cuts_come_after_the_wanted_size_and_not_later_than_they_must(chunk: int) -> None:
    data = b"\n\nAres saw.\n\nHera saw.\n \r\n\nLeto saw.\nZeus.\n\nend"
    expected = [b"\n\nAres saw.\n\n", b"Hera saw.\n \r\n\n", b"Leto saw.\nZeus.\n\nend"]
    assert cut_shards(data, "text", 9, chunk) == expected
    assert cut_shards(data, "text", 1, chunk) == [*expected[:2], b"Leto saw.\nZeus.\n\nend"]
    assert cut_shards(data, "text", 1000, chunk) == [data]
    assert cut_shards(b"", "text", 1, chunk) == [b""]


def test_paragraphs_in_other_scripts_and_damaged_text() -> None:
    assert cut_shards("木。\n\n木。\n\n\u3000木。\n\n木。 \n".encode(), "text", 1) == [
        "木。\n\n".encode(),
        "木。\n\n\u3000木。\n\n".encode(),
        "木。 \n".encode(),
    ]
    assert len(cut_shards(b"a\n\n\xff b\n\n\xe6\x9c", "text", 1)) == 1


def test_text_without_paragraphs_is_one_shard_and_long_texts_are_not_held() -> None:
    assert len(cut_shards(b"Zeus saw.\n" * 30_000, "text", 10, 1 << 16)) == 1
    long = b"Zeus saw.\n" * 30_000 + b"\nHera."
    assert cut_shards(long, "text", 10, 1 << 16) == [long[:-5], b"Hera."]


ROW = "{}\tx\t_\t_\t_\t_\t_\t_\t_\t_\n"
ONE, TWO = ROW.format(1), ROW.format(2)
BLOCKS = [f"# a\n{ONE}\n", f"{ONE}{TWO}\n", "# stray\n\n", "\n", f"{ONE} \r\n"]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(BLOCKS), max_size=8).map("".join), st.integers(1, 60))
@example(f"{ONE}\n# stray\n\n", 1)
@example(f"{ONE}\n# stray\n\n{ONE}\n", 1)
@pytest.mark.filterwarnings("ignore::dodona.FormatWarning")
def test_no_byte_of_conllu_is_lost_at_a_cut(text: str, size: int) -> None:
    data = text.encode()

    def read_again(piece: bytes) -> bytes:
        return b"".join(sentence.to_bytes() for sentence in only_sentences(read_conllu([piece], "memory")))

    assert b"".join(map(read_again, cut_shards(data, "conllu", size))) == read_again(data)


@pytest.mark.parametrize("kind", ["horizontal", "vertical"])
@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["a", "b c", "\n", "\n\n", " \n", "\r\n", "\ufeff"]), max_size=16).map("".join))
def test_words_are_cut_between_sentences(kind: str, text: str) -> None:
    def words(piece: bytes) -> list[list[str]]:
        items = read_words([piece], "memory", vertical=kind == "vertical")
        return [item.words for item in items if isinstance(item, Sentence)]

    data = text.encode()
    assert [found for piece in cut_shards(data, kind, 2) for found in words(piece)] == words(data)


@pytest.mark.parametrize("name", ["plain", "packed.gz"])
def test_a_span_of_a_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    data = bytes(range(256)) * 3000
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    for begin, end in [(0, len(data)), (0, 0), (5, 6), (300_000, 700_001), (len(data) - 1, len(data))]:
        assert b"".join(read_span(str(path), begin, end)) == data[begin:end]
    with pytest.raises(FormatError, match="has become shorter; expected 2 bytes more"):
        list(read_span(str(path), 5, len(data) + 2))
    with pytest.raises(FormatError, match="no such place: cannot be read: No such file"):
        list(read_span(str(tmp_path / "no such place"), 0, 1))
