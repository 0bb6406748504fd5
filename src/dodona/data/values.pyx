"""The values of a column as bytes, from where they are found to where they are written.

A string for each column of each word would take more time than parsing. A component that chooses from a fixed number of
values, such as tags, gives only their numbers in an `Inventory`; other values are parts of one text. Strings are made
when somebody asks for them.
"""

from array import array as new_array

from cpython cimport array
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.string cimport memcpy

from dodona.errors import OptionError

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    unsigned char* PyUnicode_1BYTE_DATA(object text)

cdef array.array NUMBERS = new_array("i")
cdef char* NOTHING = b"_"


cdef array.array find_ends(list values):
    """Return where each of the encoded values ends, with a 0 before."""
    cdef array.array ends = array.clone(NUMBERS, len(values) + 1, False)
    cdef Py_ssize_t i, at = 0
    ends.data.as_ints[0] = 0
    for i in range(len(values)):
        at += len(<bytes?> values[i])
        if at > 0x7FFFFFFF:
            raise MemoryError("a column of more than 2 gigabytes")
        ends.data.as_ints[i + 1] = <int> at
    return ends


cdef class Inventory:
    """The values that a column of predicted values can have."""

    def __init__(self, list values not None):
        encoded = [value.encode() for value in values]
        self.values = values
        self.text = b"".join(encoded)
        self.ends = find_ends(encoded)


cdef class Values:
    """The values of one column of a sentence; they do not change. Made by `pick` and `values_of`."""

    def __len__(self):
        return self.n

    def __reduce__(self):
        return values_of, (self.strings(),)

    def strings(self):
        """Return a new list of the strings."""
        cdef int i
        cdef list strings = [None] * self.n
        if self.inventory is not None:
            for i in range(self.n):
                strings[i] = self.inventory.values[self.chosen[i]]
        else:
            for i in range(self.n):
                strings[i] = self.text[self.ends[i] : self.ends[i + 1]].decode("utf-8")
        return strings

    def lacks(self):
        """Whether all values are `_`."""
        cdef int i, begin
        for i in range(self.n):
            begin = begin_of(self, i)
            if end_of(self, i) != begin + 1 or self.text[begin] != NOTHING[0]:
                return False
        return True


cdef Values pick_values(Inventory inventory, array.array numbers):
    cdef Values values = Values.__new__(Values)
    values.n = <int> len(numbers)
    values.inventory, values.numbers = inventory, numbers
    values.text, values.ends = PyBytes_AS_STRING(inventory.text), inventory.ends.data.as_ints
    values.chosen = numbers.data.as_ints
    return values


cdef Values own_values(bytes text, array.array ends):
    """`ends` has a 0 before, and the text is valid UTF-8."""
    cdef Values values = Values.__new__(Values)
    values.n = <int> len(ends) - 1
    values.own, values.own_ends = text, ends
    values.text, values.ends, values.chosen = PyBytes_AS_STRING(text), ends.data.as_ints, NULL
    return values


def pick(Inventory inventory not None, array.array numbers not None):
    """Return the values of an inventory with these numbers, of type "i"."""
    cdef Py_ssize_t i, count = len(inventory.values)
    if numbers.typecode != "i":
        raise TypeError(f"numbers of type {numbers.typecode!r}; expected 'i'")
    for i in range(len(numbers)):
        if not 0 <= numbers.data.as_ints[i] < count:
            raise ValueError(f"value {numbers.data.as_ints[i]} of an inventory of {count}")
    return pick_values(inventory, numbers)


def make_plain(list values not None):
    """Return the list itself if it has plain strings only, else one in which other kinds of strings have become plain.

    Compiled code takes strings apart without asking what they are.
    """
    cdef Py_ssize_t i
    for i in range(len(values)):
        if type(values[i]) is not str:
            return [copy_characters(value) for value in values]
    return values


cdef str copy_characters(value):
    if not isinstance(value, str):
        shown = repr(value)
        shown = shown if len(shown) <= 40 else shown[:37] + "..."
        raise TypeError(f"value {shown} of type {type(value).__name__}; expected a string")
    return "".join(value)  # its characters, whatever the methods of its class do


cpdef Values values_of(list given):
    """Return strings as values."""
    cdef list plain = make_plain(given)
    cdef Py_ssize_t i, count = len(plain), size = 0
    cdef array.array ends = array.clone(NUMBERS, count + 1, False)
    cdef bytes text
    cdef char* to
    ends.data.as_ints[0] = 0
    for i in range(count):
        if not PyUnicode_IS_ASCII(plain[i]):
            return encode_values(plain)
        size += PyUnicode_GET_LENGTH(plain[i])
        if size > 0x7FFFFFFF:
            raise MemoryError("a column of more than 2 gigabytes")
        ends.data.as_ints[i + 1] = <int> size
    text = PyBytes_FromStringAndSize(NULL, size)
    to = text
    for i in range(count):
        memcpy(to + ends.data.as_ints[i], PyUnicode_1BYTE_DATA(plain[i]), PyUnicode_GET_LENGTH(plain[i]))
    return own_values(text, ends)


cdef Values encode_values(list plain):
    """Return strings of any characters as values."""
    cdef list encoded
    try:
        encoded = [value.encode() for value in plain]
    except UnicodeEncodeError as error:
        fault = f"value {error.object!r:.60}; expected text without lone surrogates, which UTF-8 does not have"
        raise OptionError(fault) from None
    return own_values(b"".join(encoded), find_ends(encoded))
