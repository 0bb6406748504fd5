"""Word vectors in every text format, which are kept, how exactly, and what is said about files that are none."""

import gzip
import lzma
import os
import re
import struct
import subprocess
import sys
import tempfile
import threading
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dodona.errors import FormatError, OptionError
from dodona.neural.vectors import WORD_BYTES, Vectors, read_vectors

SCRIPT = Path(__file__).parents[2] / "scripts" / "vectors_text.py"
ROWS = [("the", [0.5, -1.0, 0.25]), ("of", [1e-3, 2.0, -0.0]), ("Haus", [0.0, 0.0, 0.0])]


def text(rows: Sequence[tuple[str, Sequence[float]]], header: bool = False, end: str = "\n") -> bytes:
    lines = [f"{len(rows)} {len(rows[0][1])}\n"] if header else []
    lines += [f"{word} {' '.join(map(repr, row))}{end}" for word, row in rows]
    return "".join(lines).encode()


def many(count: int, dimensions: int = 2) -> list[tuple[str, list[float]]]:
    return [(f"w{k}", [float(k), *[0.5] * (dimensions - 1)]) for k in range(count)]


def size(words: int, dimensions: int = 2) -> float:
    """The megabytes of so many words."""
    return words * (dimensions + WORD_BYTES) / 1e6


def restored(vectors: Vectors) -> NDArray[np.float64]:
    return vectors.values.astype(np.float64) * vectors.scales[:, None]


def read(folder: Path, data: bytes, megabytes: float = 1.0, wanted: Sequence[str] = ()) -> Vectors:
    (folder / "v.txt").write_bytes(data)
    return read_vectors(folder / "v.txt", megabytes, wanted)


def assert_same(vectors: Vectors, rows: Sequence[tuple[str, Sequence[float]]]) -> None:
    """The words are those of the rows, and no number is off by more than half a step of a 127th of the largest."""
    assert vectors.words == [word for word, _ in rows]
    assert vectors.values.dtype.name == "int8"
    assert vectors.scales.dtype.name == "float32"
    expected = np.array([row for _, row in rows])
    assert vectors.values.shape == expected.shape
    half = np.abs(expected).max(axis=1, keepdims=True) / 127 / 2
    assert (np.abs(restored(vectors) - expected) <= half * (1 + 1e-4) + 1e-35).all()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(text(ROWS), id="glove"),
        pytest.param(text(ROWS, header=True), id="word2vec"),
        pytest.param(text(ROWS, header=True, end=" \n"), id="fasttext"),
        pytest.param(text(ROWS, header=True, end="\r\n"), id="crlf"),
        pytest.param(text(ROWS)[:-1], id="no-line-feed-at-the-end"),
        pytest.param(text(ROWS) + b"\n \n", id="blank-lines-at-the-end"),
        pytest.param(text(ROWS, end="\r\n") + b"\r\n\t\r\n", id="blank-lines-and-crlf"),
        pytest.param(text(ROWS).replace(b"of", b" of"), id="a-space-before-a-word"),
        pytest.param(b"\xef\xbb\xbf" + text(ROWS), id="bom"),
        pytest.param(b"\xef\xbb\xbf" + text(ROWS, header=True), id="bom-and-header"),
        pytest.param(text(ROWS).replace(b" ", b"\t"), id="tabs"),
        pytest.param(text(ROWS).replace(b" ", b"  "), id="two-spaces"),
    ],
)
@pytest.mark.parametrize("extension", ["txt", "vec.gz", "txt.xz"])
def test_formats(tmp_path: Path, data: bytes, extension: str) -> None:
    if extension.endswith("gz"):
        data = gzip.compress(data)
    elif extension.endswith("xz"):
        data = lzma.compress(data)
    (tmp_path / f"v.{extension}").write_bytes(data)
    vectors = read_vectors(str(tmp_path / f"v.{extension}"))
    assert_same(vectors, ROWS)
    assert (vectors.read, vectors.skipped, vectors.dimensions) == (3, 0, 3)
    assert vectors.values.tolist() == [[64, -127, 32], [0, 127, 0], [0, 0, 0]]
    assert vectors.scales.tolist() == pytest.approx([1 / 127, 2 / 127, 0])


