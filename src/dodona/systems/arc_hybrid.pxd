cimport cython

from dodona.core.gold cimport Gold
from dodona.core.state cimport State
from dodona.core.system cimport TransitionSystem

cdef int SHIFT, LEFT, RIGHT, BUFFER, STACK

cdef class ArcHybrid(TransitionSystem):
    cdef void start(self, State s, int n) noexcept nogil
    cdef bint is_terminal(self, State s) noexcept nogil
    @cython.locals(word_ahead=cython.bint)
    cdef bint legal(self, State s, int move, int site) noexcept nogil
    cdef void apply(self, State s, int move, int site, int label) noexcept nogil
    cdef int head_of(self, State s, int move, int site) noexcept nogil
    cdef int dependent_of(self, State s, int move, int site) noexcept nogil
    cdef int cost(self, State s, Gold gold, int move, int site) noexcept nogil
    cdef int canonical(self, State s, Gold gold, int site) noexcept nogil
