"""Reading of a sentence line by line, for the few that the fast reader does not handle, with precise error messages."""

import re
import warnings

from dodona.errors import FormatError, FormatWarning

__all__ = ["HEAD", "Remarks", "SentenceLines", "has_spaces_for_tabs", "shortened"]

COLUMNS = 10
ID, FORM, HEAD = 0, 1, 6
RANGE = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})", re.ASCII)
SPACED = re.compile(r"[0-9]+(?:[-.][0-9]+)?(?:\t| +)\S.* ")
EMPTY_NODE = re.compile(r"(0|[1-9][0-9]{0,8})\.([1-9][0-9]{0,8})", re.ASCII)


class Remarks:
    """Warnings about one file, each kind once."""

    def __init__(self, name: str, format: str, strict: bool) -> None:
        self.name = name
        self.format = format
        self.strict = strict
        self.said: set[str] = set()

    def fault(self, line: int, message: str) -> None:
        """Report an invalid value that a parser does not need."""
        if self.strict:
            raise FormatError(f"{self.name}:{line}: {message}")
        self.say("fault", line, f"{message}; passed over, and so are more of the kind")

    def say(self, kind: str, line: int, message: str) -> None:
        if kind not in self.said:
            self.said.add(kind)
            warnings.warn(f"{self.name}:{line}: {message}", FormatWarning, stacklevel=2)


class SentenceLines:
    """A sentence line by line: separates words, multiword ranges, empty nodes and comments, and checks them."""

    def __init__(self, reader: Remarks, line: int, begin: int, table: list[list[str]]) -> None:
        self.reader = reader
        self.comments: list[str] = []  # those in mid-sentence
        self.multiword: list[tuple[int, int, str]] = []
        self.words: list[list[str]] = []
        self.rows: list[int] = []
        self.empty = 0  # empty nodes since the last word
        self.begun = 0  # the first word of the range whose line was the last one
        self.range_line = line
        for row, columns in enumerate(table, start=begin):
            if columns[ID].startswith("#"):
                self.comments.append("\t".join(columns))
                reader.say("comment", line + row, "a comment in mid-sentence; expected all before the first word")
            else:
                self._row(columns, row, line + row)
        self._check_last_range()
        if not self.words:
            raise FormatError(f"{reader.name}:{line + begin}: a sentence without words; expected at least one")

    def _row(self, columns: list[str], row: int, line: int) -> None:
        if len(columns) != COLUMNS:
            spaces = " (here are spaces for tabs)" if has_spaces_for_tabs("\t".join(columns)) else ""
            raise FormatError(
                f"{self.reader.name}:{line}: {len(columns)} columns; expected {COLUMNS}, separated by tabs{spaces}"
            )
        number = columns[ID]
        if not columns[FORM]:
            raise FormatError(f"{self.reader.name}:{line}: empty FORM; expected a word")
        if number == str(len(self.words) + 1):
            self.words.append(columns)
            self.rows.append(row)
            self.empty = self.begun = 0
        elif self.reader.format == "conllu" and RANGE.fullmatch(number):
            self._range(number, columns[FORM], line)
        elif self.reader.format == "conllu" and EMPTY_NODE.fullmatch(number):
            self._empty_node(number, line)
        else:
            raise FormatError(
                f"{self.reader.name}:{line}: word number {shortened(number)}; expected {len(self.words) + 1}"
            )

    def _range(self, number: str, form: str, line: int) -> None:
        first, last = map(int, number.split("-"))
        word = len(self.words) + 1
        if last <= first:
            self.reader.fault(line, f"multiword range {number}; expected a last word after the first")
        elif self.multiword and first <= self.multiword[-1][1]:
            before = "{}-{}".format(*self.multiword[-1])
            self.reader.fault(
                line, f"multiword range {number} overlaps {before}; expected ranges apart from each other"
            )
        elif first != word:
            self.reader.fault(line, f"multiword range {number}; expected it just before its first word, here {word}")
        else:
            self.multiword.append((first, last, form))
            self.begun = first
            self.range_line = line

    def _check_last_range(self) -> None:
        """Check that the words include the end of the last range."""
        if self.multiword and self.multiword[-1][1] > len(self.words):
            first, last, _ = self.multiword.pop()
            self.reader.fault(
                self.range_line, f"multiword range {first}-{last}; expected words as far as {len(self.words)} only"
            )

    def _empty_node(self, number: str, line: int) -> None:
        expected = f"{len(self.words)}.{self.empty + 1}"
        if self.begun:
            self.reader.fault(line, f"empty node {number}; expected word {self.begun} after its multiword range")
        elif number != expected:
            self.reader.fault(line, f"empty node {number}; expected {expected} here")
        else:
            self.empty += 1


def has_spaces_for_tabs(line: str) -> bool:
    """Whether a line looks like a row in which tabs were replaced by spaces, all of them or some."""
    return SPACED.match(line) is not None and len(line.split()) >= COLUMNS and line.count("\t") < COLUMNS - 1


def shortened(value: str) -> str:
    return repr(value if len(value) <= 40 else value[:40] + "…")
