"""Where a file can be cut into shards so that parsing the pieces gives the same bytes as parsing the whole.

    text                 between paragraphs, before their first character: no decision of a tokenizer sees across
    conllu, conllx       after the blank line that ends a sentence
    vertical             after a blank line
    horizontal           after any line

All places are in bytes as they are decompressed.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from dodona.data.characters import BLANKS, is_blank
from dodona.data.conllu import BOM
from dodona.data.files import PACKINGS, chunks
from dodona.errors import FormatError

__all__ = ["Cut", "find_cuts", "span"]

CHUNK = 1 << 18
MARGIN = 1 << 16  # bytes that are kept to look back at
AHEAD = 4  # bytes that a character has at most
INK = re.compile(f"[^{BLANKS}]")
WORD_LINE = re.compile(rb"(?:\A|\n)[0-9]")


class Cut(NamedTuple):
    """A place, and the number of its line."""

    place: int
    line: int


class Rule(NamedTuple):
    """How files of one kind are cut: after `gap`, if what follows is right and the shard before it has a sentence."""

    gap: re.Pattern[bytes]
    may_follow: Callable[[bytes], bool]
    has_sentence: Callable[[bytes], bool]
    follows_word: bool = False  # the line before the gap must be that of a word, not a comment


def _begins_paragraph(ahead: bytes) -> bool:
    """Whether the first character is one of a token. A BOM is not: at the beginning of a file it is dropped."""
    first = ahead.decode("utf-8", "ignore")[:1]
    return not ahead.startswith(BOM) and first.encode() == ahead[: len(first.encode())] != b"" and not is_blank(first)


def _has_token(data: bytes) -> bool:
    return INK.search(data.decode("utf-8", "ignore").lstrip("\ufeff")) is not None


def _has_word(data: bytes) -> bool:
    return WORD_LINE.search(data) is not None


TABLE = Rule(re.compile(rb"\n(?:[ \t\r]*+\n)++"), lambda ahead: ahead[:1] in (b"1", b"#"), _has_word, True)
RULES = {
    "text": Rule(re.compile(rb"\n[ \t\r]*+\n[ \t\r\n]*+"), _begins_paragraph, _has_token),
    "conllu": TABLE,
    "conllx": TABLE,
    "vertical": Rule(re.compile(rb"\n[ \t\r]*+\n"), lambda ahead: not ahead.startswith(BOM), lambda data: True),
    "horizontal": Rule(re.compile(rb"\n"), lambda ahead: not ahead.startswith(BOM), lambda data: True),
}


def find_cuts(pieces: Iterable[bytes], kind: str, size: int) -> tuple[list[Cut], int]:
    """Return where a file is cut, at the first good place after every `size` bytes; and how many bytes it has."""
    rule = RULES[kind]
    cuts: list[Cut] = []
    held = b""
    at, line, begin = 0, 1, 0  # of `held`; the beginning of the shard
    sentence = False  # whether the shard has one before `held`
    for piece in pieces:
        held += piece
        while (cut := _first_cut(held, max(0, begin + size - at), rule, sentence)) is not None:
            line += held.count(b"\n", 0, cut)
            at += cut
            begin, held, sentence = at, held[cut:], False
            cuts.append(Cut(at, line))
        spare = len(held) - MARGIN
        if spare > 0:
            sentence = sentence or rule.has_sentence(held[:spare])
            line += held.count(b"\n", 0, spare)
            at += spare
            held = held[spare:]
    if cuts and not (sentence or rule.has_sentence(held)):
        cuts.pop()  # nothing but comments follows: they go with the last sentence
    return cuts, at + len(held)


def _first_cut(held: bytes, start: int, rule: Rule, sentence: bool) -> int | None:
    for gap in rule.gap.finditer(held, start):
        if gap.end() + AHEAD > len(held):
            return None  # more must be read to decide
        if rule.follows_word:
            before = held.rfind(b"\n", 0, gap.start())
            if before < 0 or not held[before + 1 : before + 2].isdigit():
                continue
        if rule.may_follow(held[gap.end() : gap.end() + AHEAD]) and (
            sentence or rule.has_sentence(held[: gap.start()])
        ):
            return gap.end()
    return None


def span(path: str, begin: int, end: int) -> Iterator[bytes]:
    """Yield the decompressed bytes of a file between two places. A compressed file is read from its beginning."""
    left = end - begin
    if left == 0:
        return
    for piece in _skipped(chunks(path), begin) if path[-3:] in PACKINGS else _bytes_from(path, begin):
        yield piece[:left]
        left -= min(left, len(piece))
        if left == 0:
            return
    raise FormatError(f"{path}: the file has become shorter; expected {left:,} bytes more")


def _skipped(pieces: Iterable[bytes], count: int) -> Iterator[bytes]:
    for piece in pieces:
        if count < len(piece):
            yield piece[count:]
        count -= min(count, len(piece))


def _bytes_from(path: str, begin: int) -> Iterator[bytes]:
    try:
        with open(path, "rb") as stream:
            stream.seek(begin)
            while piece := stream.read(CHUNK):
                yield piece
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror}") from error
