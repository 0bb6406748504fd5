cimport cython

from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State

@cython.final
cdef class Workspace:
    cdef public State state        # a configuration to search from
    cdef public Gold tree          # the target tree
    cdef public int[::1] items     # nodes in some order
    cdef public int[::1] position  # the index of a node among them
    cdef public int[::1] heads     # of the items, as positions

    cdef int reserve(self, int n) except -1 with gil
