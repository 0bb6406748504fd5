cimport cython

from dodona.scoring.linear.features cimport Words

@cython.final
cdef class HashCache:
    cdef int count          # of numbers for each string
    cdef object work_out    # computes them for a string that is not in the cache
    cdef dict known
    cdef Py_ssize_t characters  # of the strings in it
    cdef int[::1] columns   # where each of the numbers goes
    cdef bytes root         # the numbers of ROOT

    cdef bytes numbers(self, value)
    cdef int put(self, bytes numbers, Words words, int k) except -1
