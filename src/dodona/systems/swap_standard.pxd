cimport cython

from dodona.systems.arc_standard cimport ArcStandard
from dodona.systems.swap_constraints cimport SwapConstraints
from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State

cdef int SHIFT, LEFT, RIGHT, SWAP, BUFFER, NONE
cdef int FORK, DEAD

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

cpdef plan(SwapStandard system, Gold gold, str oracle, long long budget)
cpdef fewest_swaps(SwapStandard system, Gold gold, long long budget)
@cython.locals(length=cython.int, least=cython.int, swaps=cython.int, t=cython.int)
cdef int minimize(
    SwapStandard system, State s, Gold gold, State work, int[::1] best, int[::1] trail, int[::1] seen, long long budget
) except -2 nogil
@cython.locals(one=cython.longlong, two=cython.longlong, slot=cython.Py_ssize_t)
cdef bint was_here(State s, int[::1] seen, int swaps) noexcept nogil
cdef int explore(SwapStandard system, State s, Gold gold, State work, bint may_swap) except -9 nogil
