"""Level 1: characters, lines, columns, and the numbers of words, multiword tokens and empty nodes."""

import re
from collections.abc import Iterator
from itertools import pairwise
from unicodedata import is_normalized, normalize

from dodona.data.conllu import BOM
from dodona.data.ud import COLUMNS, FORM, LEMMA, MISC, RANGE_ID
from dodona.validation.rules import Lines, Rows, Violation

WITH_SPACES = {FORM, LEMMA, MISC}
SPACE = re.compile(r"[^\S\t]")
TWO_SPACES = re.compile(r"\s\s")


def check_lines(s: Lines) -> Iterator[Violation]:
    """The characters of a sentence, the blank lines around it, and the form of its lines."""
    yield from _check_line_ends(s)
    text = s.text
    if "\ufffd" in text or "\0" in text or "\r" in text or not is_normalized("NFC", text):
        yield from _check_characters(s)
    if s.lines and not s.rows:
        yield Violation("empty-sentence", s.first, s.lines[0])
    for number, comment in s.comments:
        if s.rows and number > s.rows[0][0]:
            yield Violation("misplaced-comment", number, comment)
    for number, line, cells in s.rows:
        if not line[:1].isdigit():
            yield Violation("invalid-line", number, line)
        elif len(cells) != len(COLUMNS):
            spaces = len(cells) == 1 and len(line.split()) > 1
            expected = "columns separated by tabs; here are spaces for tabs" if spaces else ""
            columns = "column" if len(cells) == 1 else "columns"
            yield Violation("number-of-columns", number, f"{len(cells)} {columns}", expected)
        if len(cells) == len(COLUMNS):
            if "\t\t" in line or line[-1:] == "\t":
                for name, cell in zip(COLUMNS, cells, strict=True):
                    if not cell:
                        yield Violation("empty-column", number, f"{name} ''")
            if SPACE.search(line):
                yield from _check_spaces(number, cells)


def _check_line_ends(s: Lines) -> Iterator[Violation]:
    leading, end = s.block.leading, s.block.end
    if leading.startswith(BOM):
        yield Violation("byte-order-mark", 1, "U+FEFF")
    if s.has_returns:
        whole = leading + s.block.body + end
        for number, line in enumerate(whole.split(b"\n"), start=s.first - leading.count(b"\n")):
            if b"\r" in line:
                yield Violation("non-unix-newline", number, "CR LF" if line.find(b"\r") == len(line) - 1 else "CR")
    for number, blank in ((1, leading.removeprefix(BOM)), (s.last, end)):
        for k, line in enumerate(blank.split(b"\n")):
            if line.strip(b"\r"):
                yield Violation("pseudo-empty-line", number + k, line.decode())
    for k in range(leading.count(b"\n")):
        yield Violation("extra-empty-line", 1 + k, "")
    for k in range(2 if s.lines else 0, end.count(b"\n")):
        yield Violation("extra-empty-line", s.last + k, "")
    if s.lines and end.count(b"\n") < 2:
        yield Violation("missing-empty-line", s.last, s.lines[-1])


def _check_characters(s: Lines) -> Iterator[Violation]:
    for number, line in enumerate(s.lines, start=s.first):
        if "\ufffd" in line:
            yield Violation("invalid-utf", number, line[max(0, line.index("\ufffd") - 10) :][:20])
        if "\0" in line:
            yield Violation("nul-character", number, line)
        if "\r" in line:
            yield Violation("lone-return", number, line)
        cell = next((cell for cell in line.split("\t") if not is_normalized("NFC", cell)), None)
        if cell is not None:
            expected = f"NFC: {normalize('NFC', cell)!r}" if len(cell) < 40 else ""
            yield Violation("unicode-normalization", number, cell, expected)


def _check_spaces(number: int, cells: list[str]) -> Iterator[Violation]:
    in_range = RANGE_ID.fullmatch(cells[0]) is not None
    for k, cell in enumerate(cells):
        if not SPACE.search(cell):
            continue
        value = f"{COLUMNS[k]} {cell!r}"
        if k not in WITH_SPACES:
            yield Violation("invalid-whitespace", number, value)
        elif in_range and k != MISC:
            yield Violation("invalid-whitespace-mwt", number, value)
        else:
            if cell[0].isspace():
                yield Violation("leading-whitespace", number, value)
            if cell[-1].isspace():
                yield Violation("trailing-whitespace", number, value)
            if TWO_SPACES.search(cell):
                yield Violation("repeated-whitespace", number, value)


def check_numbers(s: Rows) -> Iterator[Violation]:
    """The IDs of words, multiword tokens and empty nodes."""
    for row in s.others:
        yield Violation("invalid-word-id", row.line, row.id)
    if not s.words:
        yield Violation("word-id-sequence", s.line, "no word")
    for k, row in enumerate(s.words, start=1):
        if row.id != str(k):
            if not s.others:
                yield Violation("word-id-sequence", row.line, row.id, str(k))
            break
    for row, first, last, after in s.ranges:
        if last <= first:
            yield Violation("reversed-word-interval", row.line, row.id)
        if first != after + 1:
            yield Violation("misplaced-word-interval", row.line, row.id)
        if last > len(s.words):
            yield Violation("word-interval-out", row.line, row.id, f"words as far as {len(s.words)} only")
    for before, (row, first, _, _) in pairwise(s.ranges):
        if first <= before.last:
            yield Violation("overlapping-word-intervals", row.line, f"{row.id} after {before.row.id}")
    for row, expected in s.empty:
        if row.id != expected:
            yield Violation("misplaced-empty-node", row.line, row.id, expected)
