cimport cython
from libc.stdint cimport int8_t, int32_t

from dodona.transitions.random_generator cimport RandomGenerator
from dodona.transitions.policy cimport Policy
from dodona.neural.scorer cimport Contributions, HiddenLayer
from dodona.transitions.gold cimport Gold
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem

cdef struct Found:
    int action, site, cost
    float score

@cython.final
cdef class Rollouts:
    cdef readonly Policy policy
    cdef readonly HiddenLayer scorer
    cdef TransitionSystem system
    cdef RandomGenerator generator
    cdef bint random_choice
    cdef State s
    cdef Found best, predicted      # in the current configuration: the best correct action, the best legal one
    cdef int carried
    cdef long long steps, mistakes
    # the records: one row for each site of each configuration
    cdef Py_ssize_t rows, room
    cdef list arrays                # of which the following are views
    cdef int32_t[:, ::1] words      # the row of the word at each position
    cdef int32_t[:, ::1] labels     # the number of the label at each position
    cdef int8_t[:, ::1] verdicts    # for each action 1 if correct, 0 if not, -1 if not legal
    cdef int32_t[::1] step_of       # the configuration that a row belongs to

    cdef int walk(self, State s, Contributions words, Gold gold, int[::1] moves, double explore) except -1 nogil
    cdef int look(self, State s, Contributions words, Gold gold, int planned) except -1 nogil
    cdef int record(self, State s, Contributions words) except -1 nogil
    cdef int judge(self, Py_ssize_t begin) except -1 nogil
    cdef int any_correct(self) noexcept nogil
    cdef int grow(self) except -1 with gil
