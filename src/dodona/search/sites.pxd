cimport cython

from dodona.scoring.scorer cimport EncodedSentence
from dodona.search.choice cimport Choice
from dodona.search.confidence cimport Confidence
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem

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
