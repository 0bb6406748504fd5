cimport cython

from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem

cdef int SHIFT, LEFT, RIGHT
cdef int NEVER

cdef class ArcStandard(TransitionSystem):
    @cython.locals(after=cython.int)
    cdef int cost(self, State s, Gold gold, int move, int site) except? -1 nogil
    cdef int gain(self, State s, Gold gold, int depth, int top, int front) except -1 nogil
    cdef int fold_buffer(self, State s, Gold gold, int depth, int front) noexcept nogil
    @cython.locals(
        right=cython.Py_ssize_t, row=cython.Py_ssize_t, last=cython.Py_ssize_t,
        under_left=cython.int, under_right=cython.int, value=cython.int,
    )
    cdef int join(self, State s, Gold gold, int depth, int count) except? -1 nogil
