"""Reading of pretrained word vectors, in the text formats of word2vec, GloVe and fastText, as 8-bit numbers.

A line is a word and its numbers, separated by spaces. word2vec and fastText have a header, `COUNT DIMENSIONS`: a first
line of exactly two integers is one. A few words of GloVe contain spaces, so the last fields are the numbers. Lines end
with a line feed and nothing else: the words contain all the other separators of Unicode.

The numbers are stored as 8-bit integers with one scale a word. With one scale a dimension, the error would be twice as
large (100 dimensions of GloVe: 1.2 % of the length of a vector, not 0.6 %), as the longest vectors set the scale of
all; it would be known only at the end of the file, too. The price is four bytes a word.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain, islice, takewhile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dodona.data.conllu import BOM, shorten
from dodona.data.files import chunks
from dodona.errors import FormatError, OptionError

__all__ = ["WORD_BYTES", "Vectors", "read_vectors"]

WORD_BYTES = 8
"""What a word takes in a model besides its numbers: four bytes of a fingerprint, four of a scale."""

MAX_MEGABYTES = 100_000
MAX_DIMENSIONS = 10_000
LINE_LIMIT = 1 << 20
LARGEST_BYTE = 127  # the largest 8-bit number in use; -128 is not, so that the range is the same on both sides
LARGEST_FLOAT = float(np.finfo(np.float32).max)
SMALLEST_SCALE = float(np.finfo(np.float32).tiny)  # smaller ones have fewer digits

HEADER = re.compile(rb"([0-9]{1,18})[ \t]+([0-9]{1,18})")
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
BLANK = b" \t\r"


@dataclass(frozen=True, eq=False)
class Vectors:
    """Word vectors: row k of `values`, times `scales[k]`, is the vector of `words[k]`."""

    words: list[str]  # in the order of the file, each once
    values: NDArray[np.int8]  # [words, dimensions]
    scales: NDArray[np.float32]  # one a word; 0 where all numbers are
    read: int  # how many vectors the file has, with those that are left out
    skipped: int  # lines besides, whose word is empty or not in UTF-8

    @property
    def dimensions(self) -> int:
        return int(self.values.shape[1])


def read_vectors(path: str | Path, megabytes: float = 10.0, wanted: Collection[str] = ()) -> Vectors:
    """Read word vectors from a file, `.gz` and `.xz` too, or from a pipe; `-` is standard input.

    What is kept takes at most so many megabytes in a model: `WORD_BYTES` and a byte a dimension for each word. The
    words in `wanted` come first, then others; of both the first in the file, which is sorted by frequency as a rule. If
    a word stands twice, the first counts. Nothing else stays in memory, however large the file.

    Vectors that are left out are only checked for how many numbers they have: that is many times as fast, and they
    change nothing.
    """
    if not 0 < megabytes < MAX_MEGABYTES:
        raise OptionError(f"megabytes {megabytes!r}: expected more than 0 and less than {MAX_MEGABYTES:,}")
    name = str(path)
    shape, numbered = _shape(_lines(name), name)
    room = int(megabytes * 1e6) // (shape.dimensions + WORD_BYTES)
    if not room:
        needed = (shape.dimensions + WORD_BYTES) / 1e6
        raise OptionError(f"megabytes {megabytes!r}: expected at least {needed:f}, for one vector of {name}")
    wanted = frozenset(wanted)
    kept: dict[str, tuple[float, bytes]] = {}  # scale and numbers
    others: list[str] = []  # those of these words that are not wanted: a wanted word takes the place of the last one
    read = skipped = 0
    for number, line in numbered:
        line = line.rstrip(BLANK)
        if not line:
            continue
        encoded, numbers = _parts(line, shape, f"{name}:{number}")
        try:
            word = encoded.decode()
        except UnicodeDecodeError:
            word = ""
        if not word:
            skipped += 1
            continue
        read += 1
        is_full = len(kept) == room
        if (is_full and not (others and word in wanted)) or word in kept:
            continue
        vector = _quantize(_row(numbers, shape, f"{name}:{number}"))
        if is_full:
            del kept[others.pop()]
        if word not in wanted:
            others.append(word)
        kept[word] = vector
    if shape.count not in (None, read + skipped):
        raise FormatError(
            f"{name}:1: {shape.count} vectors according to the header; expected as many as there are, "
            f"{read + skipped}: the file was cut off, or the header belongs to another"
        )
    if not read:
        raise FormatError(f"{name}: no vectors; expected a word and its numbers in each line, in UTF-8")
    values = np.frombuffer(bytearray().join(values for _, values in kept.values()), np.int8)
    scales = np.array([scale for scale, _ in kept.values()], np.float32)
    return Vectors(list(kept), values.reshape(-1, shape.dimensions), scales, read, skipped)


@dataclass(frozen=True)
class _Shape:
    """What the first line says."""

    dimensions: int
    count: int | None  # None without a header

    def wrong_count(self, count: int, location: str) -> FormatError:
        source = "as in the first line" if self.count is None else "as the header says"
        return FormatError(f"{location}: {count} numbers after the word; expected {self.dimensions}, {source}")


def _quantize(row: NDArray[np.float64]) -> tuple[float, bytes]:
    """The scale and the 8-bit numbers of a vector."""
    scale = np.float32(max(row.max(), -row.min()) / LARGEST_BYTE)
    if scale < SMALLEST_SCALE:  # as good as 0
        return 0.0, bytes(len(row))
    return float(scale), np.rint(row / np.float64(scale)).astype(np.int8).tobytes()


def _lines(name: str) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file with their numbers, without their line feeds."""
    number = 1  # of the line that `rest` begins
    rest = b""
    for chunk in chunks(name):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from enumerate(lines, number)
        number += len(lines)
        if len(rest) > LINE_LIMIT:
            _refuse_binary(rest, f"{name}:{number}")
            raise FormatError(
                f"{name}:{number}: a line of more than {LINE_LIMIT >> 20} MiB; expected a word and its numbers"
            )
    if rest:
        yield number, rest


