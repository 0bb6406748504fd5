cimport cython

from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State

cdef int NONE

@cython.final
cdef class Workspace:
    cdef public State state        # a configuration to search from
    cdef public Gold tree          # the target tree
    cdef public int[::1] items     # nodes in some order
    cdef public int count          # how many items there are
    cdef public int depth          # how many of them are on the stack
    cdef public int[::1] position  # the index of a node among them
    cdef public int[::1] heads     # of the items, as positions

    cdef int reserve(self, int n) except -1 with gil
    cdef bint is_needed(self, State s, Gold gold, int k, int removed) noexcept nogil
    cdef bint is_waiting(self, State s, Gold gold, int k, int removed) noexcept nogil

cdef class TransitionSystem:
    cdef public int labels        # how many labels an arc can carry
    cdef public bint single_root  # exactly one word is attached to ROOT
    cdef public int plain         # how many moves carry no label; they come first
    cdef public int[::1] moves    # the moves, plain ones first
    cdef public int[::1] first    # the number of each move's first action, and at the end the number of actions
    cdef public int actions       # plain + labels for each of the other moves
    cdef public bint has_sites    # actions are taken at one of many sites, not at 0 only
    cdef public bint has_preferences  # `prefers` distinguishes zero-cost moves
    cdef public int carried_move  # SHIFT carries the best label of this move; NONE: no label
    cdef readonly TransitionSystem dispatch  # what compiled loops call: this system, or what calls overrides in Python

    cpdef TransitionSystem dispatcher(self)
    cdef int update(self) except -1
    cdef int start(self, State s, int n) except -1 nogil
    cdef bint is_terminal(self, State s) except -1 nogil
    cdef bint legal(self, State s, int move, int site) except -1 nogil
    cdef int apply(self, State s, int move, int site, int label) except -1 nogil
    cdef int progress(self, State s) except -1 nogil
    cdef int dead_end(self, State s) except -1 with gil
    cdef int act(self, State s, int action, int site, int carried) except -1 nogil
    cdef int move_of(self, int action) noexcept nogil
    cdef int label_of(self, int action) noexcept nogil
    cdef int head_of(self, State s, int move, int site) except -1 nogil
    cdef int dependent_of(self, State s, int move, int site) except -1 nogil
    cdef int next_site(self, State s, int site) except -2 nogil
    cdef int reopened_site(self, State s) except -2 nogil
    cdef int cost(self, State s, Gold gold, int move, int site) except? -1 nogil
    cdef int unknown_cost(self) except -1 with gil
    cdef int penalty(self, State s, Gold gold, int move, int site, Workspace work) except? -1 nogil
    cdef bint prefers(self, State s, Gold gold, int move, int label) except -1 nogil
    cdef bint reaches(self, State s, Gold gold, Workspace work) except -1 nogil
    cdef int correct_moves(self, State s, Gold gold, Workspace work, bint links_too) except -1 nogil
    cdef int canonical(self, State s, Gold gold, int site) except -2 nogil
    cdef int unknown_canonical(self) except -2 with gil
    cdef int canonical_site(self, State s, Gold gold) except -2 nogil
    @cython.locals(cost=cython.int)
    cdef int costs(self, State s, Gold gold, int site, int carried, int[::1] out) except -1 nogil
    @cython.locals(penalty=cython.int)
    cdef int penalties(self, State s, Gold gold, int site, int carried, Workspace work, int[::1] out) except -1 nogil
    cdef int write_costs(
        self, State s, Gold gold, int m, int site, int carried, int cost, int[::1] out
    ) except -1 nogil
    cdef void forbid(self, int m, int[::1] out) noexcept nogil
