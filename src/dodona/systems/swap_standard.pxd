cimport cython

from dodona.systems.arc_standard cimport ArcStandard
from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.transitions.workspace cimport Workspace

cdef int SHIFT, LEFT, RIGHT, SWAP, REDUCE, BUFFER, NONE
cdef int EFFORT

cdef class SwapStandard(ArcStandard):
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
    @cython.locals(known=cython.int)
    cdef int penalty(self, State s, Gold gold, int move, int site, Workspace work) except? -1 nogil
    @cython.locals(budget=cython.int, move=cython.int, turned=cython.bint)
    cdef int can_complete(self, State s, Gold gold, Workspace work) except -2 nogil
    @cython.locals(swappable=cython.bint)
    cdef int eager_move(self, Gold gold, Workspace work) except -2 nogil
    cdef int next_move(self, State s, Gold gold, Workspace work) except -2 nogil
    cdef int find_components(self, Gold gold, State work) except -1 nogil
    cdef bint reaches(self, State s, Gold gold, Workspace work) except -1 nogil
    cpdef int prepare(self, Gold gold, bint lazy) except -1
    @cython.locals(found=cython.int)
    cpdef bint is_unique(self, Gold gold) except -1
