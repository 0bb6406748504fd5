cimport cython
from libc.stdint cimport uint32_t, uint64_t

from dodona.data.values cimport decode

cdef extern from "Python.h":
    uint32_t Py_UNICODE_TOLOWER(uint32_t code) nogil

cdef enum:
    FORWARDS = 1   # initial value of the hash of a string
    BACKWARDS = 3  # and of the hash of a reversed string

cdef inline uint64_t mix(uint64_t h, uint64_t value) noexcept nogil:
    h = (h ^ value) * <uint64_t> 0x9E3779B97F4A7C15
    return h ^ (h >> 32)

cdef struct Slot:
    uint64_t key    # 0: empty
    uint64_t value  # eight bytes of any kind

@cython.final
cdef class HashTable:
    cdef Slot* slots
    cdef uint64_t mask         # the number of slots, a power of two, less one
    cdef readonly Py_ssize_t count  # keys

    cdef Slot* find(self, uint64_t key) noexcept nogil
    cdef Slot* add(self, uint64_t key) except NULL nogil
    cdef int grow(self) except -1 nogil
    cdef void clear(self) noexcept nogil

cdef inline Slot* slot_of(Slot* slots, uint64_t mask, uint64_t key) noexcept nogil:
    """Return the slot of a key, or the empty one where it would be inserted: linear probing."""
    cdef uint64_t at = key & mask
    while slots[at].key != key and slots[at].key != 0:
        at = (at + 1) & mask
    return &slots[at]

@cython.final
cdef class Letters:
    cdef uint32_t* codes
    cdef int size
    cdef int room

    cdef int make_room(self, Py_ssize_t room) except -1 nogil
    cdef int read_string(self, str text) except -1
    cdef void lower(self) noexcept nogil

    cdef inline int read(self, const char* text, int size) except -1 nogil:
        """Take the characters of UTF-8."""
        if size > self.room:
            self.make_room(size)
        self.size = decode(text, size, self.codes)
        return 0

cdef inline uint32_t to_lower(uint32_t code) noexcept nogil:
    if code < 128:
        return code + 32 * (65 <= code <= 90)
    return Py_UNICODE_TOLOWER(code)

cdef inline uint64_t hash_codes(const uint32_t* codes, Py_ssize_t size) noexcept nogil:
    """Return the hash of characters given as numbers."""
    cdef uint64_t h = FORWARDS
    cdef Py_ssize_t i
    for i in range(size):
        h = mix(h, codes[i])
    return h

cdef uint64_t hash_string(str text)
cdef uint64_t hash_prefixes(Letters word, uint64_t* hashes, int count) noexcept nogil
cdef void hash_suffixes(Letters word, uint64_t* hashes, int count) noexcept nogil
cdef uint64_t hash_shape(Letters word) noexcept nogil
