cimport cython
from libc.stdint cimport int16_t, int32_t, uint16_t, uint32_t, uint64_t
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

@cython.final
cdef class RowPool:
    cdef int actions
    cdef int bits                    # of a pair that are the weight; 16: pairs of 32 bits
    cdef int step                    # the size of a pair, in units of 16 bits
    cdef int width                   # of a dense row
    cdef uint64_t* memory            # the rows: units of 8 bytes
    cdef uint32_t[::1] starts        # for each feature the start of its row, with its kind
    cdef int32_t[::1] weights        # of the row that was unpacked last; 0 for what fills up a dense row

    cdef int kind(self, const uint16_t* row, const int16_t* wide) noexcept nogil
    cdef void unpack(self, const uint16_t* row, const int16_t* wide) noexcept nogil
    cdef Py_ssize_t units(self, int kind, int pairs) noexcept nogil
    cdef void pack(self, int kind, const uint16_t* row, const int16_t* wide, void* to, Py_ssize_t feature) noexcept nogil

cdef extern from "sums.h" nogil:
    ctypedef struct Group "dodona_group":
        uint32_t* fingerprints
        uint32_t* starts

    ctypedef struct Table "dodona_table":
        const Group* groups
        uint64_t buckets
        const uint64_t* pool
        int actions
        int bits

    void dodona_expect(const Table* table, uint64_t key)

@cython.final
cdef class FrozenWeights:
    cdef readonly int actions
    cdef RowPool pool
    cdef Group* groups
    cdef Table table

    cdef build(self, const uint32_t[::1] fingerprints, const uint8_t[::1] counts)
    cdef void score(self, const uint64_t* keys, int count, int32_t* scores) noexcept nogil
    cdef void sum(self, const uint64_t* keys, int count, int32_t* scores) noexcept nogil
    cdef void add(self, const uint64_t* keys, int count, int32_t* scores) noexcept nogil

    cdef inline void expect(self, uint64_t key) noexcept nogil:
        """Say that the weights of this feature will be needed soon."""
        dodona_expect(&self.table, key)
