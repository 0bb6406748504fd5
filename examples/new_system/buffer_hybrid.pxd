cimport cython

from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem

cdef int SHIFT, LEFT, RIGHT, BUFFER_ARC, BUFFER, STACK

cdef class BufferHybrid(TransitionSystem):
    cdef int start(self, State s, int n) except -1 nogil
    cdef bint is_terminal(self, State s) except -1 nogil
    @cython.locals(word_ahead=cython.bint)
    cdef bint legal(self, State s, int move, int site) except -1 nogil
    cdef int apply(self, State s, int move, int site, int label) except -1 nogil
    cdef int head_of(self, State s, int move, int site) except -1 nogil
    cdef int dependent_of(self, State s, int move, int site) except -1 nogil
    cdef int dependents_on_stack(self, State s, Gold gold) noexcept nogil
    cdef int cost(self, State s, Gold gold, int move, int site) except? -1 nogil
    @cython.locals(has_next=cython.bint)
    cdef int canonical(self, State s, Gold gold, int site) except -2 nogil
