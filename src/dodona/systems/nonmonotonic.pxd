cimport cython

from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.systems.arc_eager cimport ArcEager

cdef int SHIFT, LEFT, RIGHT, REDUCE, ATTACH, BUFFER, STACK, NONE

cdef class NonMonotonic(ArcEager):
    cdef public bint repairs_left    # NM-L: LEFT may replace the head of s
    cdef public bint repairs_reduce  # NM-D: REDUCE may give a headless s the head below it
    cdef public ArcEager monotonic   # the system without repairs
    cdef public bint remembers       # REDUCE uses the label remembered since SHIFT

    @cython.locals(repairable=cython.bint)
    cdef bint is_permitted(self, State s, int move) noexcept nogil
    @cython.locals(headless=cython.bint, ahead=cython.bint, is_right=cython.bint, below=cython.bint)
    cdef int out_of_reach(self, State s, Gold gold, int move) noexcept nogil
    cdef bint misremembers(self, State s, Gold gold) noexcept nogil
