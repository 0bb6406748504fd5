"""Tokenized text: one sentence per line, or one word per line."""

import codecs
from collections.abc import Iterable, Iterator
from pathlib import Path

from dodona.data.conllu import LINE_LIMIT
from dodona.data.files import chunks
from dodona.data.sentence import Sentence
from dodona.data.stream import Item, Pause
from dodona.errors import FormatError, OptionError

__all__ = ["MOST_BLANKS", "read_plain", "read_plain_stream", "read_text"]

MOST_BLANKS = 1 << 20
"""In a row, in raw text. They are kept in MISC, so that the text can be restored; more are an error."""


def read_plain(path: str | Path, *, vertical: bool) -> Iterator[Sentence]:
    """Read tokenized sentences. Horizontal: one sentence per line, words separated by whitespace. Vertical: one word
    per line, empty lines between sentences. Compressed files and `-` as for treebanks."""
    items = read_plain_stream(chunks(path), str(path), vertical=vertical)
    return (item for item in items if isinstance(item, Sentence))


def read_plain_stream(pieces: Iterable[bytes], name: str, *, vertical: bool) -> Iterator[Item]:
    """Like `read_plain`, from chunks of bytes, with pauses: one for each empty chunk."""
    words: list[str] = []
    number = 0
    for line in _lines(pieces, name):
        if line is None:
            yield Pause()
            continue
        number += 1
        if vertical and line:
            words.append(line)
            continue
        if not vertical:
            words = line.split()
        if words:
            yield _sentence(words, f"{name}:{number}")
        words = []
    if words:
        yield _sentence(words, f"{name}:{number}")


def read_text(pieces: Iterable[bytes], name: str) -> Iterator[str]:
    """Yield raw text from chunks of bytes, from a file of this name; a BOM at its beginning is removed.

    An empty chunk (a pause) is an empty text; one comes before an error, too.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    line = 1
    blanks = 0
    try:
        for piece in pieces:
            text = decoder.decode(piece)
            blanks = _blanks(text, blanks)
            if blanks > MOST_BLANKS:
                yield ""
                raise FormatError(f"{name}:{line}: more than {MOST_BLANKS:,} blanks in a row; expected a text")
            if text or not piece:
                yield text
            line += text.count("\n")
        decoder.decode(b"", final=True)  # the end of a character may be missing
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode()
        yield before
        yield ""
        bad = error.object[error.start]
        line += before.count("\n")
        raise FormatError(f"{name}:{line}: byte {bad:#04x} is not UTF-8; expected text in UTF-8") from error


def _blanks(text: str, before: int) -> int:
    """Return how many blanks come last, in a text after so many others, or more than MOST_BLANKS if they come first."""
    text = text.replace("\0", " ")
    after = len(text) - len(text.rstrip())
    if after == len(text):
        return before + after
    first = before + len(text) - len(text.lstrip())
    return first if first > MOST_BLANKS else after


def _sentence(words: list[str], place: str) -> Sentence:
    try:
        return Sentence.from_words(words)
    except OptionError as error:
        raise FormatError(f"{place}: {error}") from None


def _lines(pieces: Iterable[bytes], name: str) -> Iterator[str | None]:
    """Yield the lines, without whitespace at their ends; None for a pause."""
    number = 0
    rest = b""
    for chunk in pieces:
        if not chunk:
            yield None
            continue
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
