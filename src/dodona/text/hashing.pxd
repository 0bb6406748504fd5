from libc.stdint cimport uint32_t, uint64_t

from dodona.scoring.linear.hash_table cimport mix
from dodona.text.letters cimport Letters

cdef enum:
    FORWARDS = 1   # initial value of the hash of a string
    BACKWARDS = 3  # and of the hash of a reversed string

cdef inline uint64_t hash_codes(const uint32_t* codes, Py_ssize_t size) noexcept nogil:
    """Return the hash of characters given as numbers."""
    cdef uint64_t h = FORWARDS
    cdef Py_ssize_t i
    for i in range(size):
        h = mix(h, codes[i])
    return h

cdef uint64_t hash_string(str text)
cdef uint64_t hash_prefixes(Letters word, uint64_t* hashes, int most) noexcept nogil
cdef void hash_suffixes(Letters word, uint64_t* hashes, int most) noexcept nogil
cdef uint64_t hash_shape(Letters word) noexcept nogil
