cimport cython
from libc.stdint cimport uint64_t

@cython.final
cdef class RandomGenerator:
    cdef uint64_t state

    cdef double random(self) noexcept nogil
