cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

cdef extern from "rows.h" nogil:
    ctypedef struct Group "dodona_group":
        uint32_t* fingerprints
        uint32_t* starts

    ctypedef struct WeightTable "dodona_table":
        const Group* groups
        uint64_t buckets
        const uint64_t* pool
        int actions
        int bits

    void dodona_expect(const WeightTable* table, uint64_t key)

@cython.final
cdef class FrozenWeights:
    cdef readonly int actions
    cdef object pool        # keeps the rows
    cdef Group* groups
    cdef WeightTable table

    cdef build(self, const uint32_t[::1] fingerprints, const uint8_t[::1] counts, const uint32_t* starts)
    cdef void score(self, const uint64_t* keys, int count, int32_t* scores) noexcept nogil
    cdef void sum(self, const uint64_t* keys, int count, int32_t* scores) noexcept nogil
    cdef void add(self, const uint64_t* keys, int count, int32_t* scores) noexcept nogil

    cdef inline void expect(self, uint64_t key) noexcept nogil:
        """Say that the weights of this feature will be needed soon."""
        dodona_expect(&self.table, key)
