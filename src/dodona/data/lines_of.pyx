"""The lines of a sentence from its columns, put together without a string for each word."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.string cimport memcpy, memset

from dodona.data.values cimport Values, begin_of, end_of

from dodona.data.values import values_of

cdef enum:
    COLUMNS = 10
    WIDTH = 11  # as in dodona.data.table

cdef char* NOTHING = b"_"


cdef Values as_values(column, int n):
    cdef Values values = column if isinstance(column, Values) else values_of(list(column))
    if values.n != n:
        raise ValueError(f"{values.n} values; expected {n}")
    return values


def replaced(bytes body not None, const int[::1] starts not None, int n, dict columns not None):
    """Return the lines of a table with other values in these columns, which are values or lists of strings."""
    cdef list numbers = sorted(columns)
    cdef list new = [as_values(columns[number], n) for number in numbers]
    cdef int which[COLUMNS]
    cdef void* values[COLUMNS]
    cdef int i, k, place, begin, count = len(numbers)
    cdef Py_ssize_t size = len(body), done = 0
    cdef const char* data = body
    for i in range(count):
        which[i], values[i] = numbers[i], <void*> new[i]
        for k in range(n):
            place = k * WIDTH + which[i]
            begin = begin_of(<Values> values[i], k)
            size += end_of(<Values> values[i], k) - begin - (starts[place + 1] - 1 - starts[place])
    cdef bytes lines = PyBytes_FromStringAndSize(NULL, size)
    cdef char* to = lines
    for k in range(n):
        for i in range(count):
            place = k * WIDTH + which[i]
            memcpy(to, data + done, starts[place] - done)
            to += starts[place] - done
            to = put(to, <Values> values[i], k)
            done = starts[place + 1] - 1
    memcpy(to, data + done, len(body) - done)
    return lines


cdef inline char* put(char* to, Values values, int k) noexcept:
    cdef int begin = begin_of(values, k)
    cdef int size = end_of(values, k) - begin
    memcpy(to, values.text + begin, size)
    return to + size


def rows(bytes header not None, int n, dict columns not None, dict between not None):
    """Return the lines of a sentence: a header, and a row for each word. The columns from 1 to 9 are values or lists of
    strings; those that are missing are `_`. `between` has other lines, by the word that comes after them."""
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
    size += (COLUMNS + COLUMNS - 1 - len(columns)) * <Py_ssize_t> n + digits_up_to(n)  # tabs, line feeds and `_`
    cdef bytes found = PyBytes_FromStringAndSize(NULL, size)
    cdef char* to = found
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
                to[0] = NOTHING[0]
                to += 1
            else:
                to = put(to, <Values> values[i], k)
        if k + 1 < n:
            to[0] = c"\n"
            to += 1
    if others:
        put_lines(to, others.get(n + 1))
    return found


cdef char* put_lines(char* to, bytes lines):
    if lines is None:
        return to
    memcpy(to, <const char*> lines, len(lines))
    return to + len(lines)


cdef Py_ssize_t digits_up_to(int n):
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
