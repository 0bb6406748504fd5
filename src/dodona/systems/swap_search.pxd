cimport cython

from dodona.systems.swap_standard cimport SwapStandard
from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State

cdef int SHIFT, SWAP, NONE
cdef int FORK, DEAD

cpdef plan(SwapStandard system, Gold gold, str oracle, long long budget)
cpdef fewest_swaps(SwapStandard system, Gold gold, long long budget)
@cython.locals(length=cython.int, least=cython.int, swaps=cython.int, t=cython.int)
cdef int minimize(
    SwapStandard system, State s, Gold gold, State work, int[::1] best, int[::1] trail, int[::1] seen, long long budget
) except -2 nogil
@cython.locals(one=cython.longlong, two=cython.longlong, slot=cython.Py_ssize_t)
cdef bint was_here(State s, int[::1] seen, int swaps) noexcept nogil
cdef int explore(SwapStandard system, State s, Gold gold, State work, bint may_swap) except -9 nogil
