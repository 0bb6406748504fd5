cimport cython

from dodona.core.gold cimport Gold
from dodona.core.state cimport State
from dodona.core.system cimport TransitionSystem

cdef int SHIFT, LEFT, RIGHT
cdef int NEVER

cdef class ArcStandard(TransitionSystem):
    cdef void start(self, State s, int n) noexcept nogil
    cdef bint is_terminal(self, State s) noexcept nogil
    cdef bint legal(self, State s, int move, int site) noexcept nogil
    cdef void apply(self, State s, int move, int site, int label) noexcept nogil
    cdef int head_of(self, State s, int move, int site) noexcept nogil
    cdef int dependent_of(self, State s, int move, int site) noexcept nogil
    cdef int cost(self, State s, Gold gold, int move, int site) noexcept nogil
    cdef int gain(self, State s, Gold gold, int depth, int top, int front) noexcept nogil
    cdef int fold_buffer(self, State s, Gold gold, int depth, int front) noexcept nogil
    @cython.locals(
        right=cython.Py_ssize_t, row=cython.Py_ssize_t, last=cython.Py_ssize_t,
        under_left=cython.int, under_right=cython.int, value=cython.int,
    )
    cdef int join(self, State s, Gold gold, int depth, int count) noexcept nogil
    cdef int canonical(self, State s, Gold gold, int site) noexcept nogil
