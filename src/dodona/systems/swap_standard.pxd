cimport cython

from dodona.systems.arc_standard cimport ArcStandard
from dodona.systems.swap_constraints cimport SwapConstraints
from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.transitions.workspace cimport Workspace

cdef int SHIFT, LEFT, RIGHT, SWAP, BUFFER, NONE

cdef class SwapStandard(ArcStandard):
    cdef SwapConstraints constraints

    cdef int start(self, State s, int n) except -1 nogil
    cdef bint legal(self, State s, int move, int site) except -1 nogil
    cdef int apply(self, State s, int move, int site, int label) except -1 nogil
    cdef int canonical(self, State s, Gold gold, int site) except -2 nogil
    cdef int can_link(self, State s, Gold gold) except -2 nogil
    cdef bint can_swap(self, State s, Gold gold) noexcept nogil
    cdef bint can_finish(self, State s, Gold gold) except -1 nogil
    cdef bint can_shift(self, State s, Gold gold, State work) except -1 nogil
    cdef int correct_moves(self, State s, Gold gold, Workspace work, bint links_too) except -1 nogil
    cdef int cost(self, State s, Gold gold, int move, int site) except? -1 nogil
    cdef int penalties(self, State s, Gold gold, int site, int carried, Workspace work, int[::1] out) except -1 nogil
    cdef int penalty(self, State s, Gold gold, int move, int site, Workspace work) except? -1 nogil
    cdef int find_components(self, Gold gold, State work) except -1 nogil
    cdef bint reaches(self, State s, Gold gold, Workspace work) except -1 nogil
    cpdef int prepare(self, Gold gold, bint lazy) except -1
    @cython.locals(moves=cython.int)
    cpdef bint is_unique(self, Gold gold) except -1
