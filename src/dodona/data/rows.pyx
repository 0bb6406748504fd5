"""The words of a sentence, row by row: as the bytes that were read, or as the columns that somebody has made.

Converting every column of every word to a string would take most of the time of reading and writing. So a sentence that
was read keeps its bytes and where each column begins; a column becomes strings when it is first used, and new values
are put between the unchanged bytes. A sentence that was made keeps its columns; they become bytes when it is written.
"""

from array import array as new_array

from cpython cimport array
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.string cimport memcpy, memset

from dodona.data.values cimport Values, begin_of, end_of, own_values

from dodona.data.values import values_of

cdef enum:
    WIDTH = 11   # numbers kept for a word: where its columns begin, and where one more would
    DIGITS = 9   # of the largest number
    NOTHING = -1
    WRONG = -2

cdef array.array NUMBERS = new_array("i")


cdef class WordRows:
    """The rows of a sentence with n words. Columns are counted from 0, the numbers of the words, to 9."""

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

    cdef int count_above(self, int d) except -1:
        """Return how many lines are above that of word d."""
        raise NotImplementedError


cdef class ReadRows(WordRows):
    """The rows of a sentence that was read. Made by `scan_rows` or `pick_rows`, which check them."""

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
        cdef array.array ends = array.clone(NUMBERS, self.n + 1, False)
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

    cdef int count_above(self, int d) except -1:
        return count_feeds(self.body, 0, self.starts.data.as_ints[(d - 1) * WIDTH])


def restore_rows(bytes body not None, int n, array.array starts not None):
    """Return the rows of lines in which the starts of the columns are known."""
    cdef ReadRows rows = ReadRows.__new__(ReadRows)
    rows.body, rows.n, rows.starts = body, n, starts
    return rows


def scan_rows(bytes body not None, bint ranges):
    """Return the rows of lines without line end after the last, how many bytes the comments above them take, and the
    multiword ranges, if these are allowed.

    None if there is no word or any irregularity, valid or not, such as an empty node, a carriage return or a wrong
    HEAD: such sentences are read line by line.
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
    cdef array.array starts = array.clone(NUMBERS, WIDTH * (count_feeds(body, begin, len(body)) + 1), True)
    cdef list multiword = []
    n = scan(body + b"\n", begin, len(body) + 1, starts.data.as_ints, multiword)
    if n == WRONG or (multiword and not ranges):
        return None
    return restore_rows(body, n, starts), begin, multiword


def pick_rows(bytes body not None, list rows not None):
    """Return the rows in these lines, which are already checked; other lines are skipped."""
    cdef array.array starts = array.clone(NUMBERS, WIDTH * len(rows), True)
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


cdef int scan(const unsigned char* data, int at, int end, int* starts, list multiword) except? -3:
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
    return word if word >= max(1, highest, covered) else WRONG


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


cdef class MadeRows(WordRows):
    """The rows of a sentence that was made. The columns are already checked."""

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

    cdef list comments(self):
        """Return the comments above the first word."""
        return self.header[: len(self.header) - 1].decode().split("\n") if self.header else []

    cdef int count_above(self, int d) except -1:
        others = sum(lines.count("\n") + 1 for word, lines in self.between.items() if word <= d)
        return count_feeds(self.header, 0, len(self.header)) + others + d - 1


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
