cimport cython

from dodona.oracles.policy cimport Policy
from dodona.scoring.scorer cimport EncodedSentence, Scorer
from dodona.search.choice cimport Choice
from dodona.search.confidence cimport Confidence
from dodona.search.sites cimport SiteSearch
from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem

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
