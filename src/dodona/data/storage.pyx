"""How a sentence keeps its columns: as the bytes that were read, as values, or as lists of strings.

Converting every column of every word to a string would take most of the time of reading and writing. So a sentence that
was read keeps its bytes and where each column begins; a column becomes strings when it is first used, and new values
are put between the unchanged bytes. A sentence that was made keeps its columns; they become bytes when it is written.
"""

import re
from array import array as new_array

cimport cython
from cpython cimport array
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.string cimport memcpy, memset

from dodona.data.values cimport Inventory, Values, begin_of, end_of, own_values, pick_values

from dodona.data.ud import NUMBERS as _NUMBERS
from dodona.data.values import values_of

cdef enum:  # the columns of CoNLL-U, as in dodona.data.ud
    FORM = 1
    HEAD = 6
    DEPREL = 7
    MISC = 9
    COLUMNS = 10

cdef enum:
    WIDTH = 11   # numbers kept for a word: where its columns begin, and where one more would
    DIGITS = 9   # of the largest number
    NOTHING = -1
    WRONG = -2

FIRST_BLANK_LINE = re.compile(rb"^(\n[ \t\r]*\n).*", re.S)

cdef array.array NEW_ARRAY = new_array("i")
cdef dict NUMBERS = _NUMBERS
cdef Inventory DECIMALS = Inventory([str(k) for k in range(1024)])


cdef class WordRows:
    """The rows of a sentence with n words. Columns are counted from 0, the numbers of the words, to 9."""

    cdef readonly int n

    cdef bytes to_bytes(self, dict replaced):
        """Return the lines, with other values in these columns, which are values or lists of strings."""
        raise NotImplementedError

    cdef list to_list(self, int number):
        """Return a column as strings."""
        raise NotImplementedError

    cdef Values to_values(self, int number):
        """Return a column without making strings; None if there are only strings."""
        raise NotImplementedError

    cdef list heads(self):
        """Return HEAD as numbers, None for `_`."""
        raise NotImplementedError

    cdef bint lacks(self, int number) except -1:
        """Whether a column is `_` for all words."""
        raise NotImplementedError

    cdef list given_list(self, int number):
        """Return the list of strings that the rows were made from, which somebody may have changed since; or None."""
        return None


@cython.final
cdef class ReadRows(WordRows):
    """The rows of a sentence that was read. Made by `scan_rows` or `pick_rows`, which check them."""

    cdef bytes body             # the lines of the sentence, all of them
    cdef array.array starts     # WIDTH positions in `body` for each word

    def __reduce__(self):
        return restore_rows, (self.body, self.n, self.starts)

    cdef bytes to_bytes(self, dict replaced):
        if not replaced:
            return self.body
        cdef list numbers = sorted(replaced)
        cdef list new = [as_values(replaced[number], self.n) for number in numbers]
        cdef int which[COLUMNS]
        cdef void* values[COLUMNS]
        cdef int i, k, place, begin, count = len(numbers)
        cdef Py_ssize_t size = len(self.body), done = 0
        cdef const char* data = self.body
        cdef const int* starts = self.starts.data.as_ints
        for i in range(count):
            which[i], values[i] = numbers[i], <void*> new[i]
            for k in range(self.n):
                place = k * WIDTH + which[i]
                begin = begin_of(<Values> values[i], k)
                size += end_of(<Values> values[i], k) - begin - (starts[place + 1] - 1 - starts[place])
        cdef bytes lines = PyBytes_FromStringAndSize(NULL, size)
        cdef char* to = lines
        for k in range(self.n):
            for i in range(count):
                place = k * WIDTH + which[i]
                memcpy(to, data + done, starts[place] - done)
                to += starts[place] - done
                to = put(to, <Values> values[i], k)
                done = starts[place + 1] - 1
        memcpy(to, data + done, len(self.body) - done)
        return lines

    cdef list to_list(self, int number):
        cdef const char* data = self.body
        cdef const int* starts = self.starts.data.as_ints + number
        cdef int k
        cdef list values = []
        for k in range(self.n):
            values.append(data[starts[k * WIDTH] : starts[k * WIDTH + 1] - 1].decode("utf-8"))
        return values

    cdef Values to_values(self, int number):
        cdef array.array ends = array.clone(NEW_ARRAY, self.n + 1, False)
        cdef const char* data = self.body
        cdef const int* starts = self.starts.data.as_ints + number
        cdef int k, at = 0
        ends.data.as_ints[0] = 0
        for k in range(self.n):
            at += starts[k * WIDTH + 1] - 1 - starts[k * WIDTH]
            ends.data.as_ints[k + 1] = at
        cdef bytes text = PyBytes_FromStringAndSize(NULL, at)
        cdef char* to = text
        at = 0
        for k in range(self.n):
            memcpy(to + at, data + starts[k * WIDTH], ends.data.as_ints[k + 1] - at)
            at = ends.data.as_ints[k + 1]
        return own_values(text, ends)

    cdef list heads(self):
        cdef const unsigned char* data = self.body
        cdef const int* starts = self.starts.data.as_ints + HEAD
        cdef int k, head
        cdef list heads = []
        for k in range(self.n):
            head = read_head(data, starts[k * WIDTH], starts[k * WIDTH + 1] - 1)
            heads.append(head if head >= 0 else None)
        return heads

    cdef bint lacks(self, int number) except -1:
        cdef const char* data = self.body
        cdef const int* starts = self.starts.data.as_ints + number
        cdef int k, begin
        for k in range(self.n):
            begin = starts[k * WIDTH]
            if starts[k * WIDTH + 1] != begin + 2 or data[begin] != c"_":
                return False
        return True


