cimport cython
from libc.stdint cimport uint64_t

from dodona.core.features cimport Extractor, Words
from dodona.core.gold cimport Gold
from dodona.core.judging cimport Judge
from dodona.core.state cimport State
from dodona.core.system cimport TransitionSystem
from dodona.core.weights cimport Weights

@cython.final
cdef class Learner:
    cdef readonly TransitionSystem system
    cdef Judge oracle
    cdef readonly Extractor extractor
    cdef readonly Weights weights
    cdef readonly long long steps, mistakes   # since they were last set to 0
    cdef bint random_choice                   # of the correct actions one at random, not the best
    cdef bint stays                           # after a mistake the configuration stays as it is (easy-first)
    cdef int rule                             # PERCEPTRON, PREDICTION (passive-aggressive) or MAX_LOSS
    cdef double aggressiveness
    cdef uint64_t random_state
    cdef State s
    cdef int[::1] costs                       # of the actions at the site at hand; NONE: not legal
    cdef float[::1] scores
    cdef uint64_t[::1] keys
    cdef uint64_t[::1] best_keys              # at the site of the best correct action
    cdef uint64_t[::1] rival_keys             # and of the one that it must beat

    cdef int train_on(
        self, TransitionSystem system, State s, Words words, Gold gold, int[::1] moves, double explore
    ) except -1 nogil
    cdef double random(self) noexcept nogil
