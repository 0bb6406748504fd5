"""Input that pauses: what is complete is passed on at once, and the bytes of the output are always the same."""

import os
import threading
import warnings
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.treebank import treebank

from dodona import FormatError, FormatWarning, Sentence, write
from dodona.data import files as inputs
from dodona.data.conllu import read_conllu
from dodona.data.files import chunks
from dodona.data.formats import decode_text, detect_format, read_words
from dodona.data.stream import Boundary, Item, Mark, Pause, interleave, only_sentences, split_batches
from dodona.parser.request import Analysis, Request, annotate

WORD = b"1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n"
PIECES = [WORD, WORD, WORD.replace(b"\n", b"\r\n"), b"# c\n", b"\n", b"\n", b" \n", b"\r\n", b"\xef\xbb\xbf", b"  "]


def words(items: Iterable[Item]) -> list[list[str] | None]:
    return [item.words if isinstance(item, Sentence) else None for item in items]


def n_best(items: Iterable[Item], count: int) -> Iterator[Item]:
    for item in items:
        if isinstance(item, Sentence):
            yield from annotate(item, [Analysis([0], ["x"])] * count, Request(nbest=count))
        else:
            yield item


def outcome(pieces: list[bytes], count: int, path: Path) -> bytes | str:
    """The bytes that are written, or the error."""
    try:
        write(n_best(read_conllu(pieces, "x"), count), path)
    except FormatError as error:
        return str(error)
    return path.read_bytes()


@settings(max_examples=150, deadline=None)
@given(
    pieces=st.lists(st.sampled_from(PIECES), max_size=10),
    cuts=st.lists(st.integers(0, 200), max_size=8),
    count=st.integers(1, 2),
)
def test_conllu_does_not_depend_on_pauses(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], cuts: list[int], count: int
) -> None:
    data = b"".join(pieces)
    ends = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    paused = [part for a, b in pairwise(ends) for part in (data[a:b], b"")]
    path = tmp_path_factory.getbasetemp() / "out.conllu"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        assert outcome(paused, count, path) == outcome([data] if data else [], count, path)


def test_what_is_around_a_sentence_is_written_once(tmp_path: Path) -> None:
    with pytest.warns(FormatWarning):
        data = outcome([b"\n# c\n\n" + WORD + b"\n\n# d\n"], 2, tmp_path / "out")
    row = WORD.replace(b"_\t_\t_\t_\n", b"0\tx\t_\t_\n")
    first, second = (b"# nbest = %d\n# score = 0.000000\n" % rank + row for rank in (1, 2))
    assert data == b"\n# c\n\n" + first + b"\n" + second + b"\n\n# d\n"


