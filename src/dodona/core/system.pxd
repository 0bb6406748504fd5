from dodona.core.gold cimport Gold
from dodona.core.state cimport State

cdef int NONE

cdef class TransitionSystem:
    cdef public int labels        # how many labels an arc can carry
    cdef public bint single_root  # exactly one word hangs on ROOT
    cdef public int plain         # how many moves carry no label; they come first
    cdef public int[::1] moves    # the moves, plain ones first
    cdef public int actions       # plain + labels for each of the other moves

    cdef void start(self, State s, int n) noexcept nogil
    cdef bint is_terminal(self, State s) noexcept nogil
    cdef bint legal(self, State s, int move, int site) noexcept nogil
    cdef void apply(self, State s, int move, int site, int label) noexcept nogil
    cdef void act(self, State s, int action, int site, int remembered) noexcept nogil
    cdef int head_of(self, State s, int move, int site) noexcept nogil
    cdef int dependent_of(self, State s, int move, int site) noexcept nogil
    cdef int cost(self, State s, Gold gold, int move, int site) noexcept nogil
    cdef int canonical(self, State s, Gold gold, int site) noexcept nogil
    cdef int canonical_site(self, State s, Gold gold) noexcept nogil
    cdef int next_site(self, State s, int site) noexcept nogil
    cdef void costs(self, State s, Gold gold, int site, int remembered, int[::1] out) noexcept nogil
