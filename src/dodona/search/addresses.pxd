cimport cython

from dodona.transitions.state cimport State

@cython.final
cdef class Addresses:
    cdef readonly int count
    cdef int[::1] memory    # of both:
    cdef int* pairs         # of place and step
    cdef int* nodes         # the node of each address, for the configuration looked at last

    cdef void find(self, State s, int site) noexcept nogil
    cdef int place(self, State s, int place, int site) noexcept nogil
    cdef int between(self, State s, bint last) noexcept nogil