def test_unusual_words(tmp_path: Path) -> None:
    """A line ends with a line feed only, and a word may have spaces: the numbers are at the end."""
    words = ["7", ". . .", "at name@domain.com", "a\u2028b", "\u0085", "\u3000", "\xa0", "1\xa0000", "\ufeff", "x\x1cy"]
    words += ["1e5", "nan", "1 a", "a\rb", "a\x0bb", "𝔘", "ü" * 1000]
    rows = [(word, [0.5, float(k)]) for k, word in enumerate(words)]
    assert_same(read(tmp_path, text(rows)), rows)
    assert_same(read(tmp_path, text(rows, header=True, end=" \n")), rows)


def test_two_integers_are_a_header(tmp_path: Path) -> None:
    assert read(tmp_path, b"2 1\na 1\nb 2\n").words == ["a", "b"]
    assert read(tmp_path, b"2 1.0\na 1\nb 2\n").words == ["2", "a", "b"]
    assert read(tmp_path, b"2 1 5\na 1 5\n").words == ["2", "a"]


def test_small_and_large(tmp_path: Path) -> None:
    assert read(tmp_path, b"\xef\xbb\xbfa 1.5").words == ["a"]  # all in one line without a line feed
    assert read(tmp_path, b"a\t1\t5\n7\t1\t5\n7  8 5\n").words == ["a", "7"]
    assert read(tmp_path, b"1 10000\na" + b" 1" * 10_000).values.tolist() == [[127] * 10_000]


def test_standard_input_and_pipes(tmp_path: Path) -> None:
    code = "from dodona.neural.vectors import read_vectors; print(read_vectors('-').words)"
    done = subprocess.run([sys.executable, "-c", code], input=text(ROWS), capture_output=True, timeout=60, check=True)
    assert done.stdout.decode().strip() == "['the', 'of', 'Haus']"
    if sys.platform != "win32":
        os.mkfifo(tmp_path / "pipe")
        writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(text(ROWS),), daemon=True)
        writer.start()
        assert_same(read_vectors(tmp_path / "pipe", size(2, 3), ["Haus"]), [ROWS[0], ROWS[2]])
        writer.join(10)


def test_the_limit_keeps_the_first(tmp_path: Path) -> None:
    rows = many(1000)
    for count in (1, 2, 999, 1000, 1001):
        vectors = read(tmp_path, text(rows), size(count) + 1e-9)
        assert_same(vectors, rows[:count])
        assert vectors.read == 1000
        assert vectors.values.nbytes + WORD_BYTES * len(vectors.words) <= size(count) * 1e6
    assert len(read(tmp_path, text(rows), size(10) - 1e-6).words) == 9


@pytest.mark.parametrize(
    ("count", "wanted", "kept"),
    [
        (3, ["w9"], [0, 1, 9]),
        (3, ["w9", "w8", "absent"], [0, 8, 9]),
        (3, ["w1", "w9"], [0, 1, 9]),
        (3, ["w0", "w1", "w9"], [0, 1, 9]),
        (3, ["w9", "w8", "w7"], [7, 8, 9]),
        (3, ["w9", "w8", "w7", "w6"], [6, 7, 8]),  # even what is wanted has to keep within the limit
        (1, ["w5"], [5]),
        (20, ["w9"], list(range(10))),
        (4, ["W9"], [0, 1, 2, 3]),  # words are taken as they are
    ],
)
def test_wanted_words_come_first(tmp_path: Path, count: int, wanted: list[str], kept: list[int]) -> None:
    rows = many(10)
    assert_same(read(tmp_path, text(rows), size(count) + 1e-9, wanted), [rows[k] for k in kept])


def test_the_first_of_two_counts(tmp_path: Path) -> None:
    rows = [("a", [1.0, 2.0]), ("b", [3.0, 4.0]), ("a", [5.0, 6.0]), ("A", [7.0, 8.0]), ("b", [9.0, 0.0])]
    vectors = read(tmp_path, text(rows, header=True))
    assert_same(vectors, [rows[0], rows[1], rows[3]])
    assert vectors.read == 5
    # 'b' has lost its place to 'A', and does not come back
    assert_same(read(tmp_path, text(rows), size(2) + 1e-9, ["A", "a"]), [rows[0], rows[3]])


def test_broken_words_are_skipped_and_counted(tmp_path: Path) -> None:
    lines = [b"a 1 2", b"\xff\xfe 3 4", b" 5 6", b"  7 8", b"b\xc3 9 10", b"\xed\xa0\x80 11 12", b"c 13 14"]
    data = b"\n".join(lines)
    for header in (b"", b"7 2\n"):
        vectors = read(tmp_path, header + data)
        assert vectors.words == ["a", "c"]
        assert (vectors.read, vectors.skipped) == (2, 5)
    assert read(tmp_path, b"2 2\n\xff 1 2\na 3 4\n").words == ["a"]
    assert read(tmp_path, b"\xff 1 2\na 3 4\n").words == ["a"]


