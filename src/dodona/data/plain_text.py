"""Text in UTF-8: raw, for a tokenizer, or as words, with a sentence or a word a line."""

import codecs
from collections.abc import Iterable, Iterator

from dodona.data.conllu import LINE_LIMIT
from dodona.data.sentence import Sentence
from dodona.data.stream import Item, Pause
from dodona.errors import FormatError, OptionError

__all__ = ["BLANK_LIMIT", "decode_text", "read_words"]

BLANK_LIMIT = 1 << 20
"""Blanks in a row, in raw text. They are kept in MISC, so that the text can be restored; more are an error."""


def read_words(chunks: Iterable[bytes], name: str, *, vertical: bool) -> Iterator[Item]:
    """Yield the tokenized sentences in chunks of bytes, from a file of this name, and a pause for each empty chunk.

    Horizontal: one sentence per line, words separated by whitespace. Vertical: one word per line, empty lines between
    sentences.
    """
    words: list[str] = []
    number = 0
    for number, line in _split_lines(chunks, name):
        if line is None:
            yield Pause()
            continue
        if vertical and line:
            words.append(line)
            continue
        if not vertical:
            words = line.split()
        if words:
            yield _make_sentence(words, f"{name}:{number}")
        words = []
    if words:
        yield _make_sentence(words, f"{name}:{number}")


def _make_sentence(words: list[str], location: str) -> Sentence:
    try:
        return Sentence.from_words(words)
    except OptionError as error:
        raise FormatError(f"{location}: {error}") from None


def _split_lines(chunks: Iterable[bytes], name: str) -> Iterator[tuple[int, str | None]]:
    """Yield the lines with their numbers, without whitespace at their ends; None for a pause."""
    number = 0
    rest = b""
    for chunk in chunks:
        if not chunk:
            yield number, None
            continue
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            number += 1
            yield number, _decode_line(line, name, number)
        if len(rest) > LINE_LIMIT:
            size = f"{LINE_LIMIT >> 20} MiB"
            raise FormatError(f"{name}:{number + 1}: a line of more than {size}; expected a shorter one")
    if rest:
        yield number + 1, _decode_line(rest, name, number + 1)


def _decode_line(line: bytes, name: str, number: int) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
    except UnicodeDecodeError as error:
        raise FormatError(f"{name}:{number}: byte {line[error.start]:#04x} is not UTF-8") from error


def decode_text(chunks: Iterable[bytes], name: str) -> Iterator[str]:
    """Yield raw text from chunks of bytes, from a file of this name; a BOM at its beginning is removed.

    An empty chunk (a pause) is an empty text; one comes before an error, too.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    line = 1
    blanks = 0
    try:
        for chunk in chunks:
            text = decoder.decode(chunk)
            blanks = _count_blanks(text, blanks)
            if blanks > BLANK_LIMIT:
                yield ""
                raise FormatError(f"{name}:{line}: more than {BLANK_LIMIT:,} blanks in a row; expected a text")
            if text or not chunk:
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


def _count_blanks(text: str, before: int) -> int:
    """Return how many blanks come last, in a text after so many others, or more than BLANK_LIMIT if they come first."""
    text = text.replace("\0", " ")
    after = len(text) - len(text.rstrip())
    if after == len(text):
        return before + after
    first = before + len(text) - len(text.lstrip())
    return first if first > BLANK_LIMIT else after
