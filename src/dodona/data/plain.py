"""Tokenized text: one sentence per line, or one word per line."""

import codecs
from collections.abc import Iterable, Iterator
from pathlib import Path

from dodona.data.blocks import LINE_LIMIT
from dodona.data.files import chunks
from dodona.data.sentence import Sentence
from dodona.errors import FormatError, OptionError

__all__ = ["read_plain", "read_text"]


def read_plain(path: str | Path, *, vertical: bool) -> Iterator[Sentence]:
    """Read tokenized sentences. Horizontal: one sentence per line, words separated by whitespace. Vertical: one word
    per line, empty lines between sentences. Compressed files and `-` as for treebanks."""
    words: list[str] = []
    number = 0
    for number, line in enumerate(_lines(str(path)), start=1):
        if vertical and line:
            words.append(line)
            continue
        if not vertical:
            words = line.split()
        if words:
            yield _sentence(words, f"{path}:{number}")
        words = []
    if words:
        yield _sentence(words, f"{path}:{number}")


def read_text(pieces: Iterable[bytes], name: str) -> Iterator[str]:
    """Yield raw text from chunks of bytes, from a file of this name; a BOM at its beginning is removed."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    line = 1
    try:
        for piece in pieces:
            text = decoder.decode(piece)
            yield text
            line += text.count("\n")
        yield decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        bad = error.object[error.start]
        line += error.object.count(b"\n", 0, error.start)
        raise FormatError(f"{name}:{line}: byte {bad:#04x} is not UTF-8; expected text in UTF-8") from error


def _sentence(words: list[str], place: str) -> Sentence:
    try:
        return Sentence.from_words(words)
    except OptionError as error:
        raise FormatError(f"{place}: {error}") from None


def _lines(name: str) -> Iterator[str]:
    number = 0
    rest = b""
    for chunk in chunks(name):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            number += 1
            yield _decoded(line, name, number)
        if len(rest) > LINE_LIMIT:
            raise FormatError(
                f"{name}:{number + 1}: a line of more than {LINE_LIMIT >> 20} MiB; expected a shorter one"
            )
    if rest:
        yield _decoded(rest, name, number + 1)


def _decoded(line: bytes, name: str, number: int) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
    except UnicodeDecodeError as error:
        raise FormatError(f"{name}:{number}: byte {line[error.start]:#04x} is not UTF-8") from error