def test_extreme_numbers(tmp_path: Path) -> None:
    rows = [
        ("large", [3.4e38, -3.4e38, 1.71e38]),
        ("small", [1e-30, -1e-30, 5.04e-31]),
        ("tiny", [1e-40, -1e-45, 1e-320]),
        ("both", [3.4e38, 1e-40, -1.0]),
    ]
    vectors = read(tmp_path, text(rows))
    assert_same(vectors, rows)
    assert vectors.values.tolist() == [[127, -127, 64], [127, -127, 64], [0, 0, 0], [127, 0, 0]]
    assert_same(read(tmp_path, b"a +1 .5 5. 1E+0 -1e-2\n"), [("a", [1, 0.5, 5, 1, -0.01])])


def test_quantization_keeps_directions(tmp_path: Path) -> None:
    generator = np.random.default_rng(5)
    exact = generator.normal(size=(300, 50)) * generator.uniform(0.01, 100, size=(300, 1))
    rows = [(f"w{k}", row) for k, row in enumerate(exact.tolist())]
    vectors = read(tmp_path, text(rows))
    assert_same(vectors, rows)
    near = restored(vectors)
    cosine = (near * exact).sum(axis=1) / np.linalg.norm(near, axis=1) / np.linalg.norm(exact, axis=1)
    assert cosine.min() > 0.9998
    assert (np.abs(vectors.values).max(axis=1) == 127).all()


def selected(rows: list[tuple[str, list[float]]], count: int, wanted: set[str]) -> list[tuple[str, list[float]]]:
    """What is to be kept, said plainly: of each word the first, then the wanted, then the others, then sorted again."""
    first = [k for k, (word, _) in enumerate(rows) if word not in [other for other, _ in rows[:k]]]
    ranked = [k for k in first if rows[k][0] in wanted] + [k for k in first if rows[k][0] not in wanted]
    return [rows[k] for k in sorted(ranked[:count])]


letters = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters=" \ufeff")
any_words = st.one_of(st.sampled_from("abcdefgh"), st.text(letters, min_size=1), st.just("b c"))
floats = st.floats(width=32, allow_nan=False, allow_infinity=False)


@settings(max_examples=150, deadline=None)
@given(st.data(), st.integers(1, 5), st.booleans(), st.sampled_from(["\n", " \n", "\r\n"]))
def test_round_trip(data: st.DataObject, dimensions: int, header: bool, end: str) -> None:
    numbers = st.lists(floats, min_size=dimensions, max_size=dimensions)
    rows = data.draw(st.lists(st.tuples(any_words, numbers), min_size=1, max_size=20))
    rows = [("first", [0.5] * dimensions), *rows]
    wanted = set(data.draw(st.lists(st.sampled_from([word for word, _ in rows]))))
    count = data.draw(st.integers(1, 22))
    with tempfile.TemporaryDirectory() as folder:
        limit = size(count, dimensions) + 1e-9
        vectors = read(Path(folder), text(rows, header, end), limit, list(wanted))
    assert_same(vectors, selected(rows, count, wanted))
    assert (vectors.read, vectors.skipped) == (len(rows), 0)


