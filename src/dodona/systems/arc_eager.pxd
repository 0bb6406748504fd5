cimport cython

from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem

cdef int SHIFT, LEFT, RIGHT, REDUCE, BUFFER, STACK, GONE, NONE
cdef int LAST, FIRST, ATTACHED

cdef class ArcEager(TransitionSystem):
    cdef public int root        # LAST, FIRST or ATTACHED
    cdef public int root_label  # of the arcs that attach headless words at the end

    cdef bint is_permitted(self, State s, int move) noexcept nogil
    cdef bint keeps_one_root(self, State s, int move) noexcept nogil
    cdef void take(self, State s, int move, int label) noexcept nogil
    cdef int out_of_reach(self, State s, Gold gold, int move) noexcept nogil
    cdef int conflict_after(self, State s, Gold gold, int move) noexcept nogil
    @cython.locals(waiting=cython.int, coming=cython.int)
    cdef int conflict(self, State s, Gold gold) noexcept nogil
    @cython.locals(buried=cython.bint)
    cdef bint root_is_forfeit(self, State s, Gold gold) noexcept nogil
    cdef bint root_in_reach(self, State s, Gold gold) noexcept nogil
    @cython.locals(ahead=cython.bint, in_reach=cython.bint)
    cdef bint tail_is_forfeit(self, State s, Gold gold) noexcept nogil
    cdef bint can_take(self, State s, int k) noexcept nogil
    cdef int lowest(self, State s) noexcept nogil
    cdef bint waits_for_root(self, Gold gold, int k) noexcept nogil
