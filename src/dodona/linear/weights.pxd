cimport cython
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t

from dodona.data.hashing cimport HashTable

cdef extern from "rows.h" nogil:
    ctypedef struct WeightRow "dodona_row":   # the value of a feature in the table
        uint32_t start
        uint16_t size
        uint16_t kind

    ctypedef struct WeightEntry "dodona_entry":
        float weight
        int32_t action

    ctypedef struct RowSlot "dodona_row_slot":
        pass

    ctypedef struct Pools "dodona_pools":
        const RowSlot* slots
        uint64_t mask
        const WeightEntry* entries
        const float* dense
        int actions
        int width
        bint whole

cdef struct Accumulator:   # the accumulator of a weight, for lazy averaging
    double total    # sum of the weight over all steps up to `last`
    int64_t last

@cython.final
cdef class Weights:
    cdef readonly int actions
    cdef readonly long long now         # steps so far; the average is over all of them
    cdef HashTable table                # from features to their rows
    cdef WeightEntry* entries
    cdef Accumulator* accumulators
    cdef Py_ssize_t used, room
    cdef float* dense
    cdef int width                      # of a dense row
    cdef Accumulator* dense_accumulators
    cdef Py_ssize_t dense_used, dense_room
    cdef bint whole                     # all changes so far were whole numbers
    cdef int dense_from                 # a row with more entries than this becomes dense
    cdef uint32_t[::1] free_rows        # for each kind, the last freed row, 0 for none

    cdef void score(self, const uint64_t* keys, int count, float* scores) noexcept nogil
    cdef void expect(self, const uint64_t* keys, int count) noexcept nogil
    cdef void sum(self, const uint64_t* keys, int count, float* scores) noexcept nogil
    cdef Pools pools(self) noexcept nogil
    cdef void expect_update(self, uint64_t key, int action) noexcept nogil
    cdef int update(self, const uint64_t* keys, int count, int action, float delta) except -1 nogil
    cdef int update_one(self, uint64_t key, int action, float delta) except -1 nogil
    cdef double average(self, float weight, const Accumulator* accumulator) noexcept nogil
    cdef int write_averages(self, const WeightRow* row, uint16_t* actions, float* weights) noexcept nogil
    cdef float measure(self, const WeightRow* row) noexcept nogil
    cdef int copy_row(self, Weights other, const WeightRow* row, uint64_t key) except -1
    cdef uint32_t new_row(self, int kind) except? 0 nogil
    cdef int make_dense(self, WeightRow* row) except -1 nogil
    cdef Py_ssize_t find_entry(self, WeightRow* row, int action) except -1 nogil