def restore_rows(bytes body not None, int n, array.array starts not None):
    """Return the rows of lines in which the starts of the columns are known."""
    cdef ReadRows rows = ReadRows.__new__(ReadRows)
    rows.body, rows.n, rows.starts = body, n, starts
    return rows


def scan_rows(bytes body not None, bint ranges, bint whole=True):
    """Return the rows of lines without line end after the last, how many bytes the comments above them take, and the
    multiword ranges, if these are allowed.

    None if there is no word or any irregularity, valid or not, such as an empty node, a carriage return or a wrong
    HEAD: such sentences are read line by line. Unless the sentence is `whole`, words that it refers to may come later.
    """
    if not body.isascii():
        try:
            body.decode()
        except UnicodeDecodeError:
            return None
    cdef int begin = 0, n
    while body.startswith(b"#", begin):
        begin = body.find(b"\n", begin) + 1
        if begin == 0:
            return None
    if b"\r" in body or b"\0" in body:
        return None
    cdef array.array starts = array.clone(NEW_ARRAY, WIDTH * (count_feeds(body, begin, len(body)) + 1), True)
    cdef list multiword = []
    n = scan(body + b"\n", begin, len(body) + 1, starts.data.as_ints, multiword, whole)
    if n == WRONG or (multiword and not ranges):
        return None
    return restore_rows(body, n, starts), begin, multiword


def pick_rows(bytes body not None, list rows not None):
    """Return the rows in these lines, which are already checked; other lines are skipped."""
    cdef array.array starts = array.clone(NEW_ARRAY, WIDTH * len(rows), True)
    cdef bytes ended = body + b"\n"
    cdef const unsigned char* data = ended
    cdef int at = 0, line = 0, base = 0, row
    for row in rows:
        while line < row:
            line += data[at] == c"\n"
            at += 1
        at = mark(data, at, starts.data.as_ints + base)
        base += WIDTH
        line += 1
        if data[at - 2] == c"\r":
            starts.data.as_ints[base - 1] -= 1  # a carriage return is no part of the last column
    return restore_rows(body, len(rows), starts)


def count_line_feeds(bytes data not None):
    """Return the number of line feeds; bytes.count is slower when they are frequent."""
    return count_feeds(data, 0, len(data))