@pytest.mark.parametrize("mark", [Pause(), Boundary("x"), None])
@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n", b"\n \n"])
def test_files_are_joined_whatever_is_between_them(tmp_path: Path, mark: Mark | None, end: bytes) -> None:
    """The blank line that the first one lacks is written, and the BOM of the second is not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        (first,) = only_sentences(read_conllu([WORD[:-1] + end], "x"))
        (second,) = only_sentences(read_conllu([b"\xef\xbb\xbf" + WORD + b"\n"], "y"))
    write([first, *([] if mark is None else [mark, mark]), second], tmp_path / "out")
    blank = b" " if b" " in end else b""
    assert (tmp_path / "out").read_bytes() == WORD + blank + b"\n" + WORD + b"\n"


def test_a_sentence_goes_on_as_soon_as_a_blank_line_ends_it() -> None:
    *found, last = read_conllu([WORD, b"", b"\n", b"", b"# the end\n\n", b""], "x")
    assert words(found) == [None, ["a"], None, None]
    assert last == Pause(b"# the end\n\n")
    assert list(read_conllu([b"# only\n\n", b""], "x")) == [Pause(), Pause(b"# only\n\n")]


def test_line_numbers_go_on_after_a_pause() -> None:
    pieces = [b"\n" + WORD + b"\n", b"", b"\n\n" + WORD + b"\n", b"", b"\n" + WORD + b"cut\n"]
    with pytest.warns(FormatWarning), pytest.raises(FormatError, match="x:10: 1 columns"):
        list(read_conllu(pieces, "x"))


def test_everything_before_an_error_is_passed_on() -> None:
    stream = read_conllu([WORD + b"\n" + WORD + b"\n" + b"1\tb\n\n"], "x")
    found = [next(stream) for _ in range(3)]
    assert words(found) == [["a"], ["a"], None]
    with pytest.raises(FormatError):
        next(stream)
    text = decode_text([b"one\ntw\xffo"], "x")
    assert [next(text), next(text)] == ["one\ntw", ""]
    with pytest.raises(FormatError, match="x:2: byte 0xff"):
        next(text)
    pieces = chunks("/nowhere", pauses=True)
    assert next(pieces) == b""
    with pytest.raises(FormatError, match="/nowhere: cannot be read"):
        next(pieces)


def test_lines_and_texts() -> None:
    pieces = [b"a b\nc", b"", b" d\n", b"", b"e"]
    assert words(read_words(pieces, "x", vertical=False)) == [["a", "b"], None, ["c", "d"], None, ["e"]]
    pieces = [b"a\nb\n", b"", b"\n", b"", b"c"]
    assert words(read_words(pieces, "x", vertical=True)) == [None, ["a", "b"], None, ["c"]]
    euro = "€".encode()
    assert list(decode_text([b"a" + euro[:1], euro[1:2], b"", euro[2:]], "x")) == ["a", "", "€"]
    found, rest = detect_format([b"# c\n", b"", b"1\ta", b"", b"\tb\t", b"", b"c"], "-")
    assert (found, list(rest)) == ("conllu", [b"# c\n1\ta\tb\t", b"", b"c"])


def test_batches_end_at_pauses_only() -> None:
    a, b, c = (Sentence.from_words([letter]) for letter in "abc")
    pause, boundary = Pause(), Boundary("one")
    found = list(split_batches([pause, a, boundary, pause, b, a, c], 2))
    assert found == [([], pause), ([a, boundary], None), ([], pause), ([b, a], None), ([c], None)]


def test_marks_stay_in_their_places() -> None:
    a, b = Sentence.from_words(["a"]), Sentence.from_words(["b"])
    marks = [Boundary(k) for k in range(4)]
    batch: list[Item] = [marks[0], marks[1], a, marks[2], b, marks[3]]
    copies = a.copy(), b.copy()
    found = list(interleave(batch, [a, copies[0], b, copies[1]]))
    assert found == [marks[0], marks[1], a, copies[0], marks[2], b, copies[1], marks[3]]
    only_marks: list[Mark] = [marks[0]]
    assert list(interleave(only_marks, [])) == only_marks


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_that_pauses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "PATIENCE", 0.0)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    pieces = chunks(fifo, pauses=True)
    writers: list[int] = []

    def begin() -> None:
        writers.append(os.open(fifo, os.O_WRONLY))
        os.write(writers[0], b"a")

    threading.Timer(0.1, begin).start()
    with pytest.warns(UserWarning, match="fifo: waiting for a program that writes to this named pipe"):
        assert next(pieces) == b"a"
    assert next(pieces) == b""
    os.write(writers[0], b"b")
    assert next(pieces) == b"b"
    os.write(writers[0], b"c")
    os.close(writers[0])
    assert list(pieces) == [b"c"]
    (tmp_path / "file").write_bytes(b"abc")
    assert list(chunks(tmp_path / "file", pauses=True)) == [b"abc"]


def test_batches_have_neither_too_many_sentences_nor_too_many_words() -> None:
    lengths = [3, 4, 1, 1, 1, 9, 1, 5, 2, 8, 1]
    sentences = [Sentence.from_words(["w"] * length) for length in lengths]
    batches = [list(only_sentences(items)) for items, _ in split_batches(sentences, size=3, words=8)]
    assert [list(map(len, batch)) for batch in batches] == [[3, 4, 1], [1, 1], [9], [1, 5, 2], [8], [1]]
    assert [sentence for batch in batches for sentence in batch] == sentences
    assert list(split_batches([])) == []


def test_marks_have_no_words_and_a_pause_begins_anew() -> None:
    one, four, five = (Sentence.from_words(["w"] * length) for length in (1, 4, 5))
    pause, boundary = Pause(), Boundary()
    batches = list(split_batches([four, boundary, one, five, pause, four, five], size=9, words=9))
    assert batches == [([four, boundary, one], None), ([five], pause), ([four, five], None)]


def test_a_full_batch_is_not_held_back() -> None:
    rest = iter(treebank(5))
    assert len(next(split_batches(rest, size=2))[0]) == 2
    assert len(list(rest)) == 3
