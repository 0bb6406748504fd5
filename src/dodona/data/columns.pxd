cimport cython

@cython.final
cdef class Columns:
    cdef public int n
    cdef public bytes header
    cdef dict _columns
    cdef public dict between
    cdef public bint is_new, has_lists
