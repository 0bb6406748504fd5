cimport cython

from dodona.scoring.scorer cimport EncodedSentence
from dodona.oracles.policy cimport Policy
from dodona.search.choice cimport Choice
from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem

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
