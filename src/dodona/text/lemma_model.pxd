cimport cython
from libc.stdint cimport int32_t, uint64_t

from dodona.scoring.linear.frozen cimport FrozenWeights
from dodona.scoring.linear.weights cimport Weights

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