BINARY = b"2 3\nthe " + struct.pack("<3f", 0.1, 0.2, -0.3) + b"\nof " + struct.pack("<3f", 1, 2, 3) + b"\n"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a 1 2\nb 1\n", ":2: 1 numbers after the word; expected 2, as in the first line"),
        (b"a 1 2\nb\n", ":2: 0 numbers after the word; expected 2, as in the first line"),
        (b"a 1 2\nb 1 2 3 4\n", ":2: 4 numbers after the word; expected 2, as in the first line"),
        (b"a 1 2\nb 1  2 3\n", ":2: 3 numbers after the word; expected 2, as in the first line"),
        (b"a 1 2 3\nb  1 2\n", ":2: 2 numbers after the word; expected 3, as in the first line"),
        (b"1 2\nb 1\n", ":2: 1 numbers after the word; expected 2, as the header says"),
        (b"2 2\na 1 2\n\n\nb 1 2 3\n", ":5: 3 numbers after the word; expected 2, as the header says"),
        (b"a 1 2\nb 1 x\n", ":2: number 2 after the word is 'x'; expected a number"),
        (b"a 1,5 2\n", ":1: number 1 after the word is '1,5'; expected a number"),
        (b"a 1 2\nb 1_0 2\n", ":2: number 1 after the word is '1_0'; expected a number"),
        (b"a 1 2\nb \xff 2\n", ":2: number 1 after the word is '�'; expected a number"),
        ("a 1 2\nb ١ 2\n".encode(), ":2: number 1 after the word is '١'; expected a number"),
        (b"a 1 2\nb 0x1 2\n", ":2: number 1 after the word is '0x1'; expected a number"),
        (
            b"a 1 2\nb 1 " + b"x" * 99 + b"\n",
            f":2: number 2 after the word is '{'x' * 40}…'; expected a number",
        ),
        (b"a 1 2\nb 1 nan\n", ":2: number 2 after the word is 'nan'; expected a finite number of at most 3.4e+38"),
        (b"a 1 2\nb -inf 1\n", ":2: number 1 after the word is '-inf'; expected a finite number of at most 3.4e+38"),
        (b"a 1 2\nb 1 1e39\n", ":2: number 2 after the word is '1e39'; expected a finite number of at most 3.4e+38"),
        (
            b"a 1 3.4028236e38\n",
            ":1: number 2 after the word is '3.4028236e38'; expected a finite number of at most 3.4e+38",
        ),
        (b"a -1e999 2\n", ":1: number 1 after the word is '-1e999'; expected a finite number of at most 3.4e+38"),
        (b"", ":1: an empty first line; expected a word and its numbers, or a header with two"),
        (b"\n", ":1: an empty first line; expected a word and its numbers, or a header with two"),
        (b"word\n", ":1: vectors of 0 dimensions; expected 1 to 10,000, separated by spaces"),
        (b"5 0\n", ":1: vectors of 0 dimensions; expected 1 to 10,000, separated by spaces"),
        (b"5 10001\n", ":1: vectors of 10001 dimensions; expected 1 to 10,000, separated by spaces"),
        (b"a" + b" 1" * 10_001, ":1: vectors of 10001 dimensions; expected 1 to 10,000, separated by spaces"),
        (b"0 5\n", ": no vectors; expected a word and its numbers in each line, in UTF-8"),
        (b"\xff 1 2\n\xfe 3 4\n", ": no vectors; expected a word and its numbers in each line, in UTF-8"),
        (
            b"3 2\na 1 2\nb 1 2\n",
            ":1: 3 vectors according to the header; expected as many as there are, 2: the file was cut off, or the "
            "header belongs to another",
        ),
        (
            b"1 2\na 1 2\nb 1 2\n",
            ":1: 1 vectors according to the header; expected as many as there are, 2: the file was cut off, or the "
            "header belongs to another",
        ),
        (b"a 1 2\nb" + b" 1" * (1 << 20), ":2: a line of more than 1 MiB; expected a word and its numbers"),
    ],
)
def test_bad_files(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(tmp_path, data)
    assert str(caught.value) == f"{tmp_path / 'v.txt'}{message}"


@pytest.mark.parametrize(
    ("data", "line"),
    [
        pytest.param(BINARY, 2, id="word2vec"),
        pytest.param(b"1 300000\nthe " + bytes(1_200_000), 2, id="word2vec-without-line-feeds"),
        pytest.param(b"\xba\x16O/\x0c\x00\x00\x00d\x00\x00\x00", 1, id="fasttext"),
        pytest.param(b"PK\x03\x04\x14\x00\x00\x00", 1, id="zip"),
        pytest.param(gzip.compress(text(ROWS), mtime=0), 1, id="gzip-by-another-name"),
        pytest.param("a 1 2\n".encode("utf-16"), 1, id="utf-16"),
    ],
)
def test_binary_files_and_how_to_convert_them(tmp_path: Path, data: bytes, line: int) -> None:
    with pytest.raises(FormatError) as caught:
        read(tmp_path, data)
    assert str(caught.value).startswith(f"{tmp_path / 'v.txt'}:{line}: binary data; expected text. ")
    assert "load_word2vec_format(FILE, binary=True).save_word2vec_format(TEXT_FILE)" in str(caught.value)


def test_unreadable_files(tmp_path: Path) -> None:
    data = text([(f"w{k}", row) for k, row in enumerate(np.random.default_rng(1).normal(size=(5000, 5)).tolist())])
    (tmp_path / "cut.gz").write_bytes(gzip.compress(data)[:-20])
    (tmp_path / "cut.xz").write_bytes(lzma.compress(data)[:-20])
    (tmp_path / "no.gz").write_bytes(data)
    for name in ("cut.gz", "cut.xz", "no.gz", "missing.txt", "."):
        with pytest.raises(FormatError, match=re.escape(str(tmp_path / name)) + ".*: cannot be read: ."):
            read_vectors(tmp_path / name, size(10, 5))


@pytest.mark.parametrize("megabytes", [0, -1, float("nan"), float("inf"), 100_000])
def test_limits_that_are_none(tmp_path: Path, megabytes: float) -> None:
    with pytest.raises(OptionError, match=r"megabytes .*: expected more than 0 and less than 100,000"):
        read(tmp_path, text(ROWS), megabytes)


def test_a_limit_too_small_for_one(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"megabytes 1e-06: expected at least 0\.000011, for one vector of .*v\.txt"):
        read(tmp_path, text(ROWS), 1e-6)
    assert len(read(tmp_path, text(ROWS), 0.000011).words) == 1


def test_vectors_left_out_must_have_as_many_numbers(tmp_path: Path) -> None:
    """Their numbers are not looked at; a wanted word's are."""
    data = b"a 1 2\nb 1 x\n"
    assert read(tmp_path, data, size(1) + 1e-9).read == 2
    with pytest.raises(FormatError, match=r":2: number 2 after the word is 'x'"):
        read(tmp_path, data, size(1) + 1e-9, ["b"])
    with pytest.raises(FormatError, match=r":2: 1 numbers after the word"):
        read(tmp_path, b"a 1 2\nb 1\n", size(1) + 1e-9)


@pytest.mark.slow
def test_memory_is_for_what_is_kept(tmp_path: Path) -> None:
    """Not for the file, here of 13 MB, nor for one that unpacks to it; not for the limit either, if it is not used."""
    line = b" 0.25 -0.125" * 10 + b"\n"
    with gzip.open(tmp_path / "v.txt.gz", "wb", 1) as packed, open(tmp_path / "v.txt", "wb") as plain:
        for k in range(100_000):
            packed.write(b"w%d" % k + line)
            plain.write(b"w%d" % k + line)
    with open(tmp_path / "few.txt", "wb") as few:
        few.write(b"w" + line)
    for name, megabytes in (("v.txt", 0.01), ("v.txt.gz", 0.01), ("few.txt", 10_000)):
        tracemalloc.start()
        try:
            vectors = read_vectors(tmp_path / name, megabytes, ["w99999"])
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert vectors.words[-1] in ("w99999", "w")
        assert peak < 3e6


def test_the_package_is_imported_without_numpy() -> None:
    code = "import sys, dodona, dodona.data; dodona.read; print('numpy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=True
    )
    assert done.stdout.decode().strip() == "False"


