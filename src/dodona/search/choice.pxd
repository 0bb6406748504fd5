cimport cython

from dodona.oracles.policy cimport Policy
from dodona.scoring.scorer cimport EncodedSentence, Scorer
from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem

@cython.final
cdef class Allowed:
    cdef int[::1] spans    # begin and end of each range of allowed actions
    cdef int count         # number of ranges

    cdef void add(self, int begin, int end) noexcept nogil
    cdef int legal(self, TransitionSystem system, State s, int site) except -1 nogil
    cdef void costing(self, const int[::1] costs, int cost) noexcept nogil
    cdef double log_sum(self, const float* scores, double temperature) noexcept nogil

@cython.final
cdef class Choice:
    cdef readonly TransitionSystem system
    cdef readonly Scorer scorer
    cdef Allowed allowed
    cdef float* row        # the scores at the last site
    cdef int action        # the best one there; NONE: there is none
    cdef float score       # and its score
    cdef int carried       # the label that a plain move carries

    cdef bint is_forced(self, State s) except -1 nogil
    cdef int look(self, State s, EncodedSentence sentence, int site, Policy policy, Gold gold) except -1 nogil
