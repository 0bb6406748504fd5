cimport cython

from dodona.systems.arc_standard cimport ArcStandard
from dodona.systems.swap_given cimport GivenArcs
from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.transitions.workspace cimport Workspace

cdef int SHIFT, LEFT, RIGHT, SWAP, NONE
cdef int WORK

@cython.final
cdef class Unwinding:
    cdef GivenArcs given

    cdef int budget(self, int n) noexcept nogil
    @cython.locals(budget=cython.int, nobody=cython.int, move=cython.int, h=cython.int)
    cdef bint leads_on(self, ArcStandard system, State s, Gold gold, Workspace work) except -1 nogil
    @cython.locals(t=cython.int, b=cython.int, f=cython.int, nobody=cython.int, swappable=cython.bint)
    cdef int step(self, ArcStandard system, State s, Gold gold, Workspace work) except -2 nogil
    @cython.locals(count=cython.int, chosen=cython.int, least=cython.int, found=cython.int, i=cython.int, k=cython.int)
    cdef bint can_untangle(self, State s, Gold gold, Workspace work) noexcept nogil
    @cython.locals(d=cython.int, h=cython.int, j=cython.int, found=cython.int)
    cdef int obstacles(self, State s, Gold gold, int i, Workspace work) noexcept nogil
    @cython.locals(
        d=cython.int, h=cython.int, j=cython.int, left=cython.int, right=cython.int, back=cython.int, p=cython.int,
        q=cython.int, k=cython.int
    )
    cdef int take_out(self, State s, Gold gold, int i, int count, Workspace work) noexcept nogil
