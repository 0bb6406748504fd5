"""The words of a sentence, as positions in its bytes.

Converting every column of every word to a string would take most of the time of reading and writing, so it is done
lazily: only the start of each column is stored. A column is converted to strings when it is first used, and new values
are inserted between the unchanged bytes.
"""

from array import array
from collections.abc import Mapping, Sequence

from dodona.data.lines_of import replaced
from dodona.data.values import Values, cells

__all__ = ["Table", "line_feeds", "plain_words", "words_in_rows"]

COLUMNS = 10
WIDTH = COLUMNS + 1  # numbers kept for a word: where its columns begin, and where one more would
HEAD = 6
TAB, LINE_FEED, RETURN, DASH, ZERO, NINE, UNDERSCORE = b"\t\n\r-09_"
DIGITS = 9  # of the largest number
NOTHING, WRONG = -1, -2


class Table:
    """The columns of the words 1..n of a sentence. Made by `plain_words` or `words_in_rows`, which check them."""

    def __init__(self, body: bytes, n: int, starts: "array[int]") -> None:
        self.body = body
        self.n = n
        self.starts = starts

    def __reduce__(self) -> "tuple[type[Table], tuple[bytes, int, array[int]]]":
        return Table, (self.body, self.n, array("i", self.starts))

    def row(self, d: int) -> int:
        """How many lines are above that of word d."""
        return line_feeds(self.body, 0, self.starts[(d - 1) * WIDTH])

    def column(self, number: int) -> list[str]:
        """The values of a column, from 0 to 9."""
        data = self.body
        values = []
        for k in range(self.n):
            begin = self.starts[k * WIDTH + number]
            end = self.starts[k * WIDTH + number + 1] - 1
            values.append(data[begin:end].decode("utf-8"))
        return values

    def lacks(self, number: int) -> bool:
        """Whether all values of a column are `_`."""
        data = self.body
        for k in range(self.n):
            begin = self.starts[k * WIDTH + number]
            if self.starts[k * WIDTH + number + 1] != begin + 2 or data[begin] != UNDERSCORE:
                return False
        return True

    def heads(self) -> list[int | None]:
        """The HEAD column as numbers, None for `_`; only for words that have valid ones."""
        data = self.body
        heads: list[int | None] = []
        for k in range(self.n):
            head = read_head(data, self.starts[k * WIDTH + HEAD], self.starts[k * WIDTH + HEAD + 1] - 1)
            heads.append(head if head >= 0 else None)
        return heads

    def values(self, number: int) -> Values:
        """The values of a column, from 0 to 9, without strings."""
        return cells(self.body, self.starts, self.n, number)

    has_lists = False

    def listed(self, number: int) -> list[str] | None:
        """None: there is no list of strings here."""
        return None

    def replaced(self, columns: Mapping[int, Sequence[str] | Values]) -> bytes:
        """The bytes of the sentence with other values in these columns."""
        return replaced(self.body, self.starts, self.n, columns)


def line_feeds(data: bytes, begin: int, end: int) -> int:
    """Return the number of line feeds; bytes.count is slower when they are frequent."""
    count = 0
    for i in range(begin, end):
        count += data[i] == LINE_FEED
    return count


def plain_words(body: bytes, ranges: bool) -> tuple[Table, int, list[tuple[int, int, str]]] | None:
    """The words of lines without line end after the last, how many bytes the comments above them take, and the
    multiword ranges, if these are allowed.

    None if there is no word or any irregularity, valid or not, such as an empty node, a carriage return or a wrong
    HEAD: such sentences are read line by line.
    """
    if not body.isascii():
        try:
            body.decode()
        except UnicodeDecodeError:
            return None
    begin = 0
    while body.startswith(b"#", begin):
        begin = body.find(b"\n", begin) + 1
        if begin == 0:
            return None
    if b"\r" in body or b"\0" in body:
        return None
    starts = array("i", bytes(4 * WIDTH * (line_feeds(body, begin, len(body)) + 1)))
    multiword: list[tuple[int, int, str]] = []
    n = scan(body + b"\n", begin, len(body) + 1, starts, multiword)
    if n == WRONG or (multiword and not ranges):
        return None
    return Table(body, n, starts), begin, multiword


def scan(data: bytes, at: int, end: int, starts: "array[int]", multiword: list[tuple[int, int, str]]) -> int:
    """Store the starts of the columns of each word, and return the number of words, or WRONG."""
    word = highest = covered = 0  # covered: the last word of the last range
    after_range = False
    while at < end:
        base = word * WIDTH  # the line of a range is noted here too, until that of its first word comes
        begin = at
        at = mark(data, at, starts, base)
        if at == WRONG or starts[base + 2] == starts[base + 1] + 1:
            return WRONG
        stop = starts[base + 1] - 1
        dash = begin
        while dash < stop and data[dash] != DASH:
            dash += 1
        if read_number(data, begin, dash) != word + 1:
            return WRONG
        if dash < stop:
            last = read_number(data, dash + 1, stop)
            if after_range or word < covered or last <= word + 1:
                return WRONG
            begin, stop = starts[base + 1], starts[base + 2] - 1
            multiword.append((word + 1, last, data[begin:stop].decode("utf-8")))
            covered = last
            after_range = True
        else:
            head = read_head(data, starts[base + HEAD], starts[base + HEAD + 1] - 1)
            if head == WRONG:
                return WRONG
            highest = max(highest, head)
            word += 1
            after_range = False
    return word if word >= max(1, highest, covered) else WRONG


def mark(data: bytes, at: int, starts: "array[int]", base: int) -> int:
    """Store the starts of the columns of a line with a line feed; return the start of the next line, or WRONG."""
    starts[base] = at
    column = 1
    while True:
        while data[at] > LINE_FEED:
            at += 1
        at += 1
        if data[at - 1] == LINE_FEED:
            starts[base + column] = at
            return at if column == COLUMNS else WRONG
        if data[at - 1] == TAB:
            if column == COLUMNS:
                return WRONG
            starts[base + column] = at
            column += 1


def read_number(data: bytes, begin: int, end: int) -> int:
    """Return a valid decimal number, or WRONG."""
    if not 0 < end - begin <= DIGITS or (data[begin] == ZERO and end - begin > 1):
        return WRONG
    number = 0
    for i in range(begin, end):
        if not ZERO <= data[i] <= NINE:
            return WRONG
        number = 10 * number + data[i] - ZERO
    return number


def read_head(data: bytes, begin: int, end: int) -> int:
    """Return a number, NOTHING for `_`, or WRONG."""
    if end - begin == 1 and data[begin] == UNDERSCORE:
        return NOTHING
    return read_number(data, begin, end)


def words_in_rows(body: bytes, rows: Sequence[int]) -> Table:
    """Return the words in these lines, which are already checked; other lines are skipped."""
    starts = array("i", bytes(4 * WIDTH * len(rows)))
    find_rows(body + b"\n", rows, starts)
    return Table(body, len(rows), starts)


def find_rows(data: bytes, rows: Sequence[int], starts: "array[int]") -> None:
    at = line = base = 0
    for row in rows:
        while line < row:
            line += data[at] == LINE_FEED
            at += 1
        at = mark(data, at, starts, base)
        base += WIDTH
        line += 1
        if data[at - 2] == RETURN:
            starts[base - 1] -= 1  # a carriage return is no part of the last column
