cimport cython
from libc.stdint cimport int8_t, int32_t

@cython.final
cdef class EmbeddingTable:
    cdef readonly int count, width
    cdef const int8_t[:, ::1] values
    cdef const float[::1] scales

    cdef void add(self, int number, float* total) noexcept nogil

@cython.final
cdef class Inputs:
    cdef readonly int size
    cdef EmbeddingTable word, subword, vector, tag
    cdef const float[:, ::1] from_word, from_subword, from_vector, from_tag
    cdef const float[::1] bias
    cdef int widest                 # row of a table

    cdef void add_form(self, const int32_t* numbers, int count, float* total, float* part) noexcept nogil
