cimport cython
from libc.stdint cimport uint64_t

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
