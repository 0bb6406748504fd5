"""Reading of pretrained word vectors, in the text formats of word2vec, GloVe and fastText, as 8-bit numbers.

A line is a word and its numbers, separated by spaces. word2vec and fastText have a header, `COUNT DIMENSIONS`: a first
line of exactly two integers is one. A few words of GloVe contain spaces, so the last fields are the numbers. Lines end
with a line feed and nothing else: the words contain all the other separators of Unicode.

The numbers are stored as 8-bit integers with one scale a word. With one scale a dimension, the error would be twice as
large (100 dimensions of GloVe: 1.2 % of the length of a vector, not 0.6 %), as the longest vectors set the scale of
all; it would be known only at the end of the file, too. The price is four bytes a word.
"""

import re
from array import array
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain
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
    shape, numbered = _shape(enumerate(_lines(name), 1), name)
    room = int(megabytes * 1e6) // (shape.dimensions + WORD_BYTES)
    if not room:
        needed = (shape.dimensions + WORD_BYTES) / 1e6
        raise OptionError(f"megabytes {megabytes!r}: expected at least {needed:f}, for one vector of {name}")
    kept = _Kept(shape.dimensions, room, frozenset(wanted))
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
        if kept.takes(word):
            kept.add(word, _row(numbers, shape, f"{name}:{number}"), number)
    if shape.count not in (None, read + skipped):
        raise FormatError(
            f"{name}:{shape.line}: {shape.count} vectors according to the header; expected as many as there are, "
            f"{read + skipped}: the file was cut off, or the header belongs to another"
        )
    if not read:
        raise FormatError(f"{name}: no vectors; expected a word and its numbers in each line, in UTF-8")
    return kept.vectors(read, skipped)


@dataclass(frozen=True)
class _Shape:
    """What the first line says."""

    line: int
    dimensions: int
    count: int | None  # None without a header

    @property
    def source(self) -> str:
        return "as in the first line" if self.count is None else "as the header says"


class _Kept:
    """The vectors that are kept, in at most `room` slots. A wanted word takes the slot of the last one that is not."""

    def __init__(self, dimensions: int, room: int, wanted: frozenset[str]) -> None:
        self.dimensions = dimensions
        self.room = room
        self.wanted = wanted
        self.seen: set[str] = set()
        self.words: list[str] = []
        self.lines: list[int] = []
        self.scales = array("f")
        self.values = bytearray()
        self.others: list[int] = []  # slots of words that are not wanted, in the order of the file

    def takes(self, word: str) -> bool:
        """Return whether there is a slot for a word. Once there is none for the others, there will never be one."""
        if len(self.words) == self.room and not (self.others and word in self.wanted):
            return False
        return word not in self.seen

    def add(self, word: str, row: NDArray[np.float64], line: int) -> None:
        scale, values = _quantize(row)
        self.seen.add(word)
        if len(self.words) < self.room:
            if word not in self.wanted:
                self.others.append(len(self.words))
            self.words.append(word)
            self.lines.append(line)
            self.scales.append(scale)
            self.values += values
        else:
            slot = self.others.pop()
            self.words[slot] = word
            self.lines[slot] = line
            self.scales[slot] = scale
            self.values[slot * self.dimensions : (slot + 1) * self.dimensions] = values

    def vectors(self, read: int, skipped: int) -> Vectors:
        order = np.argsort(np.array(self.lines))
        values = np.frombuffer(self.values, np.int8).reshape(-1, self.dimensions)
        scales = np.frombuffer(self.scales, np.float32)
        return Vectors([self.words[slot] for slot in order], values[order], scales[order], read, skipped)


def _quantize(row: NDArray[np.float64]) -> tuple[float, bytes]:
    """The scale and the 8-bit numbers of a vector."""
    scale = np.float32(max(row.max(), -row.min()) / LARGEST_BYTE)
    if scale < SMALLEST_SCALE:  # as good as 0
        return 0.0, bytes(len(row))
    return float(scale), np.rint(row / np.float64(scale)).astype(np.int8).tobytes()


def _lines(name: str) -> Iterator[bytes]:
    """The lines of a file, without their line feeds and without a BOM."""
    number = 1  # of the line that `rest` begins
    rest = b""
    for chunk in chunks(name):
        *lines, rest = (rest + chunk).split(b"\n")
        if lines and number == 1:
            lines[0] = lines[0].removeprefix(BOM)
        yield from lines
        number += len(lines)
        if len(rest) > LINE_LIMIT:
            _refuse_binary(rest, f"{name}:{number}")
            raise FormatError(
                f"{name}:{number}: a line of more than {LINE_LIMIT >> 20} MiB; expected a word and its numbers"
            )
    if rest:
        yield rest.removeprefix(BOM) if number == 1 else rest


def _shape(numbered: Iterator[tuple[int, bytes]], name: str) -> tuple[_Shape, Iterator[tuple[int, bytes]]]:
    """Look at the first line, and return what it says and the lines with vectors."""
    number, first = next(numbered, (1, b""))
    location = f"{name}:{number}"
    _refuse_binary(first, location)
    header = HEADER.fullmatch(first.strip(BLANK))
    if header is None:
        count = None
        dimensions = len(first.split()) - 1
        numbered = chain([(number, first)], numbered)
    else:
        count, dimensions = int(header[1]), int(header[2])
        for second in numbered:  # at most one: binary data begin after the header
            _refuse_binary(second[1], f"{name}:{second[0]}")
            numbered = chain([second], numbered)
            break
    if dimensions < 0:
        raise FormatError(f"{location}: an empty first line; expected a word and its numbers, or a header with two")
    if not 0 < dimensions <= MAX_DIMENSIONS:
        raise FormatError(
            f"{location}: vectors of {dimensions} dimensions; expected 1 to {MAX_DIMENSIONS:,}, separated by spaces"
        )
    return _Shape(number, dimensions, count), numbered


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
        raise _wrong_count(len(fields) - 1, shape, location)
    word = fields[0].lstrip(BLANK)
    more = 0  # numbers that belong to no word: a word with spaces does not end with one
    for field in reversed(word.split()[1:]):
        if not _is_number(field):
            break
        more += 1
    if more:
        raise _wrong_count(shape.dimensions + more, shape, location)
    return word, b" ".join(fields[1:])


def _row(numbers: bytes, shape: _Shape, location: str) -> NDArray[np.float64]:
    fields = numbers.split()
    if len(fields) != shape.dimensions:
        raise _wrong_count(len(fields), shape, location)
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


def _wrong_count(count: int, shape: _Shape, location: str) -> FormatError:
    return FormatError(f"{location}: {count} numbers after the word; expected {shape.dimensions}, {shape.source}")


def _wrong_value(fields: list[bytes], location: str) -> FormatError:
    """Say what is wrong with the first value that is not a number of 32 bits."""
    for k, field in enumerate(fields, 1):
        shown = f"{location}: number {k} after the word is {shorten(field.decode(errors='replace'))}"
        if not _is_number(field):
            return FormatError(f"{shown}; expected a number")
        if not abs(float(field)) <= LARGEST_FLOAT:
            return FormatError(f"{shown}; expected a finite number of at most {LARGEST_FLOAT:.2g}")
    raise AssertionError("all values are numbers")