def converted(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False
    )


def test_array_to_text(tmp_path: Path) -> None:
    """Every number of 16 bits is the same again, and the same array gives the same bytes."""
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    array = every[np.isfinite(every)].reshape(-1, 496)
    words = [f"w{k}" for k in range(len(array) - 1)] + ["\u2028"]
    np.save(tmp_path / "a.npy", array)
    (tmp_path / "a.txt").write_text("\n".join(words) + "\n", encoding="utf-8", newline="\n")
    for out in ("1.txt.gz", "2.txt.gz"):
        done = converted(tmp_path / "a", tmp_path / out)
        assert (done.returncode, done.stdout) == (0, f"{tmp_path / out}: {len(array)} vectors\n"), done.stderr
    packed = (tmp_path / "1.txt.gz").read_bytes()
    assert packed == (tmp_path / "2.txt.gz").read_bytes()
    assert packed[4:8] == bytes(4)
    lines = gzip.decompress(packed).decode().removesuffix("\n").split("\n")
    assert [line.split(" ")[0] for line in lines] == words
    again = np.array([line.split(" ")[1:] for line in lines], np.float64).astype(np.float16)
    assert (again == array).all()
    assert read_vectors(tmp_path / "1.txt.gz").words == words


def test_array_and_words_that_do_not_match(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((3, 2), np.float16))
    (tmp_path / "a.txt").write_text("a\nb\n")
    np.save(tmp_path / "b.npy", np.zeros(3))
    for prefix, message in (("a", "2 words; expected 3"), ("b", "expected rows of float16"), ("c", "No such file")):
        done = converted(tmp_path / prefix, tmp_path / "out.txt")
        assert done.returncode == 1
        assert message in done.stderr
        assert "Traceback" not in done.stderr
        assert not (tmp_path / "out.txt").exists()
