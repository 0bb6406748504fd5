cimport cython
from libc.stdint cimport int32_t, uint32_t, uint64_t

from dodona.core.features cimport Extractor, Words
from dodona.core.state cimport State
from dodona.core.system cimport TransitionSystem
from dodona.core.weights cimport FrozenWeights

@cython.final
cdef class GreedyParser:
    cdef readonly TransitionSystem system
    cdef Extractor extractor
    cdef FrozenWeights weights
    cdef State s
    cdef int capacity
    cdef int32_t[::1] scores
    cdef uint64_t[::1] keys
    cdef uint32_t[::1] found

    cdef void parse_words(self, TransitionSystem system, State s, Words words) noexcept nogil