cdef int count_feeds(const unsigned char* data, Py_ssize_t begin, Py_ssize_t end) noexcept:
    cdef int count = 0
    cdef Py_ssize_t i
    for i in range(begin, end):
        count += data[i] == c"\n"
    return count


cdef int scan(const unsigned char* data, int at, int end, int* starts, list multiword, bint whole) except? -3:
    """Store the starts of the columns of each word, and return the number of words, or WRONG."""
    cdef int word = 0, highest = 0, covered = 0  # covered: the last word of the last range
    cdef bint after_range = False
    cdef int* row
    cdef int begin, stop, dash, last, head
    while at < end:
        row = starts + word * WIDTH  # the line of a range is noted here too, until that of its first word comes
        begin = at
        at = mark(data, at, row)
        if at == WRONG or row[FORM + 1] == row[FORM] + 1:
            return WRONG
        stop = row[FORM] - 1
        dash = begin
        while dash < stop and data[dash] != c"-":
            dash += 1
        if read_number(data, begin, dash) != word + 1:
            return WRONG
        if dash < stop:
            last = read_number(data, dash + 1, stop)
            if after_range or word < covered or last <= word + 1:
                return WRONG
            multiword.append((word + 1, last, data[row[FORM] : row[FORM + 1] - 1].decode("utf-8")))
            covered = last
            after_range = True
        else:
            head = read_head(data, row[HEAD], row[HEAD + 1] - 1)
            if head == WRONG:
                return WRONG
            highest = max(highest, head)
            word += 1
            after_range = False
    return word if word >= (max(1, highest, covered) if whole else 1) else WRONG


cdef int mark(const unsigned char* data, int at, int* starts) noexcept nogil:
    """Store the starts of the columns of a line with a line feed; return the start of the next line, or WRONG."""
    cdef int column = 1
    starts[0] = at
    while True:
        while data[at] > c"\n":
            at += 1
        at += 1
        if data[at - 1] == c"\n":
            starts[column] = at
            return at if column == COLUMNS else WRONG
        if data[at - 1] == c"\t":
            if column == COLUMNS:
                return WRONG
            starts[column] = at
            column += 1


cdef int read_number(const unsigned char* data, int begin, int end) noexcept nogil:
    """Return a valid decimal number, or WRONG."""
    cdef int number = 0, i
    if not 0 < end - begin <= DIGITS or (data[begin] == c"0" and end - begin > 1):
        return WRONG
    for i in range(begin, end):
        if not c"0" <= data[i] <= c"9":
            return WRONG
        number = 10 * number + data[i] - c"0"
    return number


cdef int read_head(const unsigned char* data, int begin, int end) noexcept nogil:
    """Return a number, NOTHING for `_`, or WRONG."""
    if end - begin == 1 and data[begin] == c"_":
        return NOTHING
    return read_number(data, begin, end)


@cython.final
cdef class MadeRows(WordRows):
    """The rows of a sentence that was made. The columns are already checked."""

    cdef bytes header    # the comments
    cdef dict columns    # by number: values, or lists of strings; the others are `_`
    cdef dict between    # the lines of multiword ranges and empty nodes, by the word that comes after them
    cdef bint has_lists  # of strings, which somebody may have, and may have changed
    cdef bint is_new     # from a tokenizer, and no parse has written anything into them

    def __init__(self, int n, bytes header not None, dict columns not None, dict between not None):
        self.n, self.header, self.columns, self.between = n, header, columns, between
        self.has_lists = list in map(type, columns.values())

    def __reduce__(self):
        return MadeRows, (self.n, self.header, self.columns, self.between)

    cdef bytes to_bytes(self, dict replaced):
        return write_rows(self.header, self.n, {**self.columns, **replaced}, self.between)

    cdef list to_list(self, int number):
        values = self.columns.get(number)
        return ["_"] * self.n if values is None else values.strings() if isinstance(values, Values) else values

    cdef Values to_values(self, int number):
        values = self.columns.get(number)
        return values if isinstance(values, Values) else None

    cdef list heads(self):
        return [None if head == "_" else int(head) for head in self.to_list(HEAD)]

    cdef bint lacks(self, int number) except -1:
        values = self.columns.get(number)
        return values is None or (values.lacks() if isinstance(values, Values) else values.count("_") == self.n)

    cdef list given_list(self, int number):
        values = self.columns.get(number)
        return values if isinstance(values, list) else None


