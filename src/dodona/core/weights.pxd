cimport cython
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t

cdef struct Slot:
    uint64_t key    # 0: empty
    uint32_t start  # of the row, in the sparse or the dense pool
    uint16_t size   # entries of a sparse row; DENSE for a dense one
    uint16_t room

cdef struct Entry:
    float weight
    int32_t action

cdef struct Past:
    double total    # sum of the weight over all steps up to `last`
    int64_t last

@cython.final
cdef class Weights:
    cdef readonly int actions
    cdef readonly long long now         # steps so far; the average is over all of them
    cdef Slot* slots
    cdef uint64_t mask
    cdef readonly Py_ssize_t features
    cdef Entry* entries
    cdef Past* pasts
    cdef Py_ssize_t used, room
    cdef float* dense
    cdef Past* dense_pasts
    cdef Py_ssize_t dense_used, dense_room
    cdef int dense_from                 # a row with more entries than this becomes dense
    cdef uint32_t* free_rows            # for each power of two, the last freed row of that room, 0 for none

    cdef void score(self, const uint64_t* keys, int count, float* scores) noexcept nogil
    cdef int update(self, const uint64_t* keys, int count, int action, float delta) except -1 nogil
    cdef int update_one(self, uint64_t key, int action, float delta) except -1 nogil
    cdef int grow_table(self) except -1 nogil
    cdef uint32_t new_row(self, int room) except? 0 nogil
    cdef int make_dense(self, Slot* slot) except -1 nogil
