cimport cython
from libc.stdint cimport int32_t, uint32_t, uint64_t

from dodona.core.features cimport Extractor, Words
from dodona.core.frozen cimport FrozenWeights
from dodona.core.state cimport State
from dodona.core.system cimport TransitionSystem
from dodona.core.weights cimport Weights

ctypedef fused Score:
    float
    int32_t

cdef int label_to_remember(TransitionSystem system, Score* scores) noexcept nogil

@cython.final
cdef class Scorer:
    cdef readonly int actions
    cdef Extractor extractor
    cdef Weights learning          # one of the two is None
    cdef FrozenWeights frozen
    cdef bint is_learning
    cdef uint64_t[::1] keys
    cdef uint32_t[::1] found
    cdef int32_t[::1] numbers
    cdef uint64_t[::1] signatures  # what each row of `rows` was computed for; 0: nothing
    cdef float[::1] rows

    cdef void forget(self) noexcept nogil
    cdef float* scores(self, State s, Words words) noexcept nogil
