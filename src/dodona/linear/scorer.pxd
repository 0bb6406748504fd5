cimport cython
from libc.stdint cimport int32_t, uint64_t

from dodona.linear.features cimport Extractor, Words
from dodona.linear.frozen cimport FrozenWeights
from dodona.linear.weights cimport Weights
from dodona.search.scorer cimport EncodedSentence, Scorer
from dodona.transitions.state cimport State

@cython.final
cdef class LinearScorer(Scorer):
    cdef Extractor extractor
    cdef readonly Weights weights  # during training; or None, and
    cdef FrozenWeights frozen      # frozen weights
    cdef bint is_learning
    cdef bint cached
    cdef uint64_t[::1] keys        # the features of the configuration scored last
    cdef int count                 # their number; NONE: not computed yet
    cdef int32_t[::1] numbers
    cdef uint64_t[::1] signatures  # the signature that each row of `rows` was computed for; 0: none
    cdef float[::1] rows
    cdef bint in_parts             # whether scores are sums of two parts:
    cdef Extractor steady          # of features that depend only on the words on stack and buffer,
    cdef Extractor changing        # and of all others
    cdef uint64_t[::1] steady_signatures
    cdef int32_t[::1] steady_rows

    cdef void forget(self) noexcept nogil
    cdef void begin(self, State s, Words words, int site) noexcept nogil
    cdef float* finish(self) noexcept nogil
    cdef float* sum_of_parts(self, State s, Words words, int site) noexcept nogil
    cdef int features(self) noexcept nogil
