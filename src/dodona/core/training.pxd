cimport cython
from libc.stdint cimport uint64_t

from dodona.core.features cimport Extractor, Words
from dodona.core.gold cimport Gold
from dodona.core.state cimport State
from dodona.core.system cimport TransitionSystem
from dodona.core.weights cimport Weights
from dodona.systems.nonmonotonic cimport NonMonotonic

@cython.final
cdef class Learner:
    cdef readonly TransitionSystem system
    cdef readonly Extractor extractor
    cdef readonly Weights weights
    cdef readonly long long steps, mistakes   # since they were last set to 0
    cdef int policy                           # STATIC, ORACLE_SET or COSTS
    cdef bint random_choice                   # of the correct actions one at random, not the best
    cdef bint stays                           # after a mistake the configuration stays as it is (easy-first)
    cdef bint links_too                       # swap-standard's ND-ALL, not ND-SW
    cdef bint joint                           # non-monotonic: prefer what the monotonic oracle allows
    cdef int rule                             # PERCEPTRON, PREDICTION (passive-aggressive) or MAX_LOSS
    cdef double aggressiveness
    cdef uint64_t random_state
    cdef State s, work
    cdef int[::1] costs                       # of the actions at the site at hand; NONE: not legal
    cdef float[::1] scores
    cdef uint64_t[::1] keys
    cdef uint64_t[::1] best_keys              # at the site of the best correct action
    cdef uint64_t[::1] rival_keys             # and of the one that it must beat

    cdef int train_on(
        self, TransitionSystem system, State s, State work, Words words, Gold gold, int[::1] moves, double explore
    ) except -1 nogil
    cdef void judge(
        self, TransitionSystem system, State s, State work, Gold gold, int site, int planned, int remembered
    ) noexcept nogil
    cdef void prefer_monotonic(self, NonMonotonic system, State s, Gold gold) noexcept nogil
    cdef int remembered(self, TransitionSystem system) noexcept nogil
    cdef double random(self) noexcept nogil
    cdef void take(self, TransitionSystem system, State s, int action, int site, int remembered) noexcept nogil
