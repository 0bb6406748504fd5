"""Text in UTF-8: raw, for a tokenizer, or as words, with a sentence or a word a line."""

import codecs
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache

from dodona.data.characters import BLANKS, FULL_STOPS
from dodona.data.conllu import LINE_LIMIT
from dodona.data.sentence import Sentence
from dodona.data.stream import Item, Pause
from dodona.errors import FormatError, OptionError

__all__ = ["BLANK_LIMIT", "decode_text", "read_words", "split_by_rules"]

BLANK_LIMIT = 1 << 20
"""Blanks in a row, in raw text. They are kept in MISC, so that the text can be restored; more are an error."""

PARAGRAPH_LIMIT = 1 << 16
"""Characters of a paragraph after which its sentences are passed on, except for the last."""
PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n")
SENTENCE_END = re.compile(
    rf"(?:[.!?…][\"'»”’)\]]*(?=[{BLANKS}]+[^{BLANKS}a-z])|[{FULL_STOPS.replace('…', '')}][」』”]*)"
)


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


def split_by_rules(chunks: Iterable[str]) -> Iterator[Item]:
    """Yield the sentences of a raw text, given in chunks: words by one regular expression, sentences by full stops.

    It knows no language: abbreviations end sentences, and scripts without spaces are not split into words. As with
    tokenizers that are trained, an empty line ends a sentence, and a single line break is a space.
    """
    rest = ""
    for chunk in chunks:
        if not chunk:
            yield Pause()
            continue
        *paragraphs, rest = PARAGRAPH_END.split(rest + chunk)
        for paragraph in paragraphs:
            yield from _split_sentences(paragraph)
        if len(rest) > PARAGRAPH_LIMIT:
            ends = [match.end() for match in SENTENCE_END.finditer(rest)]
            end = ends[-1] if ends else len(rest) if len(rest) > LINE_LIMIT else 0
            yield from _split_sentences(rest[:end])
            rest = rest[end:]
    yield from _split_sentences(rest)


def _split_sentences(paragraph: str) -> Iterator[Sentence]:
    begin = 0
    for end in (*(match.end() for match in SENTENCE_END.finditer(paragraph)), len(paragraph)):
        words = _word_pattern().findall(paragraph[begin:end])
        begin = end
        if words:
            yield Sentence.from_words(words)


@cache
def _word_pattern() -> "re.Pattern[str]":
    """Return what a word is by rules: letters with their marks, and inside of it a hyphen, an apostrophe, or a point
    between digits; or else a single sign."""
    marks = "".join(chr(code) for code in range(sys.maxunicode) if unicodedata.category(chr(code))[0] == "M")
    letter = rf"(?:\w|[{marks}])"
    return re.compile(rf"\d+(?:[.,:]\d+)+|{letter}+(?:[-'’]{letter}+)*|\.\.+|[^\w{BLANKS}]")
