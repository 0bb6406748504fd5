"""Fast 64-bit hashes of strings. They are not cached here, because raw text has many unknown words.

A hash is computed character by character, from the front for prefixes and from the back for suffixes, so that the
hashes of all affixes of a word are computed on the way.
"""

from cpython.unicode cimport PyUnicode_DATA, PyUnicode_GET_LENGTH, PyUnicode_KIND, PyUnicode_READ
from libc.stdint cimport uint64_t

cdef extern from "Python.h":
    bint Py_UNICODE_ISUPPER(Py_UCS4 character)
    bint Py_UNICODE_ISALPHA(Py_UCS4 character)
    bint Py_UNICODE_ISDIGIT(Py_UCS4 character)

cdef uint64_t SHAPE = 2
cdef int LONGEST_SHAPE = 8


def strings(list values not None):
    """Return the list itself if it has plain strings only, else one in which other kinds of strings have become plain.

    Compiled code takes strings apart without asking what they are.
    """
    cdef Py_ssize_t i
    for i in range(len(values)):
        if type(values[i]) is not str:
            return [plain(value) for value in values]
    return values


cdef str plain(value):
    if not isinstance(value, str):
        shown = repr(value)
        shown = shown if len(shown) <= 40 else shown[:37] + "..."
        raise TypeError(f"value {shown} of type {type(value).__name__}; expected a string")
    return "".join(value)  # its characters, whatever the methods of its class do


def hash_text(str text not None, int kind=-1):
    """Return the hash of a string; `kind` makes it different for the same string in another column."""
    cdef uint64_t h = hash_prefixes(text, NULL, 0)
    return h if kind < 0 else mix(h, kind + 1)


cdef uint64_t hash_prefixes(str text, uint64_t* hashes, int most):
    """Return the hash of the text; those of its first 1..most characters go into `hashes`, 0 where it is too short."""
    cdef Py_ssize_t i, size = PyUnicode_GET_LENGTH(text)
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = PyUnicode_DATA(text)
    cdef uint64_t h = FORWARDS
    for i in range(size):
        h = mix(h, PyUnicode_READ(kind, data, i))
        if i < most:
            hashes[i] = h
    for i in range(size, most):
        hashes[i] = 0
    return h


cdef void hash_suffixes(str text, uint64_t* hashes, int most):
    """Compute the hashes of the last 1..most characters, 0 where the text is too short."""
    cdef Py_ssize_t i, size = PyUnicode_GET_LENGTH(text)
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = PyUnicode_DATA(text)
    cdef uint64_t h = BACKWARDS
    for i in range(min(size, most)):
        h = mix(h, PyUnicode_READ(kind, data, size - 1 - i))
        hashes[i] = h
    for i in range(size, most):
        hashes[i] = 0


cdef uint64_t hash_shape(str text):
    """Return the hash of the word shape: runs of capitals, other letters and digits, and all other characters."""
    cdef Py_ssize_t i
    cdef int kind = PyUnicode_KIND(text), runs = 0
    cdef void* data = PyUnicode_DATA(text)
    cdef Py_UCS4 character, last = 0
    cdef uint64_t h = SHAPE
    for i in range(PyUnicode_GET_LENGTH(text)):
        character = PyUnicode_READ(kind, data, i)
        if Py_UNICODE_ISUPPER(character):
            character = c"X"
        elif Py_UNICODE_ISALPHA(character):
            character = c"x"
        elif Py_UNICODE_ISDIGIT(character):
            character = c"0"
        if character != last:
            h = mix(h, character)
            last = character
            runs += 1
            if runs == LONGEST_SHAPE:
                break
    return h
