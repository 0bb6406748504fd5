"""Fast 64-bit hashes of strings. They are not cached here, because raw text has many unknown words.

A hash is computed character by character, from the front for prefixes and from the back for suffixes, so that the
hashes of all affixes of a word are computed on the way.
"""

from libc.stdint cimport uint32_t, uint64_t

cdef extern from "Python.h":
    bint Py_UNICODE_ISUPPER(uint32_t character) nogil
    bint Py_UNICODE_ISALPHA(uint32_t character) nogil
    bint Py_UNICODE_ISDIGIT(uint32_t character) nogil

cdef uint64_t SHAPE = 2
cdef int LONGEST_SHAPE = 8


def hash_text(str text not None, int kind=-1):
    """Return the hash of a string; `kind` makes it different for the same string in another column."""
    cdef uint64_t h = hash_string(text)
    return h if kind < 0 else mix(h, kind + 1)


cdef uint64_t hash_string(str text):
    cdef Letters word = Letters()
    word.read_string(text)
    return hash_codes(word.codes, word.size)


cdef uint64_t hash_prefixes(Letters word, uint64_t* hashes, int most) noexcept nogil:
    """Return the hash of a word; those of its first 1..most characters go into `hashes`, 0 where it is too short."""
    cdef int i
    cdef uint64_t h = FORWARDS
    for i in range(word.size):
        h = mix(h, word.codes[i])
        if i < most:
            hashes[i] = h
    for i in range(word.size, most):
        hashes[i] = 0
    return h


cdef void hash_suffixes(Letters word, uint64_t* hashes, int most) noexcept nogil:
    """Compute the hashes of the last 1..most characters, 0 where the word is too short."""
    cdef int i
    cdef uint64_t h = BACKWARDS
    for i in range(min(word.size, most)):
        h = mix(h, word.codes[word.size - 1 - i])
        hashes[i] = h
    for i in range(word.size, most):
        hashes[i] = 0


cdef uint64_t hash_shape(Letters word) noexcept nogil:
    """Return the hash of the word shape: runs of capitals, other letters and digits, and all other characters."""
    cdef int i, runs = 0
    cdef uint32_t character, last = 0
    cdef uint64_t h = SHAPE
    for i in range(word.size):
        character = word.codes[i]
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
