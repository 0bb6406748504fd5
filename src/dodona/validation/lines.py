"""Level 1: characters, lines and columns."""

import re
import unicodedata
from collections.abc import Iterator

from dodona.data.conllu import BOM
from dodona.validation.rules import LINES, Spot
from dodona.validation.sentences import COLUMN_COUNT, Lines

NAMES = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
FORM, LEMMA, MISC = 1, 2, 9
WITH_SPACES = {FORM, LEMMA, MISC}
TWO_SPACES = re.compile(r"\s\s")


@LINES.rule("invalid-utf", 1, "text in UTF-8")
def invalid_utf(s: Lines) -> Iterator[Spot]:
    """Files are in UTF-8. The replacement character U+FFFD is what is left of text that was decoded wrongly."""
    if "\ufffd" in s.text:
        for number, line in enumerate(s.lines, start=s.first):
            if "\ufffd" in line:
                yield Spot(number, line[max(0, line.index("\ufffd") - 10) :][:20])


@LINES.rule("nul-character", 1, "text in UTF-8 (is this UTF-16?)", severe=True)
def nul_character(s: Lines) -> Iterator[Spot]:
    """No line has a NUL character, which programs take as the end of a text."""
    if "\0" in s.text:
        for number, line in enumerate(s.lines, start=s.first):
            if "\0" in line:
                yield Spot(number, line)


@LINES.rule("byte-order-mark", 1, "no byte order mark at the beginning")
def byte_order_mark(s: Lines) -> Iterator[Spot]:
    """A file has no byte order mark (BOM): programs that do not expect one take it as part of the first line."""
    if s.starts_with_bom:
        yield Spot(1, "U+FEFF")


@LINES.rule("non-unix-newline", 1, "LF after each line")
def non_unix_newline(s: Lines) -> Iterator[Spot]:
    """Lines end with LF alone; a carriage return would become part of the last column."""
    if s.has_returns:
        leading = s.block.leading
        whole = leading + s.block.body + s.block.end
        for number, line in enumerate(whole.split(b"\n"), start=s.first - leading.count(b"\n")):
            if b"\r" in line:
                yield Spot(number, "CR LF" if line.find(b"\r") == len(line) - 1 else "CR")


@LINES.rule("lone-return", 1, "LF after each line", severe=True)
def lone_return(s: Lines) -> Iterator[Spot]:
    """A carriage return inside a line is a line end for some programs only."""
    if s.has_returns:
        for number, line in enumerate(s.lines, start=s.first):
            if "\r" in line:
                yield Spot(number, line)


@LINES.rule("unicode-normalization", 1, "Unicode normalization form C (NFC)")
def unicode_normalization(s: Lines) -> Iterator[Spot]:
    """Text is in NFC: the same letter, written in two ways, would be two different letters for a program."""
    if not unicodedata.is_normalized("NFC", s.text):
        for number, line in enumerate(s.lines, start=s.first):
            for cell in line.split("\t"):
                if not unicodedata.is_normalized("NFC", cell):
                    yield Spot(number, cell, f"NFC: {unicodedata.normalize('NFC', cell)!r}" if len(cell) < 40 else "")
                    break


@LINES.rule("pseudo-empty-line", 1, "an empty line")
def pseudo_empty_line(s: Lines) -> Iterator[Spot]:
    """The blank line after a sentence is empty; white space in it cannot be seen, and not every program skips it."""
    for number, blank in ((1, s.block.leading.removeprefix(BOM)), (s.last, s.block.end)):
        for k, line in enumerate(blank.split(b"\n")):
            if line.strip(b"\r"):
                yield Spot(number + k, line.decode())


@LINES.rule("extra-empty-line", 1, "one empty line after each sentence, and none before the first")
def extra_empty_line(s: Lines) -> Iterator[Spot]:
    """Exactly one empty line ends a sentence; a second one would end a sentence without words."""
    for k in range(s.block.leading.count(b"\n")):
        yield Spot(1 + k, "")
    for k in range(2 if s.lines else 0, s.block.end.count(b"\n")):
        yield Spot(s.last + k, "")


@LINES.rule("missing-empty-line", 1, "an empty line after the last sentence")
def missing_empty_line(s: Lines) -> Iterator[Spot]:
    """The last sentence is followed by an empty line too; without one, files cannot be joined."""
    if s.lines and s.block.end.count(b"\n") < 2:
        yield Spot(s.last, s.lines[-1])


