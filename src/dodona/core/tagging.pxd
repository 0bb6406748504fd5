cimport cython
from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t

from dodona.core.frozen cimport FrozenWeights
from dodona.core.weights cimport Weights

@cython.final
cdef class TagSet:
    cdef readonly int parts             # how many parts of tags there are
    cdef readonly int count             # tags
    cdef readonly int nodes             # of the tree of tags
    cdef const int32_t[::1] parents     # of each node, earlier than itself; -1 for none
    cdef const uint16_t[::1] part       # of each node
    cdef const int32_t[::1] ends        # the node where each tag ends
    cdef const uint64_t[::1] names      # of each tag, as its neighbours see it
    cdef const uint64_t[::1] classes    # of each tag, its UPOS as its neighbours see it

    cdef bint has(self, int tag, int part) noexcept nogil

@cython.final
cdef class Lexicon:
    cdef uint32_t* words                # an open table of hashes, 0: empty
    cdef int32_t* entries               # and the entry of each word
    cdef uint32_t mask
    cdef const int32_t[::1] usual       # of each entry, the tag that is most frequent
    cdef const int32_t[::1] begins      # of each entry, where its possible tags begin in `tags`; no tags: all
    cdef const int32_t[::1] tags

    cdef int find(self, uint64_t word) noexcept nogil

@cython.final
cdef class Traits:
    cdef readonly int n
    cdef Lexicon lexicon
    cdef uint64_t* values           # a row for each word, with empty ones before and after
    cdef int32_t* entries           # of each word in the lexicon; -1: none

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
    cdef uint32_t[::1] found

    cdef void tag_words(self, TagSet tagset, Lexicon lexicon, Traits traits, int32_t[::1] tags) noexcept nogil
