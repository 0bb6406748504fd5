"""The allowed actions in a configuration, and the one with the highest score."""

from array import array

from libc.math cimport exp, log

from dodona.scoring.scorer cimport label_to_carry
from dodona.transitions.moves import NONE as _NONE

cdef int NONE = _NONE


cdef class Allowed:
    """The allowed actions at a site, as ranges of numbers: the labels of a move are adjacent."""

    def __init__(self, int actions):
        self.spans = array("i", bytes(4 * 2 * (actions + 1)))

    cdef void add(self, int begin, int end) noexcept nogil:
        """Add the actions from `begin` up to `end`, which come after all that were added before."""
        if self.count > 0 and self.spans[2 * self.count - 1] == begin:
            self.spans[2 * self.count - 1] = end
            return
        self.spans[2 * self.count] = begin
        self.spans[2 * self.count + 1] = end
        self.count += 1

    cdef int legal(self, TransitionSystem system, State s, int site) except -1 nogil:
        """Allow the legal actions."""
        cdef int m
        self.count = 0
        for m in range(system.moves.shape[0]):
            if system.legal(s, system.moves[m], site):
                self.add(system.first[m], system.first[m + 1])
        return 0

    cdef void costing(self, const int[::1] costs, int cost) noexcept nogil:
        """Allow the actions of exactly this cost; NONE: none."""
        cdef int a
        self.count = 0
        if cost == NONE:
            return
        for a in range(costs.shape[0]):
            if costs[a] == cost:
                self.add(a, a + 1)

    cdef double log_sum(self, const float* scores, double temperature) noexcept nogil:
        """Return the logarithm of the sum of exp(score / temperature) over the allowed actions, of which there is one.

        A row of scores less this is a row of logarithms of probabilities. exp and log may differ in the last bit from
        one C library to another, so the totals of beams and probabilities may, too. No greedy parse depends on them.
        """
        cdef int i, a
        cdef double total = 0
        cdef float most = scores[self.spans[0]]
        for i in range(self.count):
            for a in range(self.spans[2 * i], self.spans[2 * i + 1]):
                if scores[a] > most:
                    most = scores[a]
        for i in range(self.count):
            for a in range(self.spans[2 * i], self.spans[2 * i + 1]):
                total += exp((<double> scores[a] - most) / temperature)
        return most / temperature + log(total)


cdef class Choice:
    """The best action at one site. One for each thread."""

    def __init__(self, TransitionSystem system, Scorer scorer):
        if scorer.actions != system.actions:
            raise ValueError(f"a scorer of {scorer.actions} actions for a system with {system.actions}")
        self.system = system
        self.scorer = scorer
        self.allowed = Allowed(system.actions)

    cdef bint is_forced(self, State s) except -1 nogil:
        """Return whether only one action is legal, and no scores are needed to choose it; it is chosen."""
        self.allowed.legal(self.system, s, 0)
        if self.allowed.count != 1 or self.allowed.spans[1] - self.allowed.spans[0] != 1:
            return False
        self.action, self.carried = self.allowed.spans[0], NONE
        return self.system.carried_move == NONE

    cdef int look(self, State s, EncodedSentence sentence, int site, Policy policy, Gold gold) except -1 nogil:
        """Find the best legal action at a site; with a policy, only among those of zero cost."""
        cdef int i, a
        cdef float* scores = self.scorer.scores(s, sentence, site)
        self.row = scores
        self.carried = label_to_carry(self.system, scores)
        if policy is None:
            self.allowed.legal(self.system, s, site)
        else:
            policy.assess(s, gold, site, NONE, self.carried)
            self.allowed.costing(policy.costs, 0)
        self.action = NONE
        for i in range(self.allowed.count):
            for a in range(self.allowed.spans[2 * i], self.allowed.spans[2 * i + 1]):
                if self.action == NONE or scores[a] > self.score:
                    self.action, self.score = a, scores[a]
        return 0
