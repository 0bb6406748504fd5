"""Level 1: characters, lines, columns, and the numbers of words, multiword tokens and empty nodes."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

from dodona.data.conllu import BOM
from dodona.validation.rules import COLUMN_COUNT, LINES, NUMBERS, Lines, Rows, Violation

COLUMN_NAMES = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
FORM, LEMMA, MISC = 1, 2, 9
WITH_SPACES = {FORM, LEMMA, MISC}
TWO_SPACES = re.compile(r"\s\s")


@LINES.rule("invalid-utf", 1, "text in UTF-8")
def find_invalid_utf(s: Lines) -> Iterator[Violation]:
    """Files are in UTF-8. The replacement character U+FFFD is what is left of text that was decoded wrongly."""
    if "\ufffd" in s.text:
        for number, line in enumerate(s.lines, start=s.first):
            if "\ufffd" in line:
                yield Violation(number, line[max(0, line.index("\ufffd") - 10) :][:20])


@LINES.rule("nul-character", 1, "text in UTF-8 (is this UTF-16?)", severe=True)
def find_nul_character(s: Lines) -> Iterator[Violation]:
    """No line has a NUL character, which programs take as the end of a text."""
    if "\0" in s.text:
        for number, line in enumerate(s.lines, start=s.first):
            if "\0" in line:
                yield Violation(number, line)


@LINES.rule("byte-order-mark", 1, "no byte order mark at the beginning")
def find_byte_order_mark(s: Lines) -> Iterator[Violation]:
    """A file has no byte order mark (BOM): programs that do not expect one take it as part of the first line."""
    if s.starts_with_bom:
        yield Violation(1, "U+FEFF")


@LINES.rule("non-unix-newline", 1, "LF after each line")
def find_non_unix_newline(s: Lines) -> Iterator[Violation]:
    """Lines end with LF alone; a carriage return would become part of the last column."""
    if s.has_returns:
        leading = s.block.leading
        whole = leading + s.block.body + s.block.end
        for number, line in enumerate(whole.split(b"\n"), start=s.first - leading.count(b"\n")):
            if b"\r" in line:
                yield Violation(number, "CR LF" if line.find(b"\r") == len(line) - 1 else "CR")


@LINES.rule("lone-return", 1, "LF after each line", severe=True)
def find_lone_return(s: Lines) -> Iterator[Violation]:
    """A carriage return inside a line is a line end for some programs only."""
    if s.has_returns:
        for number, line in enumerate(s.lines, start=s.first):
            if "\r" in line:
                yield Violation(number, line)


@LINES.rule("unicode-normalization", 1, "Unicode normalization form C (NFC)")
def find_unicode_normalization(s: Lines) -> Iterator[Violation]:
    """Text is in NFC: the same letter, written in two ways, would be two different letters for a program."""
    if not unicodedata.is_normalized("NFC", s.text):
        for number, line in enumerate(s.lines, start=s.first):
            for cell in line.split("\t"):
                if not unicodedata.is_normalized("NFC", cell):
                    yield Violation(
                        number, cell, f"NFC: {unicodedata.normalize('NFC', cell)!r}" if len(cell) < 40 else ""
                    )
                    break


@LINES.rule("pseudo-empty-line", 1, "an empty line")
def find_pseudo_empty_line(s: Lines) -> Iterator[Violation]:
    """The blank line after a sentence is empty; white space in it cannot be seen, and not every program skips it."""
    for number, blank in ((1, s.block.leading.removeprefix(BOM)), (s.last, s.block.end)):
        for k, line in enumerate(blank.split(b"\n")):
            if line.strip(b"\r"):
                yield Violation(number + k, line.decode())


@LINES.rule("extra-empty-line", 1, "one empty line after each sentence, and none before the first")
def find_extra_empty_line(s: Lines) -> Iterator[Violation]:
    """Exactly one empty line ends a sentence; a second one would end a sentence without words."""
    for k in range(s.block.leading.count(b"\n")):
        yield Violation(1 + k, "")
    for k in range(2 if s.lines else 0, s.block.end.count(b"\n")):
        yield Violation(s.last + k, "")


@LINES.rule("missing-empty-line", 1, "an empty line after the last sentence")
def find_missing_empty_line(s: Lines) -> Iterator[Violation]:
    """The last sentence is followed by an empty line too; without one, files cannot be joined."""
    if s.lines and s.block.end.count(b"\n") < 2:
        yield Violation(s.last, s.lines[-1])


@LINES.rule("empty-sentence", 1, "a word after the comments", severe=True)
def find_empty_sentence(s: Lines) -> Iterator[Violation]:
    """A sentence has words; comments alone are none."""
    if s.lines and not s.rows:
        yield Violation(s.first, s.lines[0])


@LINES.rule("misplaced-comment", 1, "all comments before the first word")
def find_misplaced_comment(s: Lines) -> Iterator[Violation]:
    """Comments stand above a sentence: inside, it would not be known which word they belong to."""
    if s.rows and s.rows[0][0] != s.first + len(s.comments):
        for number, line in enumerate(s.lines, start=s.first):
            if line[:1] == "#" and number > s.rows[0][0]:
                yield Violation(number, line)


@LINES.rule("invalid-line", 1, "a comment, which begins with #, or a word, which begins with its number", severe=True)
def find_invalid_line(s: Lines) -> Iterator[Violation]:
    """Every line is a comment, a row that begins with a number, or empty."""
    for number, line in s.rows:
        if not line[:1].isdigit():
            yield Violation(number, line)


@LINES.rule("number-of-columns", 1, "ten columns, separated by tabs", severe=True)
def find_number_of_columns(s: Lines) -> Iterator[Violation]:
    """A row has ten columns with a tab between two of them."""
    for number, cells in s.cells:
        if len(cells) != COLUMN_COUNT and cells[0][:1].isdigit():
            spaces = len(cells) == 1 and len(cells[0].split()) > 1
            expected = "columns separated by tabs; here are spaces for tabs" if spaces else ""
            yield Violation(number, f"{len(cells)} {'column' if len(cells) == 1 else 'columns'}", expected)


@LINES.rule("empty-column", 1, "a value, `_` for nothing")
def find_empty_column(s: Lines) -> Iterator[Violation]:
    """No column is empty: `_` says that there is no value."""
    for number, line in s.rows:
        if "\t\t" in line or line[-1:] == "\t":
            cells = line.split("\t")
            if len(cells) == COLUMN_COUNT:
                for name, cell in zip(COLUMN_NAMES, cells, strict=True):
                    if not cell:
                        yield Violation(number, f"{name} ''")


@LINES.rule("invalid-whitespace", 1, "no white space in this column")
def find_invalid_whitespace(s: Lines) -> Iterator[Violation]:
    """Only FORM, LEMMA and MISC may have spaces."""
    for number, k, cell, _ in s.spaced_values:
        if k not in WITH_SPACES:
            yield Violation(number, f"{COLUMN_NAMES[k]} {cell!r}")


@LINES.rule("invalid-whitespace-mwt", 1, "no white space in the form of a multiword token")
def find_invalid_whitespace_mwt(s: Lines) -> Iterator[Violation]:
    """A multiword token is written without spaces: with a space, it would be two tokens."""
    for number, k, cell, in_range in s.spaced_values:
        if in_range and k in (FORM, LEMMA):
            yield Violation(number, f"{COLUMN_NAMES[k]} {cell!r}")


@LINES.rule("leading-whitespace", 1, "a value without white space before it")
def find_leading_whitespace(s: Lines) -> Iterator[Violation]:
    """Values do not begin with white space."""
    for number, k, cell, in_range in s.spaced_values:
        if k in WITH_SPACES and not (in_range and k < MISC) and cell[0].isspace():
            yield Violation(number, f"{COLUMN_NAMES[k]} {cell!r}")


@LINES.rule("trailing-whitespace", 1, "a value without white space after it")
def find_trailing_whitespace(s: Lines) -> Iterator[Violation]:
    """Values do not end with white space."""
    for number, k, cell, in_range in s.spaced_values:
        if k in WITH_SPACES and not (in_range and k < MISC) and cell[-1].isspace():
            yield Violation(number, f"{COLUMN_NAMES[k]} {cell!r}")


@LINES.rule("repeated-whitespace", 1, "single spaces")
def find_repeated_whitespace(s: Lines) -> Iterator[Violation]:
    """Inside a value there is no more than one space at a time."""
    for number, k, cell, in_range in s.spaced_values:
        if k in WITH_SPACES and not (in_range and k < MISC) and TWO_SPACES.search(cell):
            yield Violation(number, f"{COLUMN_NAMES[k]} {cell!r}")


@NUMBERS.rule("invalid-word-id", 1, "3, 3-4 or 3.1, without zeros before it, up to nine digits", severe=True)
def find_invalid_word_id(s: Rows) -> Iterator[Violation]:
    """ID is the number of a word, the range of a multiword token, or the number of an empty node."""
    for row in s.others:
        yield Violation(row.line, row.id)


@NUMBERS.rule("word-id-sequence", 1, "words numbered 1, 2, 3, …", severe=True)
def find_word_id_sequence(s: Rows) -> Iterator[Violation]:
    """Words are numbered from 1 without gaps, and there is at least one."""
    if not s.words:
        yield Violation(s.line, "no word")
    if not s.in_sequence and not s.others:
        for k, row in enumerate(s.words, start=1):
            if row.id != str(k):
                yield Violation(row.line, row.id, str(k))
                return


@NUMBERS.rule("reversed-word-interval", 1, "a last word after the first", severe=True)
def find_reversed_word_interval(s: Rows) -> Iterator[Violation]:
    """The range of a multiword token has at least two words, the first one first."""
    for row, first, last, _ in s.ranges:
        if last <= first:
            yield Violation(row.line, row.id)


@NUMBERS.rule("misplaced-word-interval", 1, "the range just before its first word", severe=True)
def find_misplaced_word_interval(s: Rows) -> Iterator[Violation]:
    """The line of a multiword token stands just above that of its first word."""
    for row, first, _, after in s.ranges:
        if first != after + 1:
            yield Violation(row.line, row.id)


@NUMBERS.rule("word-interval-out", 1, "a range inside of the sentence", severe=True)
def find_word_interval_out(s: Rows) -> Iterator[Violation]:
    """A multiword token consists of words of its sentence."""
    for row, _, last, _ in s.ranges:
        if last > len(s.words):
            yield Violation(row.line, row.id, f"words as far as {len(s.words)} only")


@NUMBERS.rule("overlapping-word-intervals", 1, "ranges apart from each other", severe=True)
def find_overlapping_word_intervals(s: Rows) -> Iterator[Violation]:
    """A word belongs to one multiword token at most."""
    for before, (row, first, _, _) in pairwise(s.ranges):
        if first <= before.last:
            yield Violation(row.line, f"{row.id} after {before.row.id}")


@NUMBERS.rule("misplaced-empty-node", 1, "the next number after that of the word before", severe=True)
def find_misplaced_empty_node(s: Rows) -> Iterator[Violation]:
    """Empty nodes after word 4 are 4.1, 4.2, …; before a multiword token they stand above its line."""
    for row, expected in s.empty:
        if row.id != expected:
            yield Violation(row.line, row.id, expected)
