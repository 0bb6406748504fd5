from dodona.transitions.state cimport State
cimport cython
from dodona.transitions.policy cimport Policy
from dodona.search.scorer cimport EncodedSentence, Scorer
from dodona.transitions.gold cimport Gold
from dodona.transitions.system cimport TransitionSystem
from dodona.search.scorer cimport EncodedSentence

cdef tuple arcs_of(State s)

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

@cython.final
cdef class Confidence:
    cdef TransitionSystem system
    cdef Choice choice
    cdef Policy policy         # None: no arcs are given
    cdef Gold gold
    cdef double[::1] found     # at 0 the mean of the logarithms, then the probability for each word
    cdef double temperature
    cdef double total          # of the logarithms
    cdef Py_ssize_t actions    # how many were taken

    cdef int act(self, State s, EncodedSentence sentence, int action, int site, int carried) except -1 nogil
    cdef int look(self, State s, EncodedSentence sentence, int site) except -1 nogil
    cdef void finish(self) noexcept nogil

@cython.final
cdef class SiteSearch:
    cdef TransitionSystem system
    cdef Choice choice
    cdef int[::1] actions      # the best action of each site
    cdef int[::1] carried      # the label that it carries
    cdef float[::1] scores
    cdef int[::1] winners      # a tournament between sites: match m is between the winners of 2m and 2m + 1
    cdef int leaves

    cdef int search(self, State s, EncodedSentence sentence, Confidence sure) except -1 nogil
    cdef int enter_around(self, State s, EncodedSentence sentence, int site) except -1 nogil
    cdef int enter(self, State s, EncodedSentence sentence, int site) except -1 nogil
    cdef void play(self, int site) noexcept nogil

@cython.final
cdef class GreedySearch:
    cdef readonly TransitionSystem system
    cdef readonly Scorer scorer
    cdef Choice choice
    cdef SiteSearch sites
    cdef State s
    cdef int capacity

    cdef reserve(self, int capacity)
    cdef State ready(self, EncodedSentence sentence)
    cdef Confidence watching(
        self, EncodedSentence sentence, Policy policy, Gold gold, double[::1] confidence, double temperature
    )
    cdef int search(
        self, State s, EncodedSentence sentence, Policy policy, Gold gold, Confidence sure
    ) except -1 nogil
    cdef int choose(self, State s, EncodedSentence sentence, Policy policy, Gold gold) except -1 nogil
