cimport cython

from dodona.core.gold cimport Gold
from dodona.core.state cimport State
from dodona.systems.arc_standard cimport ArcStandard

cdef int SHIFT, LEFT, RIGHT, SWAP, BUFFER, NONE
cdef int FORK, DEAD

cdef class SwapStandard(ArcStandard):
    cdef State work            # room to try out whether a part of a tree can be completed
    cdef Gold target
    cdef int[::1] items        # the nodes on the stack, then those in the buffer
    cdef int[::1] position     # where a node stands among them
    cdef int[::1] heads        # of items[1:], as positions

    cdef void start(self, State s, int n) noexcept nogil
    cdef bint legal(self, State s, int move, int site) noexcept nogil
    cdef void apply(self, State s, int move, int site, int label) noexcept nogil
    cdef int canonical(self, State s, Gold gold, int site) noexcept nogil
    cdef int can_link(self, State s, Gold gold) noexcept nogil
    cdef bint can_swap(self, State s, Gold gold) noexcept nogil
    cdef bint can_finish(self, State s, Gold gold) noexcept nogil
    cdef bint can_shift(self, State s, Gold gold, State work) noexcept nogil
    cdef int correct(self, State s, Gold gold, State work, bint links_too) noexcept nogil
    @cython.locals(count=cython.int, depth=cython.int)
    cdef int cost(self, State s, Gold gold, int move, int site) noexcept nogil
    @cython.locals(given=cython.bint, root=cython.int)
    cdef bint can_complete(self, Gold gold, int depth, int count) noexcept nogil
    @cython.locals(root=cython.int)
    cdef int choose_root(self, int count) noexcept nogil
    cdef void make_room(self, int n) noexcept with gil
    cdef void find_components(self, Gold gold, State work) noexcept nogil
    @cython.locals(length=cython.int, least=cython.int, swaps=cython.int, t=cython.int)
    cdef int minimize(self, State s, Gold gold, State work, int[::1] best, int[::1] trail, int[::1] seen, long long budget) noexcept nogil
    @cython.locals(one=cython.longlong, two=cython.longlong, slot=cython.Py_ssize_t)
    cdef bint was_here(self, State s, int[::1] seen, int swaps) noexcept nogil
    cpdef void prepare(self, Gold gold, bint lazy)
    cpdef fewest_swaps(self, Gold gold, long long budget)
    @cython.locals(found=cython.int)
    cpdef bint is_unique(self, Gold gold)
    cpdef list correct_moves(self, State s, Gold gold, bint links_too)
    cdef int explore(self, State s, Gold gold, State work, bint may_swap) noexcept nogil
