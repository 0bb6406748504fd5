cimport cython

from dodona.search.greedy cimport Allowed
from dodona.search.scorer cimport EncodedSentence, Scorer
from dodona.transitions.gold cimport Gold
from dodona.transitions.policy cimport Policy
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem
from dodona.transitions.watch cimport Watch

cdef struct Continuation:
    double score
    int order       # of two with the same score the first one is better
    int parent      # rank of the hypothesis it continues
    int action      # NONE: the hypothesis is finished, or waits for others, and does not change
    int carried     # the label that a plain move carries

@cython.final
cdef class Beam:
    cdef readonly TransitionSystem system
    cdef readonly Scorer scorer
    cdef readonly int width
    cdef bint traced
    cdef Allowed allowed
    cdef int[::1] plan                 # the moves of a planned derivation
    cdef int planned                   # and how many
    cdef readonly int size             # how many hypotheses there are, best first
    cdef readonly int step             # how often hypotheses were continued
    cdef int slowest                   # the progress of those that were continued last
    cdef int capacity
    cdef Watch watch
    cdef list states, spare
    cdef double[::1] totals            # the score of each hypothesis
    cdef Continuation* heap               # the best continuations so far, the worst of them on top
    cdef int held, seen
    cdef int[::1] parents, actions     # of all hypotheses ever kept: `width` for each step
    cdef int[::1] children             # how many continuations of each hypothesis were kept

    cdef int begin(self, int n) except -1
    cdef bint advance(self, EncodedSentence sentence, Policy policy, Gold gold) except -1
    cdef int expand(self, int rank, State s, EncodedSentence sentence, Policy policy, Gold gold) except -1
    cdef void offer(self, double score, int parent, int action, int carried) noexcept nogil
    cdef int keep(self) except -1
    cdef State vacant(self)
    cdef int reserve(self, int n) except -1
    cdef int path(self, int step, int rank, int* actions) noexcept nogil
    cdef int rank_of(self, int parent, int action) noexcept nogil
