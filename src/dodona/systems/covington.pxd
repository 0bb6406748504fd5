cimport cython

from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem

cdef int SHIFT, LEFT, RIGHT, NOARC, NONE

cdef class Covington(TransitionSystem):
    cdef public int root_label  # of the arcs that attach headless words at the end

    @cython.locals(joining=cython.bint, n_headless=cython.bint)
    cdef bint keeps_one_root(self, State s, int move) noexcept nogil
    cdef int component(self, State s, int k) noexcept nogil
    cdef int find(self, int[::1] forest, int k) noexcept nogil
    cdef int loss(self, State s, Gold gold, int i, int j, int head, int dependent) noexcept nogil
    cdef int out_of_reach(self, State s, Gold gold, int i, int j, int head, int dependent) noexcept nogil
    cdef int cycles(self, State s, int dependent) noexcept nogil
    cdef bint root_is_forfeit(self, State s, Gold gold, int i, int j, int dependent) noexcept nogil
    @cython.locals(
        lost=cython.int, taken=cython.int, stranded=cython.int, top=cython.int, best=cython.int, other=cython.int,
    )
    cdef int loss_at_last_word(self, State s, Gold gold, int i, int head, int dependent) noexcept nogil
    cdef bint misses(self, Gold gold, int k, int h) noexcept nogil