cdef bytes write_rows(bytes header, int n, dict columns, dict between):
    cdef void* values[COLUMNS]
    cdef int i, k, begin
    cdef Py_ssize_t size = len(header) - 1  # no line feed after the last line
    cdef list kept = [None] * COLUMNS
    cdef dict others = {
        word: lines.encode() + b"\n" if word <= n else b"\n" + lines.encode() for word, lines in between.items()
    }
    for lines in others.values():
        size += len(lines)
    memset(values, 0, sizeof(values))
    for i, column in columns.items():
        kept[i] = as_values(column, n)
        values[i] = <void*> kept[i]
        for k in range(n):
            begin = begin_of(<Values> values[i], k)
            size += end_of(<Values> values[i], k) - begin
    size += (COLUMNS + COLUMNS - 1 - len(columns)) * <Py_ssize_t> n + count_digits(n)  # tabs, line feeds and `_`
    cdef bytes written = PyBytes_FromStringAndSize(NULL, size)
    cdef char* to = written
    memcpy(to, <const char*> header, len(header))
    to += len(header)
    for k in range(n):
        if others:
            to = put_lines(to, others.get(k + 1))
        to = put_number(to, k + 1)
        for i in range(1, COLUMNS):
            to[0] = c"\t"
            to += 1
            if values[i] == NULL:
                to[0] = c"_"
                to += 1
            else:
                to = put(to, <Values> values[i], k)
        if k + 1 < n:
            to[0] = c"\n"
            to += 1
    if others:
        put_lines(to, others.get(n + 1))
    return written


cdef Values as_values(column, int n):
    cdef Values values = column if isinstance(column, Values) else values_of(list(column))
    if values.n != n:
        raise ValueError(f"{values.n} values; expected {n}")
    return values


cdef inline char* put(char* to, Values values, int k) noexcept:
    cdef int begin = begin_of(values, k)
    cdef int size = end_of(values, k) - begin
    memcpy(to, values.text + begin, size)
    return to + size


cdef char* put_lines(char* to, bytes lines):
    if lines is None:
        return to
    memcpy(to, <const char*> lines, len(lines))
    return to + len(lines)


cdef Py_ssize_t count_digits(int n):
    """Return the number of digits of all numbers from 1 to n."""
    cdef Py_ssize_t count = 0, least = 1
    while least <= n:
        count += n - least + 1
        least *= 10
    return count


cdef inline char* put_number(char* to, int number) noexcept:
    cdef char[12] digits
    cdef int size = 0
    while number > 0:
        digits[size] = <char> (c"0" + number % 10)
        number //= 10
        size += 1
    while size > 0:
        size -= 1
        to[0] = digits[size]
        to += 1
    return to


cdef list heads_of(Values values):
    """Return HEAD as numbers, None for `_`. Values that were picked from the numerals have the numbers themselves."""
    if values.inventory is DECIMALS:
        return values.numbers.tolist()
    return [None if head == "_" else int(head) for head in values.strings()]


