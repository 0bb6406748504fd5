cimport cython
from libc.stdint cimport uint64_t

@cython.final
cdef class RandomGenerator:
    cdef uint64_t state

    cdef double random(self) noexcept nogil
    cdef int place_of(self, const int[::1] values, int value, int otherwise) noexcept nogil
