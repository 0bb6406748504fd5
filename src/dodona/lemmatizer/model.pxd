cimport cython
from libc.stdint cimport uint64_t
from dodona.data.values cimport Inventory, Values
from dodona.data.hashing cimport HashTable
from libc.stdint cimport int32_t, uint64_t
from dodona.linear.frozen cimport FrozenWeights
from dodona.linear.weights cimport Weights

cdef struct Entry:
    int upos, feats         # numbers in their inventories
    int begin, middle, end  # of the form and the lemma in the text of the cache

@cython.final
cdef class LemmaCache:
    cdef HashTable table            # from a hash of form and tags to the number of the entry
    cdef Entry* entries
    cdef int count
    cdef char* text
    cdef int used
    cdef Inventory upos, feats      # to which the numbers belong
    cdef object work_out            # returns the lemma of a form, UPOS and FEATS

    cdef Entry* find(self, Values forms, Values upos, Values feats, int i, uint64_t* key) noexcept nogil
    cdef bint takes(self, Values forms, upos, feats) except -1
    cdef Values collected(self, const int* place, int n)
    cdef bint find_all(self, Values forms, Values upos, Values feats, int* place) noexcept nogil
    cdef list learn_all(self, Values forms, Values upos, Values feats)
    cdef str learn(self, Values forms, int upos, int feats, int i, uint64_t key)

@cython.final
cdef class Scripts:
    cdef readonly int count
    cdef const int32_t[::1] prefix_sizes    # of each script, the length of the prefix that it removes
    cdef const int32_t[::1] suffix_sizes    # and of the suffix
    cdef const uint64_t[::1] prefixes       # the hashes of these affixes
    cdef const uint64_t[::1] suffixes

@cython.final
cdef class ScriptLearner:
    cdef Scripts scripts
    cdef readonly Weights weights
    cdef float[::1] scores

@cython.final
cdef class ScriptChooser:
    cdef Scripts scripts
    cdef FrozenWeights weights