@LINES.rule("empty-sentence", 1, "a word after the comments", severe=True)
def empty_sentence(s: Lines) -> Iterator[Spot]:
    """A sentence has words; comments alone are none."""
    if s.lines and not s.rows:
        yield Spot(s.first, s.lines[0])


@LINES.rule("misplaced-comment", 1, "all comments before the first word")
def misplaced_comment(s: Lines) -> Iterator[Spot]:
    """Comments stand above a sentence: inside, it would not be known which word they belong to."""
    if s.rows and s.rows[0][0] != s.first + len(s.comments):
        for number, line in enumerate(s.lines, start=s.first):
            if line[:1] == "#" and number > s.rows[0][0]:
                yield Spot(number, line)


@LINES.rule("invalid-line", 1, "a comment, which begins with #, or a word, which begins with its number", severe=True)
def invalid_line(s: Lines) -> Iterator[Spot]:
    """Every line is a comment, a row that begins with a number, or empty."""
    for number, line in s.rows:
        if not line[:1].isdigit():
            yield Spot(number, line)


@LINES.rule("number-of-columns", 1, "ten columns, separated by tabs", severe=True)
def number_of_columns(s: Lines) -> Iterator[Spot]:
    """A row has ten columns with a tab between two of them."""
    for number, cells in s.cells:
        if len(cells) != COLUMN_COUNT and cells[0][:1].isdigit():
            spaces = len(cells) == 1 and len(cells[0].split()) > 1
            told = "columns separated by tabs; here are spaces for tabs" if spaces else ""
            yield Spot(number, f"{len(cells)} {'column' if len(cells) == 1 else 'columns'}", told)


@LINES.rule("empty-column", 1, "a value, `_` for nothing")
def empty_column(s: Lines) -> Iterator[Spot]:
    """No column is empty: `_` says that there is no value."""
    for number, line in s.rows:
        if "\t\t" in line or line[-1:] == "\t":
            cells = line.split("\t")
            if len(cells) == COLUMN_COUNT:
                for name, cell in zip(NAMES, cells, strict=True):
                    if not cell:
                        yield Spot(number, f"{name} ''")


@LINES.rule("invalid-whitespace", 1, "no white space in this column")
def invalid_whitespace(s: Lines) -> Iterator[Spot]:
    """Only FORM, LEMMA and MISC may have spaces."""
    for number, k, cell, _ in s.spaced:
        if k not in WITH_SPACES:
            yield Spot(number, f"{NAMES[k]} {cell!r}")


@LINES.rule("invalid-whitespace-mwt", 1, "no white space in the form of a multiword token")
def invalid_whitespace_mwt(s: Lines) -> Iterator[Spot]:
    """A multiword token is written without spaces: with a space, it would be two tokens."""
    for number, k, cell, in_range in s.spaced:
        if in_range and k in (FORM, LEMMA):
            yield Spot(number, f"{NAMES[k]} {cell!r}")


@LINES.rule("leading-whitespace", 1, "a value without white space before it")
def leading_whitespace(s: Lines) -> Iterator[Spot]:
    """Values do not begin with white space."""
    for number, k, cell, in_range in s.spaced:
        if k in WITH_SPACES and not (in_range and k < MISC) and cell[0].isspace():
            yield Spot(number, f"{NAMES[k]} {cell!r}")


@LINES.rule("trailing-whitespace", 1, "a value without white space after it")
def trailing_whitespace(s: Lines) -> Iterator[Spot]:
    """Values do not end with white space."""
    for number, k, cell, in_range in s.spaced:
        if k in WITH_SPACES and not (in_range and k < MISC) and cell[-1].isspace():
            yield Spot(number, f"{NAMES[k]} {cell!r}")


@LINES.rule("repeated-whitespace", 1, "single spaces")
def repeated_whitespace(s: Lines) -> Iterator[Spot]:
    """Inside a value there is no more than one space at a time."""
    for number, k, cell, in_range in s.spaced:
        if k in WITH_SPACES and not (in_range and k < MISC) and TWO_SPACES.search(cell):
            yield Spot(number, f"{NAMES[k]} {cell!r}")
