cimport cython
from libc.stdint cimport uint64_t

from dodona.scoring.addresses cimport Addresses
from dodona.scoring.linear.frozen cimport FrozenWeights
from dodona.scoring.scorer cimport EncodedSentence
from dodona.transitions.state cimport State

@cython.final
cdef class Words(EncodedSentence):
    cdef uint64_t* atoms  # one row of n + 2 for each column; ROOT's value is first, nobody's last

@cython.final
cdef class Extractor:
    cdef readonly int most              # how many features a configuration can have
    cdef int atom_count
    cdef Addresses addresses
    cdef int[::1] atoms, combinations
    cdef uint64_t[::1] begins           # the hash of each template: templates must not share keys
    cdef uint64_t[::1] values           # the value of each atom
    cdef int[::1] silent                # whether its node is nobody

    cdef void look(self, State s, Words words, int site) noexcept nogil
    cdef uint64_t signature(self) noexcept nogil
    cdef int name(self, uint64_t* keys, FrozenWeights weights) noexcept nogil