cdef class Storage:
    """The storage of a sentence. Most of it is for readers and components, which know that what they give is valid."""

    cdef public str file
    cdef public int line
    cdef public str format
    cdef public list multiword
    cdef public list offsets
    cdef WordRows table
    cdef dict replaced          # by number: values, or lists of strings
    cdef list lists             # by number: columns that were looked at; None if there are none
    cdef list own_comments      # None as long as nobody has looked
    cdef bint has_new_comments
    cdef Values own_forms
    cdef bytes before, end, after

    def __init__(
        self, str file not None, int line, str format not None, WordRows rows not None, bytes end not None,
        list comments, list multiword not None,
    ):
        """For readers; use `from_words` to create a sentence. `end` are the bytes after the rows."""
        self.file, self.line, self.format = file, line, format
        self.table, self.replaced = rows, {}
        self.own_comments, self.multiword = comments, multiword
        self.before, self.end, self.after = b"", end, b""

    def __reduce__(self):
        return restore, (
            type(self), self.table, dict(self.replaced), self.file, self.line, self.format, self.multiword,
            self.offsets, None if self.lists is None else list(self.lists), self.own_comments, self.has_new_comments,
            self.before, self.end, self.after,
        )

    def copy(self):
        """Return a copy of the sentence, which shares no list with it."""
        cdef Storage other
        make, parts = self.__reduce__()
        other = make(*parts)
        other.copy_lists()
        return other

    cdef int copy_lists(self) except -1:
        """Give the sentence lists of its own. A list that stands in two places still does."""
        cdef dict copies = {}
        cdef MadeRows made
        self.multiword, self.offsets = copy_list(self.multiword, copies), copy_list(self.offsets, copies)
        self.own_comments = copy_list(self.own_comments, copies)
        self.replaced = {number: copy_list(values, copies) for number, values in self.replaced.items()}
        if self.lists is not None:
            self.lists = [copy_list(values, copies) for values in self.lists]
        if isinstance(self.table, MadeRows) and (<MadeRows> self.table).has_lists:
            made = self.table
            columns = {number: copy_list(values, copies) for number, values in made.columns.items()}
            self.table = MadeRows(made.n, made.header, columns, made.between)
            (<MadeRows> self.table).is_new = made.is_new
        return 0

    def repeat(self, int count):
        """Return the sentence and copies of it, to be written in a row: what is around it is not repeated."""
        cdef Storage other
        sentences = [self, *(self.copy() for _ in range(count - 1))]
        for other in sentences[1:]:
            other.before = b""
        for other in sentences[: count - 1]:
            other.end, other.after = FIRST_BLANK_LINE.sub(rb"\1", other.end), b""
        return sentences

    def __len__(self):
        return self.table.n

    @property
    def comments(self):
        """The comments, whole lines."""
        if self.own_comments is None:
            header = (<MadeRows?> self.table).header.decode()
            self.own_comments = header.removesuffix("\n").split("\n") if header else []
        return self.own_comments

    def accept_comments(self, list lines not None):
        """Replace all comments, without checks."""
        self.own_comments, self.has_new_comments = lines, True

    def list_column(self, int number):
        """Return a column as a list of strings, or of numbers for HEAD; it is converted when it is first used."""
        cdef list column = self.lists[number] if self.lists is not None else None
        if column is not None:
            return column
        values = self.replaced.get(number)
        if number == HEAD:
            column = heads_of(<Values> values) if isinstance(values, Values) else self.table.heads()
        else:
            column = values.strings() if isinstance(values, Values) else self.table.to_list(number)
        self.keep(number, column)
        return column

    cdef int keep(self, int number, list column) except -1:
        """Let a column be read as this list; None: let it be converted again when it is next used."""
        if self.lists is None and column is not None:
            self.lists = [None] * COLUMNS
        if self.lists is not None:
            self.lists[number] = column
        return 0

    def keep_column(self, str name not None, list column not None):
        """Let a column be read as this list, without any change of the output; for readers."""
        self.keep(NUMBERS[name], column)

    def accept_column(self, str name not None, column):
        """Replace a column by values or by a list, without checks and without a copy; for components."""
        self.accept(NUMBERS[name], column)

    cdef int accept(self, int number, column) except -1:
        self.keep(number, None if isinstance(column, Values) else column)
        self.replaced[number] = column
        return 0

    def accept_heads(self, list heads not None):
        """Replace HEAD by numbers, or None for `_`, without checks."""
        self.keep(HEAD, heads)
        self.replaced[HEAD] = ["_" if head is None else str(head) for head in heads]

    def accept_tree(self, list heads not None, list labels not None):
        """Replace HEAD and DEPREL without checks; for parsers."""
        self.accept_heads(list(heads))
        self.accept(DEPREL, labels)

    cdef int accept_arcs(self, array.array heads, Values labels) except -1:
        """Replace HEAD and DEPREL by numbers and values, which become lists only if somebody looks."""
        if len(heads) < len(DECIMALS.values):
            self.accept(HEAD, pick_values(DECIMALS, heads))
        else:
            self.accept_heads(heads.tolist())
        self.accept(DEPREL, labels)
        return 0

    def column(self, str name not None):
        """Return a column without making strings: values where there are no strings yet, or else the list; for
        components."""
        cdef int number = NUMBERS[name]
        values = self.replaced.get(number)
        if values is None and (self.lists is None or self.lists[number] is None):
            values = self.table.to_values(number)
        return values if isinstance(values, Values) else self.list_column(number)

    def forms(self):
        """Return the words as values; for components. They are kept until `refresh` is called."""
        if self.own_forms is None:
            self.refresh()
        return self.own_forms

    def refresh(self):
        """Take the words from their list once more, if there is one: somebody may have changed it."""
        forms = self.column("words")
        self.own_forms = forms if isinstance(forms, Values) else values_of(forms)

    cdef bint has_lists(self):
        """Whether there are any lists that somebody may have, and may have changed."""
        return self.lists is not None or (isinstance(self.table, MadeRows) and (<MadeRows> self.table).has_lists)

    def find_list(self, str name not None):
        """Return a column if there is a list of strings that somebody may have, and may have changed."""
        cdef int number = NUMBERS[name]
        if self.lists is not None and self.lists[number] is not None:
            return self.lists[number]
        return self.table.given_list(number) if number not in self.replaced else None

    def lacks(self, str name not None):
        """Whether a column is `_` for all words."""
        cdef int number = NUMBERS[name]
        values = self.replaced.get(number)
        if values is None:
            return self.table.lacks(number)
        return values.lacks() if isinstance(values, Values) else values.count("_") == len(self)

    cdef bint may_mention(self, tuple words) except -1:
        """Whether one of these words may be in the comments or in MISC."""
        if isinstance(self.table, MadeRows):  # as the tokenizer made it, no parse has written anything
            return self.lists is not None or self.has_new_comments or not (<MadeRows> self.table).is_new
        if self.has_new_comments or MISC in self.replaced:
            return True
        cdef bytes body = (<ReadRows> self.table).body
        for word in words:
            if word in body:
                return True
        return False

    @property
    def has_words_only(self):
        """Whether it is certain that there are no rows of multiword ranges and empty nodes."""
        return isinstance(self.table, MadeRows) and not (<MadeRows> self.table).between

    def rows(self):
        """Return the ten columns of each line that is no comment, as it was read or made."""
        lines = self.table.to_bytes({}).decode().split("\n")
        return [line.removesuffix("\r").split("\t") for line in lines if not line.startswith("#")]

    def word_line(self, int d):
        """Return the number of the line of word d in the file."""
        lines = self.table.to_bytes({}).split(b"\n")
        return self.line + next(i for i, line in enumerate(lines) if line.startswith(b"%d\t" % d))

    def to_bytes(self):
        """Return the sentence exactly as it was read, except for replaced columns."""
        cdef bytes body = self.table.to_bytes(self.replaced)
        if self.has_new_comments:
            body = self.replace_comments(body)
        return b"".join((self.before, body, self.end, self.after))

    cdef bytes replace_comments(self, bytes body):
        kept = [line for line in body.split(b"\n") if not line.startswith(b"#")]
        end = b"\r" if kept[0].endswith(b"\r") else b""
        return b"\n".join([comment.encode() + end for comment in self.comments] + kept)

    def find_stray_comments(self):
        """Return the comments before the sentence that a blank line separates from it."""
        lines = self.before.decode("utf-8-sig").replace("\r\n", "\n").split("\n")
        return [line for line in lines if line.startswith("#")]

    def enclosing(self):
        """Return what was read before and after the sentence and belongs to none: a BOM, blank lines, comments that
        stand alone."""
        return self.before, self.after

    def enclose(self, bytes before=b"", bytes after=b""):
        """Add bytes that belong to no sentence: a BOM, blank lines, comments that stand alone."""
        self.before = before + self.before
        self.after += after


