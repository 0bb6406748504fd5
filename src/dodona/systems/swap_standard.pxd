cimport cython

from dodona.systems.arc_standard cimport ArcStandard
from dodona.systems.swap_constraints cimport SwapConstraints
from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State

cdef int SHIFT, LEFT, RIGHT, SWAP, BUFFER, NONE

cdef class SwapStandard(ArcStandard):
    cdef SwapConstraints constraints

    cdef int can_link(self, State s, Gold gold) except -2 nogil
    cdef bint can_swap(self, State s, Gold gold) noexcept nogil
    cdef bint can_finish(self, State s, Gold gold) except -1 nogil
    cdef bint can_shift(self, State s, Gold gold, State work) except -1 nogil
    cdef int find_components(self, Gold gold, State work) except -1 nogil
    cpdef int prepare(self, Gold gold, bint lazy) except -1
    @cython.locals(moves=cython.int)
    cpdef bint is_unique(self, Gold gold) except -1
