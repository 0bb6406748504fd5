"""Rollouts: the core walks through derivations, the network scores, and every configuration is recorded.

A network learns from many configurations at a time. A rollout follows Algorithm 3 of Goldberg and Nivre (2013) with the
weights as they are; what it saw, and which actions were correct there, is learned from afterwards in one batch.
"""

import numpy as np

cimport cython
from libc.stdint cimport int8_t, int32_t

from dodona.neural.scorer cimport Contributions, HiddenLayer
from dodona.search.scorer cimport label_to_carry
from dodona.transitions.gold cimport Gold
from dodona.transitions.policy cimport Policy, RandomGenerator
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem

from dodona.transitions.moves import NONE as _NONE

cdef int NONE = _NONE
cdef int8_t CORRECT = 1, WRONG = 0, ILLEGAL = -1


cdef struct Candidate:
    int action, site, cost
    float score


@cython.final
cdef class Rollouts:
    """Walks under a policy with the scores of a network's hidden layer, and its records."""

    cdef readonly Policy policy
    cdef readonly HiddenLayer scorer
    cdef TransitionSystem system
    cdef RandomGenerator generator
    cdef bint random_choice
    cdef State s
    cdef Candidate best, predicted  # in the current configuration: the best correct action, the best legal one
    cdef int carried
    cdef long long steps, mistakes
    # the records: one row for each site of each configuration
    cdef Py_ssize_t rows, room
    cdef list arrays                # of which the following are views
    cdef int32_t[:, ::1] words      # the row of the word at each position
    cdef int32_t[:, ::1] labels     # the number of the label at each position
    cdef int8_t[:, ::1] verdicts    # for each action 1 if correct, 0 if not, -1 if not legal
    cdef int32_t[::1] step_of       # the configuration that a row belongs to

    def __init__(self, Policy policy, HiddenLayer scorer, *, bint random_choice=False, int longest=0, seed=1):
        self.policy = policy
        self.scorer = scorer
        self.system = policy.system
        if scorer.actions != self.system.actions:
            raise ValueError(f"a scorer of {scorer.actions} actions for a system with {self.system.actions}")
        self.random_choice = random_choice
        self.generator = RandomGenerator(seed)
        self.s = State(longest)
        self.arrays = []
        self.grow()

    def rescore(self, HiddenLayer scorer not None):
        """Go on with other weights of the same network."""
        if (scorer.actions, scorer.words, scorer.labels) != (
            self.scorer.actions, self.scorer.words, self.scorer.labels
        ):
            raise ValueError("a scorer of another shape")
        self.scorer = scorer

    def reseed(self, seed):
        """Begin a new sequence of random numbers."""
        self.generator = RandomGenerator(seed)

    def follow(self, Contributions words not None, Gold gold not None, int[::1] moves, double explore):
        """Walk through a sentence; `explore` is the probability that a mistake is followed. `moves` is a planned
        derivation, or empty for the system's canonical one."""
        self.scorer.check(words)
        if gold.n != words.n or gold.n + 2 > self.s.width:
            raise ValueError(f"a gold tree of {gold.n} words for {words.n}, with room for {self.s.width - 2}")
        cdef State s = self.s
        with nogil:
            self.walk(s, words, gold, moves, explore)

    def count(self):
        """Return (steps, mistakes) since the last call."""
        counted = self.steps, self.mistakes
        self.steps = self.mistakes = 0
        return counted

    def records(self):
        """Return (words, labels, verdicts, configurations) of all rows since the last call, one row for each site."""
        n = self.rows
        self.rows = 0
        return tuple(part[:n].copy() for part in self.arrays)

    cdef int walk(self, State s, Contributions words, Gold gold, int[::1] moves, double explore) except -1 nogil:
        cdef int step = 0
        self.system.start(s, gold.n)
        while not self.system.is_terminal(s):
            self.look(s, words, gold, moves[step] if step < moves.shape[0] else NONE)
            step += 1
            self.steps += 1
            if self.predicted.cost <= self.best.cost:
                self.system.act(s, self.predicted.action, self.predicted.site, self.carried)
                continue
            self.mistakes += 1
            if explore > 0 and self.generator.random() < explore:
                self.system.act(s, self.predicted.action, self.predicted.site, self.carried)
            else:
                self.system.act(s, self.any_correct(), self.best.site, self.carried)
        return 0

    cdef int look(self, State s, Contributions words, Gold gold, int planned) except -1 nogil:
        """Score, assess and record all actions at all sites: find `best` and `predicted`."""
        cdef int site = 0, a, cost
        cdef Py_ssize_t begin = self.rows
        cdef float* scores
        self.best.action = self.predicted.action = NONE
        while site != NONE:
            scores = self.scorer.scores(s, words, site)
            self.carried = label_to_carry(self.system, scores)
            self.policy.assess(s, gold, site, planned, self.carried)
            self.record(s, words)
            for a in range(self.system.actions):
                cost = self.policy.costs[a]
                if cost == NONE:
                    continue
                if self.best.action == NONE or cost < self.best.cost or (
                    cost == self.best.cost and scores[a] > self.best.score
                ):
                    self.best = Candidate(a, site, cost, scores[a])
                if self.predicted.action == NONE or scores[a] > self.predicted.score:
                    self.predicted = Candidate(a, site, cost, scores[a])
            site = self.system.next_site(s, site)
        if self.best.action == NONE:
            self.system.dead_end(s)
        return self.judge(begin)

    cdef int record(self, State s, Contributions words) except -1 nogil:
        """Append a row: what the scorer has just seen, and the cost of each action, at most 100."""
        cdef int i, cost, shown = self.scorer.words
        cdef int* nodes = self.scorer.addresses.nodes
        if self.rows == self.room:
            self.grow()
        for i in range(shown):
            self.words[self.rows, i] = words.row_of(nodes[i])
        for i in range(self.scorer.labels):
            self.labels[self.rows, i] = s.label[nodes[shown + i]] + 1
        for i in range(self.system.actions):
            cost = self.policy.costs[i]
            self.verdicts[self.rows, i] = ILLEGAL if cost == NONE else min(cost, 100)
        self.step_of[self.rows] = <int32_t> self.steps
        self.rows += 1
        return 0

    cdef int judge(self, Py_ssize_t begin) except -1 nogil:
        """Turn the costs in the rows of this configuration into verdicts: correct are the actions of least cost."""
        cdef Py_ssize_t r
        cdef int a
        cdef int8_t cost, least = <int8_t> min(self.best.cost, 100)
        for r in range(begin, self.rows):
            for a in range(self.system.actions):
                cost = self.verdicts[r, a]
                if cost != ILLEGAL:
                    self.verdicts[r, a] = CORRECT if cost == least else WRONG
        return 0

    cdef int any_correct(self) noexcept nogil:
        """Return the best correct action; with `random_choice` and one site, a random correct action."""
        if self.random_choice and not self.system.has_sites:
            return self.generator.place_of(self.policy.costs, self.best.cost, self.best.action)
        return self.best.action

    cdef int grow(self) except -1 with gil:
        """Make room for more rows."""
        cdef Py_ssize_t room = max(4096, 2 * self.room)
        shapes = ((room, self.scorer.words), (room, self.scorer.labels), (room, self.system.actions), (room,))
        kinds = (np.int32, np.int32, np.int8, np.int32)
        grown = [np.zeros(shape, kind) for shape, kind in zip(shapes, kinds, strict=True)]
        for new, old in zip(grown, self.arrays, strict=False):
            new[: self.room] = old
        self.words, self.labels, self.verdicts, self.step_of = grown
        self.arrays = grown
        self.room = room
        return 0