cdef copy_list(values, dict copies):
    """Return a copy of a list, the same one each time; anything else as it is."""
    if not isinstance(values, list):
        return values
    if id(values) not in copies:
        copies[id(values)] = values.copy()
    return copies[id(values)]


def restore(kind, WordRows rows, dict replaced, *others):
    """Return a sentence that was taken apart, by `pickle` or `copy`."""
    cdef Storage made = kind.__new__(kind)
    made.table, made.replaced = rows, replaced
    (
        made.file, made.line, made.format, made.multiword, made.offsets, made.lists, made.own_comments,
        made.has_new_comments, made.before, made.end, made.after,
    ) = others
    return made


# What follows is done to each sentence of a batch: sentences are many, and in Python each of these steps would take as
# long as the parse of a word.


def make_sentence(kind, bytes header not None, Values forms not None, Values misc, list multiword, dict between):
    """Return a sentence of a tokenizer; MISC may be None."""
    cdef Storage made = kind.__new__(kind)
    cdef MadeRows rows = MadeRows.__new__(MadeRows)
    rows.n, rows.header, rows.between, rows.is_new = forms.n, header, between, True
    rows.columns = {FORM: forms} if misc is None else {FORM: forms, MISC: misc}
    made.file, made.line, made.format = "", 1, "conllu"
    made.table, made.replaced, made.multiword = rows, {}, multiword
    made.before, made.end, made.after, made.own_forms = b"", b"\n\n", b"", forms
    return made


