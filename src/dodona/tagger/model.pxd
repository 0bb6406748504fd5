cimport cython
from libc.stdint cimport int32_t, uint16_t, uint64_t
from dodona.data.values cimport Values
from dodona.data.hashing cimport HashTable
from dodona.data.hashing cimport Letters
from libc.stdint cimport int32_t, uint64_t
from dodona.linear.frozen cimport FrozenWeights
from dodona.linear.weights cimport Weights
from dodona.transitions.watch cimport Watch

cdef enum:  # the traits of a word
    FORM = 0
    LOWER = 1
    SHAPE = 2
    KIND = 3
    PREFIX = 4
    SUFFIX = 8
    WIDTH = 15

cdef enum:
    PREFIXES = 4
    SUFFIXES = 7
    BORDER = 2          # rows before the first and after the last word
    MOST_FEATURES = 48
    NOBODY = 5          # the tag and the form of a missing word
    RARE = 7            # the form of all words that the lexicon does not have

@cython.final
cdef class TagSet:
    cdef readonly int parts             # how many parts of tags there are
    cdef readonly int count             # tags
    cdef readonly int nodes             # of the tree of tags
    cdef const int32_t[::1] parents     # of each node, earlier than itself; -1 for none
    cdef const uint16_t[::1] part       # of each node
    cdef const int32_t[::1] ends        # the node where each tag ends
    cdef const uint64_t[::1] names      # of each tag, as a feature of its neighbours
    cdef const uint64_t[::1] classes    # of each tag, its UPOS as a feature of its neighbours

    cdef bint has(self, int tag, int part) noexcept nogil

@cython.final
cdef class Lexicon:
    cdef HashTable words                # from half of a word's hash to its entry
    cdef const int32_t[::1] usual       # of each entry, the tag that is most frequent
    cdef const int32_t[::1] begins      # of each entry, where its possible tags begin in `tags`; no tags: all
    cdef const int32_t[::1] tags

    cdef int find(self, uint64_t word) noexcept nogil

@cython.final
cdef class Traits:
    cdef readonly int n
    cdef int room                   # words for which there is memory
    cdef Lexicon lexicon
    cdef uint64_t* values           # a row for each word, with empty ones before and after
    cdef int32_t* entries           # of each word in the lexicon; -1: none
    cdef Letters letters            # of one word

    cdef int fill(self, Values words, TagSet tagset, Lexicon lexicon) except -1 nogil
    cdef int make_room(self, int n) except -1 nogil

cdef int extract(
    const uint64_t* row, bint first, uint64_t tag1, uint64_t class1, uint64_t class2, uint64_t* keys
) noexcept nogil

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
