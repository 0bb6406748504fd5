cimport cython
from libc.stdint cimport uint64_t

from dodona.core.beam cimport Beam
from dodona.core.features cimport Extractor, Words
from dodona.core.gold cimport Gold
from dodona.core.judging cimport Judge
from dodona.core.scorer cimport Scorer
from dodona.core.state cimport State
from dodona.core.system cimport TransitionSystem
from dodona.core.weights cimport Weights

cdef struct Change:
    uint64_t key  # of the feature
    int action
    int amount    # how much more often on the correct path than on the other; 0 with action NONE: empty

@cython.final
cdef class StructuredLearner:
    cdef readonly TransitionSystem system
    cdef readonly Weights weights
    cdef readonly long long steps, mistakes  # sentences, and those that led to an update, since they were last set to 0
    cdef Judge oracle
    cdef Scorer scorer
    cdef Extractor extractor
    cdef Beam beam                           # searches freely
    cdef Beam guide                          # searches among correct actions
    cdef bint early                          # update when the correct path leaves the beam, not where it is worst
    cdef int rule
    cdef double aggressiveness
    cdef State s
    cdef uint64_t[::1] keys
    cdef int[::1] right, wrong               # the actions of the correct path and of the one that beats it
    cdef double[::1] prefix                  # the score of the correct path after each step
    cdef Change* changes                     # a hash table
    cdef Py_ssize_t mask, changed

    cdef int learn(self, Words words, Gold gold, int[::1] moves) except -1
    cdef int score_path(self, Words words, int length) except -1
    cdef int correct(self, Words words, Gold gold, int length, int other, double violation) except -1
    cdef int collect(self, Words words, int[::1] path, int shared, int length, int amount) except -1
    cdef int add(self, uint64_t key, int action, int amount) except -1
    cdef int grow(self) except -1
    cdef int reserve(self, int steps) except -1
