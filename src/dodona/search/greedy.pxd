cimport cython

from dodona.search.scorer cimport EncodedSentence
from dodona.transitions.gold cimport Gold
from dodona.transitions.policy cimport Policy
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem

cdef tuple arcs_of(State s)
cdef int check_gold(EncodedSentence sentence, Policy policy, Gold gold) except -1

@cython.final
cdef class Allowed:
    cdef int[::1] spans    # begin and end of each range of allowed actions
    cdef int count         # number of ranges

    cdef void add(self, int begin, int end) noexcept nogil
    cdef int allow_legal(self, TransitionSystem system, State s, int site) except -1 nogil
    cdef void allow_costing(self, const int[::1] costs, int cost) noexcept nogil
    cdef double log_sum(self, const float* scores, double temperature) noexcept nogil
