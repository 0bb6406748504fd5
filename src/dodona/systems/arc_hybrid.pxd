cimport cython

from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem

cdef int SHIFT, LEFT, RIGHT, BUFFER, STACK

cdef class ArcHybrid(TransitionSystem):
    @cython.locals(word_ahead=cython.bint)
    cdef bint legal(self, State s, int move, int site) except -1 nogil
