cimport cython

cdef int STEP, PACE

@cython.final
cdef class Watch:
    cdef public long long left     # work until the next look
    cdef public double deadline    # on the clock; 0: none

    cpdef int begin(self, double seconds) except -1
    cpdef int report(self, long long work) except -1 nogil
    cpdef int step(self) except -1 nogil
    cdef int look(self) except -1 with gil
