from dodona.core.gold cimport Gold
from dodona.core.state cimport State
from dodona.core.system cimport TransitionSystem

cdef int LEFT, RIGHT, GONE, STACK, NONE

cdef class EasyFirst(TransitionSystem):
    cdef void start(self, State s, int n) noexcept nogil
    cdef bint is_terminal(self, State s) noexcept nogil
    cdef bint legal(self, State s, int move, int site) noexcept nogil
    cdef void apply(self, State s, int move, int site, int label) noexcept nogil
    cdef int head_of(self, State s, int move, int site) noexcept nogil
    cdef int dependent_of(self, State s, int move, int site) noexcept nogil
    cdef int cost(self, State s, Gold gold, int move, int site) noexcept nogil
    cdef int canonical(self, State s, Gold gold, int site) noexcept nogil
    cdef int next_site(self, State s, int site) noexcept nogil
