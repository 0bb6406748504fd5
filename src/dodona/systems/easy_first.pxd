from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem

cdef int LEFT, RIGHT, GONE, STACK, NONE

cdef class EasyFirst(TransitionSystem):
    cdef int start(self, State s, int n) except -1 nogil
    cdef bint is_terminal(self, State s) except -1 nogil
    cdef bint legal(self, State s, int move, int site) except -1 nogil
    cdef int apply(self, State s, int move, int site, int label) except -1 nogil
    cdef int head_of(self, State s, int move, int site) except -1 nogil
    cdef int dependent_of(self, State s, int move, int site) except -1 nogil
    cdef int cost(self, State s, Gold gold, int move, int site) except? -1 nogil
    cdef int canonical(self, State s, Gold gold, int site) except -2 nogil
    cdef int next_site(self, State s, int site) except -2 nogil
    cdef int reopened_site(self, State s) except -2 nogil
