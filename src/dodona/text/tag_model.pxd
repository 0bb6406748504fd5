cimport cython
from libc.stdint cimport int32_t, uint64_t

from dodona.scoring.linear.frozen cimport FrozenWeights
from dodona.scoring.linear.weights cimport Weights
from dodona.text.tag_features cimport Lexicon, TagSet, Traits
from dodona.transitions.watch cimport Watch

@cython.final
cdef class TagLearner:
    cdef TagSet tagset
    cdef readonly Weights weights
    cdef float[::1] scores, sums
    cdef uint64_t[::1] keys
    cdef uint64_t seed
    cdef long long steps, mistakes

    cdef int train_on(self, TagSet tagset, Lexicon lexicon, Traits traits, const int32_t[::1] gold) except -1 nogil
    cdef int hide(self, uint64_t* keys, int count) noexcept nogil

@cython.final
cdef class GreedyTagger:
    cdef TagSet tagset
    cdef FrozenWeights weights
    cdef int32_t[::1] scores, sums
    cdef uint64_t[::1] keys
    cdef Watch watch
    cdef Traits traits              # of one sentence

    cdef int tag_words(self, TagSet tagset, Lexicon lexicon, Traits traits, int32_t* tags) except -1 nogil
