cimport cython

from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem

cdef enum:
    NONE = -1  # no action, no site, no label, no head: as in dodona.transitions.moves, for compiled files

cdef class EncodedSentence:
    cdef readonly int n           # words

cdef class Scorer:
    cdef readonly int actions
    cdef readonly int reach       # how many sites to either side of a site its scores depend on; NONE: on all
    cdef readonly type sentences  # the kind of sentence that it scores
    cdef readonly bint normalized  # scores are logarithms of probabilities up to a constant in each configuration

    cdef float* scores(self, State s, EncodedSentence sentence, int site) except NULL nogil

@cython.final
cdef class CallableScorer(Scorer):
    cdef readonly object function
    cdef float[::1] row

cdef int label_to_carry(TransitionSystem system, const float* scores) noexcept nogil
