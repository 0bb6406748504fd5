cimport cython
from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from "rows.h" nogil:
    ctypedef struct Group "dodona_group":
        uint32_t* fingerprints
        uint32_t* starts

@cython.final
cdef class FrozenWeights:
    cdef readonly int actions
    cdef Group* groups
    cdef uint64_t buckets
    cdef int bits                       # number of bits of a pair that are the weight
    cdef bint long_pairs                # rows of 32-bit pairs, for more than 1024 actions
    cdef const uint16_t[::1] rows       # sparse: number of pairs, then the pairs; or WIDE and the number of a wide row
    cdef const int16_t[::1] wide        # dense rows of `actions` weights

    cdef build(self, const uint32_t[::1] fingerprints, const uint8_t[::1] counts)
    cdef void score(self, const uint64_t* keys, int count, uint32_t* found, int32_t* scores) noexcept nogil
