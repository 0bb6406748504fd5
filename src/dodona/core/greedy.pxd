cimport cython
from libc.stdint cimport int32_t, uint32_t, uint64_t

from dodona.core.features cimport Extractor, Words
from dodona.core.gold cimport Gold
from dodona.core.judging cimport Judge
from dodona.core.state cimport State
from dodona.core.system cimport TransitionSystem
from dodona.core.frozen cimport FrozenWeights

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

    cdef int move, label       # the action chosen last
    cdef int32_t best          # and its score
    cdef int[::1] moves        # the best action of each site, for systems with many
    cdef int[::1] labels
    cdef int32_t[::1] bests
    cdef int[::1] winners      # a tournament between sites: match m is between the winners of 2m and 2m + 1
    cdef int leaves

    cdef reserve(self, int capacity)
    cdef void parse_words(self, TransitionSystem system, State s, Words words, Judge judge, Gold gold) noexcept nogil
    cdef int choose_site(self, TransitionSystem system, State s, Words words, Judge judge, Gold gold) noexcept nogil
    cdef void choose(
        self, TransitionSystem system, State s, Words words, int site, Judge judge, Gold gold
    ) noexcept nogil
    cdef void parse_sites(self, TransitionSystem system, State s, Words words) noexcept nogil
    cdef void enter(self, TransitionSystem system, State s, Words words, int site) noexcept nogil
    cdef void play(self, int site) noexcept nogil
