cimport cython
from libc.stdint cimport uint64_t

from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem, Workspace

@cython.final
cdef class Policy:
    cdef readonly TransitionSystem system
    cdef readonly int[::1] costs    # of the actions at the site assessed last; NONE: not legal
    cdef int kind                   # STATIC, SET, COSTS or PENALTIES
    cdef bint links_too             # ND-ALL, not ND-SW
    cdef bint preferring            # of the zero-cost actions, keep those that the system prefers
    cdef int[::1] forbidden             # labels that no arc of the gold tree may carry; empty if all may
    cdef Workspace work

    cdef int assess(self, State s, Gold gold, int site, int planned, int carried) except -1 nogil
    cdef int mark_correct(self, State s, Gold gold, int site, int correct) except -1 nogil
    cdef int keep_preferred(self, State s, Gold gold) except -1 nogil
    cdef int avoid_forbidden(self, State s, Gold gold, int site) except -1 nogil

@cython.final
cdef class RandomGenerator:
    cdef uint64_t state

    cdef double random(self) noexcept nogil
    cdef int place_of(self, const int[::1] values, int value, int otherwise) noexcept nogil
