"""Text to sentences by rules that know no language: for raw text that nobody has a tokenizer for."""

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache

from dodona.data.characters import BLANKS, FULL_STOPS
from dodona.data.conllu import LINE_LIMIT
from dodona.data.sentence import Sentence
from dodona.data.stream import Item, Pause

__all__ = ["split_by_rules"]

PARAGRAPH_LIMIT = 1 << 16
"""Characters of a paragraph after which its sentences are passed on, except for the last."""
PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n")
SENTENCE_END = re.compile(
    rf"(?:[.!?…][\"'»”’)\]]*(?=[{BLANKS}]+[^{BLANKS}a-z])|[{FULL_STOPS.replace('…', '')}][」』”]*)"
)


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
