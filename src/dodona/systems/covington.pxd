cimport cython

from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem

cdef int SHIFT, LEFT, RIGHT, NOARC, NONE

cdef class Covington(TransitionSystem):
    cdef public int root_label  # of the arcs that attach headless words at the end

    cdef int start(self, State s, int n) except -1 nogil
    cdef bint is_terminal(self, State s) except -1 nogil
    cdef bint legal(self, State s, int move, int site) except -1 nogil
    @cython.locals(joining=cython.bint, n_headless=cython.bint)
    cdef bint keeps_one_root(self, State s, int move) noexcept nogil
    cdef int apply(self, State s, int move, int site, int label) except -1 nogil
    cdef int progress(self, State s) except -1 nogil
    cdef int head_of(self, State s, int move, int site) except -1 nogil
    cdef int dependent_of(self, State s, int move, int site) except -1 nogil
    cdef int component(self, State s, int k) noexcept nogil
    cdef int find(self, int[::1] forest, int k) noexcept nogil
    cdef int cost(self, State s, Gold gold, int move, int site) except? -1 nogil
    cdef int loss(self, State s, Gold gold, int i, int j, int head, int dependent) noexcept nogil
    cdef int out_of_reach(self, State s, Gold gold, int i, int j, int head, int dependent) noexcept nogil
    cdef int cycles(self, State s, int dependent) noexcept nogil
    cdef bint root_is_forfeit(self, State s, Gold gold, int i, int j, int dependent) noexcept nogil
    @cython.locals(
        lost=cython.int, taken=cython.int, stranded=cython.int, top=cython.int, best=cython.int, other=cython.int,
    )
    cdef int loss_at_last_word(self, State s, Gold gold, int i, int head, int dependent) noexcept nogil
    cdef bint misses(self, Gold gold, int k, int h) noexcept nogil
    cdef int canonical(self, State s, Gold gold, int site) except -2 nogil
