cimport cython
from libc.stdint cimport uint64_t

from dodona.transitions.random_generator cimport RandomGenerator
from dodona.transitions.policy cimport Policy
from dodona.linear.features cimport Words
from dodona.linear.scorer cimport LinearScorer
from dodona.linear.weights cimport Weights
from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem

cdef struct Candidate:
    int action           # NONE: none yet
    int site
    int cost
    int count            # features at that site
    float score

@cython.final
cdef class GreedyLearner:
    cdef readonly TransitionSystem system
    cdef readonly Weights weights
    cdef Policy policy
    cdef LinearScorer scorer
    cdef long long steps, mistakes            # since the last report
    cdef readonly long long transitions       # of the derivations followed, since the beginning
    cdef bint random_choice                   # a random correct action, not the best one
    cdef bint stays                           # after a mistake the configuration does not change (easy-first)
    cdef int rule                             # PERCEPTRON, PREDICTION (passive-aggressive) or MAX_LOSS
    cdef double aggressiveness
    cdef RandomGenerator generator
    cdef State s
    cdef Candidate best                       # the correct action with the highest score
    cdef Candidate predicted                  # the legal action with the highest score
    cdef Candidate rival                      # the action that the update is against
    cdef int carried                          # the label that a plain move carries
    cdef uint64_t[::1] best_keys              # the features at the site of `best`
    cdef uint64_t[::1] rival_keys             # and at that of `rival`

    cdef int train_on(
        self, State s, Words words, Gold gold, int[::1] moves, double explore
    ) except -1 nogil
    cdef int look(self, State s, Words words, Gold gold, int planned) except -1 nogil
    cdef void compare(self, const float* scores, int site) noexcept nogil
    cdef int update(self) except -1 nogil
    cdef void leave_out_shared(self) noexcept nogil
    cdef int any_correct(self) noexcept nogil
