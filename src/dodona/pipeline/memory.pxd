cimport cython
from libc.stdint cimport uint64_t

@cython.final
cdef class Memory:
    cdef int count          # of numbers for each string
    cdef object learn       # finds them for a string that is not known
    cdef dict known
    cdef int[::1] columns   # where each of the numbers goes
    cdef int last           # of the columns

    cdef bytes numbers(self, value)
