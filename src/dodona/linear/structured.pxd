cimport cython
from libc.stdint cimport uint64_t

from dodona.search.beam cimport Beam
from dodona.linear.features cimport Words
from dodona.transitions.gold cimport Gold
from dodona.transitions.policy cimport Policy
from dodona.data.hashing cimport HashTable
from dodona.linear.scorer cimport LinearScorer
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem
from dodona.linear.weights cimport Weights

cdef struct Change:
    uint64_t key  # of the feature
    int action
    int amount    # how much more often on the correct path than on the other

@cython.final
cdef class StructuredLearner:
    cdef readonly TransitionSystem system
    cdef readonly Weights weights
    cdef long long steps, mistakes           # sentences, and those with an update, since the last report
    cdef readonly long long transitions      # of the correct derivations, since the beginning
    cdef Policy policy
    cdef LinearScorer scorer
    cdef Beam beam                           # searches freely
    cdef Beam guide                          # searches among correct actions
    cdef bint early                          # early update, not max-violation
    cdef int rule
    cdef double aggressiveness
    cdef State s
    cdef int[::1] right, wrong               # the actions of the correct path and of the one that beats it
    cdef double[::1] prefix                  # the score of the correct path after each step
    cdef int[::1] progress                   # and its progress
    cdef HashTable places                    # from features with actions to their places in `changes`, from 1 on
    cdef Change* changes
    cdef Py_ssize_t changed, room

    cdef int learn(self, Words words, Gold gold, int[::1] moves) except -1
    cdef int score_path(self, Words words, int length) except -1
    cdef int correct(self, Words words, Gold gold, int length, int other, double violation) except -1
    cdef int collect(self, Words words, int[::1] path, int shared, int length, int amount) except -1
    cdef int add(self, uint64_t key, int action, int amount) except -1
    cdef int reserve(self, int steps) except -1