def select_listed(list sentences not None):
    """Return the sentences with lists that somebody may have changed. Those without lists need no checks."""
    cdef Storage one
    return [one for one in sentences if one.has_lists()]


def select_mentioning(list sentences not None, tuple words not None):
    """Return the sentences that may have one of these words, as bytes, in a comment or in MISC."""
    cdef Storage one
    return [one for one in sentences if one.may_mention(words)]


def select_lacking(list sentences not None, str name not None):
    """Return the sentences with nothing but `_` in a column."""
    cdef Storage one
    return [one for one in sentences if one.lacks(name)]


def forms_of(list sentences not None):
    """Return the words of each sentence as values."""
    cdef Storage one
    return [one.own_forms if one.own_forms is not None else one.forms() for one in sentences]


def columns_of(list sentences not None, str name not None):
    """Return a column of each sentence, as values or as a list."""
    cdef Storage one
    return [one.column(name) for one in sentences]


def fill_in(list sentences not None, str name not None, list columns not None):
    """Give each sentence a column."""
    cdef Py_ssize_t i
    cdef int number = NUMBERS[name]
    for i in range(len(sentences)):
        (<Storage?> sentences[i]).accept(number, columns[i])


def fill_in_tags(list sentences not None, list inventories not None, list numbers not None):
    """Give each sentence the columns that have inventories, by name; the numbers are valid for all of them."""
    cdef Inventory inventory
    for name, inventory in inventories:
        fill_in(sentences, name, [pick_values(inventory, own) for own in numbers])


def fill_in_arcs(
    list sentences not None, list arcs not None, Inventory labels not None, const unsigned char[::1] lifted
):
    """Give each sentence its heads and labels, which are valid; return the numbers of those that have a lifted arc, by
    its label, and are left as they are."""
    cdef Py_ssize_t i, k
    cdef array.array heads, numbers
    cdef bint is_lifted
    cdef list left = []
    for i in range(len(sentences)):
        heads, numbers = arcs[i]
        is_lifted = False
        if lifted is not None:
            for k in range(len(numbers)):
                is_lifted |= lifted[numbers.data.as_ints[k]]
        if is_lifted:
            left.append(i)
        else:
            (<Storage?> sentences[i]).accept_arcs(heads, pick_values(labels, numbers))
    return left