def _shape(numbered: Iterator[tuple[int, bytes]], name: str) -> tuple[_Shape, Iterator[tuple[int, bytes]]]:
    """Look at the first line, and return what it says and the lines with vectors."""
    first = next(numbered, (1, b""))[1].removeprefix(BOM)
    _refuse_binary(first, f"{name}:1")
    header = HEADER.fullmatch(first.strip(BLANK))
    if header is None:
        shape = _Shape(len(first.split()) - 1, None)
        vectors = [(1, first)]
    else:
        shape = _Shape(int(header[2]), int(header[1]))
        vectors = list(islice(numbered, 1))
        for _, second in vectors:  # binary data begin after the header
            _refuse_binary(second, f"{name}:2")
    if shape.dimensions < 0:
        raise FormatError(f"{name}:1: an empty first line; expected a word and its numbers, or a header with two")
    if not 0 < shape.dimensions <= MAX_DIMENSIONS:
        raise FormatError(
            f"{name}:1: vectors of {shape.dimensions} dimensions; expected 1 to {MAX_DIMENSIONS:,}, separated by spaces"
        )
    return shape, chain(vectors, numbered)


def _refuse_binary(line: bytes, location: str) -> None:
    """Refuse control characters, and numbers that are not UTF-8. A word that is not does not make a file binary."""
    try:
        line.partition(b" ")[2].decode()
        binary = CONTROL.search(line) is not None
    except UnicodeDecodeError:
        binary = True
    if binary:
        raise FormatError(
            f"{location}: binary data; expected text. Unpack an archive first. Of fastText, take the file .vec, not "
            ".bin. The binary format of word2vec can be converted with gensim: "
            "KeyedVectors.load_word2vec_format(FILE, binary=True).save_word2vec_format(TEXT_FILE)"
        )


def _parts(line: bytes, shape: _Shape, location: str) -> tuple[bytes, bytes]:
    """The word of a line, empty if it has none, and its numbers. Lines with one space between fields are fast."""
    if line.count(b" ") == shape.dimensions:
        word, _, numbers = line.partition(b" ")
        return word, numbers
    fields = line.rsplit(None, shape.dimensions)
    if len(fields) == shape.dimensions and line[:1] in (b" ", b"\t"):
        return b"", b""
    if len(fields) <= shape.dimensions:
        raise shape.wrong_count(len(fields) - 1, location)
    word = fields[0].lstrip(BLANK)
    # numbers that belong to no word: a word with spaces does not end with one
    more = sum(1 for _ in takewhile(_is_number, reversed(word.split()[1:])))
    if more:
        raise shape.wrong_count(shape.dimensions + more, location)
    return word, b" ".join(fields[1:])


def _row(numbers: bytes, shape: _Shape, location: str) -> NDArray[np.float64]:
    fields = numbers.split()
    if len(fields) != shape.dimensions:
        raise shape.wrong_count(len(fields), location)
    try:
        row = np.array(list(map(float, fields)))
    except ValueError:
        raise _wrong_value(fields, location) from None
    # neither holds for NaN; Python reads 1_000, which is no number here
    if not (row.max() <= LARGEST_FLOAT and row.min() >= -LARGEST_FLOAT) or b"_" in numbers:
        raise _wrong_value(fields, location)
    return row


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return b"_" not in field


def _wrong_value(fields: list[bytes], location: str) -> FormatError:
    """Say what is wrong with the first value that is not a number of 32 bits."""
    for k, field in enumerate(fields, 1):
        shown = f"{location}: number {k} after the word is {shorten(field.decode(errors='replace'))}"
        if not _is_number(field):
            return FormatError(f"{shown}; expected a number")
        if not abs(float(field)) <= LARGEST_FLOAT:
            return FormatError(f"{shown}; expected a finite number of at most {LARGEST_FLOAT:.2g}")
    raise AssertionError("all values are numbers")
