cimport cython
from libc.stdint cimport uint64_t

from dodona.text.tokenizer_features cimport Progress
from dodona.scoring.linear.frozen cimport FrozenWeights
from dodona.text.runs cimport Passage
from dodona.scoring.linear.weights cimport Weights

@cython.final
cdef class Segment:
    cdef readonly list forms            # of the tokens, as they stand in the text
    cdef readonly list starts           # the character at which each begins
    cdef readonly list gaps             # what is between each and the next
    cdef readonly list spaced           # numbers of the tokens with blanks inside
    cdef readonly int first             # run
    cdef readonly list lasts            # run of each token
    cdef readonly bint ends_paragraph
    cdef readonly str text              # of the sentence, or None if not all blanks in it are single spaces

@cython.final
cdef class Segmenter:
    cdef FrozenWeights weights

    cdef int score(self, uint64_t* keys, int count, int question) noexcept nogil
    cdef int decide(self, Passage passage, Progress* at, int k) noexcept nogil

@cython.final
cdef class SegmentLearner:
    cdef readonly Weights weights
    cdef readonly long long asked, mistakes
    cdef float rate

    cdef int learn(self, uint64_t* keys, int count, int question, bint gold) except -1
