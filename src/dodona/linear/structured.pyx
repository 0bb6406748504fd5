"""Structured perceptron with a beam: one update per sentence, between two derivations (Collins and Roark 2004; Huang et
al. 2012).

The correct derivation is the static oracle's. If the oracle allows several, it is a latent variable: the best one that
a beam search among correct actions finds with the current weights (Björkelund and Nivre 2015, section 5). There is a
violation where the best hypothesis of the free search has a higher score than the correct derivation, which waits where
a hypothesis of the same progress would, and hurries if it is behind all of them. Max-violation updates up to the step
where the difference is largest; early update up to the step where the correct derivation falls out of the beam.
"""

from array import array

cimport cython
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, realloc

from dodona.data.hashing cimport HashTable, Slot, mix
from dodona.linear.scorer cimport LinearScorer, Words
from dodona.linear.weights cimport Weights
from dodona.search.beam cimport Beam
from dodona.search.scorer cimport NONE, label_to_carry
from dodona.transitions.gold cimport Gold
from dodona.transitions.policy cimport Policy
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem

from dodona.linear.perceptron import RULES

cdef int PERCEPTRON = RULES["perceptron"]


cdef struct Change:
    uint64_t key  # of the feature
    int action
    int amount    # how much more often on the correct path than on the other


@cython.final
cdef class StructuredLearner:
    """A model during training, with a beam of `width` hypotheses. `latent`: the oracle allows several derivations."""

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

    def __cinit__(
        self, Policy policy, templates, *, int width, bint latent, bint early=False, str rule="perceptron",
        double aggressiveness=1.0, int longest=0,
    ):
        self.policy = policy
        self.system = policy.system
        self.weights = Weights(self.system.actions)
        self.scorer = LinearScorer(templates, self.weights, cached=True)
        self.beam = Beam(self.system, self.scorer, width, traced=True)
        self.guide = Beam(self.system, self.scorer, width if latent else 1, traced=True)
        self.early = early
        self.rule = RULES[rule]
        self.aggressiveness = aggressiveness
        self.s = State(longest)
        self.right, self.wrong, self.progress, self.prefix = [array(kind, [0]) for kind in "iiid"]
        self.reserve(4 * longest)
        self.places = HashTable()

    def __dealloc__(self):
        free(self.changes)

    def train(self, Words words not None, Gold gold not None, int[::1] moves, double explore):
        """Train on one sentence; `moves` is a planned derivation, or empty for the oracle's. The beam itself explores,
        so `explore` has no effect."""
        if gold.n != words.n or gold.n + 2 > self.s.width:
            raise ValueError(f"a gold tree of {gold.n} words for {words.n}, with room for {self.s.width - 2}")
        self.learn(words, gold, moves)

    def count(self):
        """Return (sentences, sentences with an update) since the last call."""
        counted = self.steps, self.mistakes
        self.steps = self.mistakes = 0
        return counted

    cdef int learn(self, Words words, Gold gold, int[::1] moves) except -1:
        cdef Beam beam = self.beam
        cdef int length, action, other, done = 0, tracked = 0  # of the correct path: actions taken, rank in the beam
        cdef int worst_step = 0, worst_done = 0
        cdef double violation, worst = -1
        self.steps += 1
        self.weights.now += 1
        self.scorer.forget()
        self.guide.search(words, self.policy, gold, moves)
        self.reserve(self.guide.step)
        length = self.guide.path(self.guide.step, 0, &self.right[0])
        self.transitions += length
        self.score_path(words, length)
        beam.begin(words.n)
        while beam.advance(words, None, None):
            self.reserve(beam.step)
            action = NONE
            while done < length and self.progress[done] < beam.slowest:
                done += 1
            if done < length and self.progress[done] == beam.slowest:
                action = self.right[done]
                done += 1
            if tracked != NONE:
                tracked = beam.rank_of(tracked, action)
            violation = beam.totals[0] - self.prefix[done]
            if tracked != 0 and (self.early or violation >= worst):
                worst, worst_step, worst_done = violation, beam.step, done
                if self.early and tracked == NONE:
                    break
            elif self.early:
                worst = -1
        if worst >= 0:
            other = beam.path(worst_step, 0, &self.wrong[0])
            self.mistakes += 1
            self.correct(words, gold, worst_done, other, worst)
        return 0

    cdef int score_path(self, Words words, int length) except -1:
        """Fill `prefix` and `progress` for the correct path."""
        cdef int step
        cdef float* scores
        self.system.start(self.s, words.n)
        self.prefix[0] = 0
        for step in range(length):
            self.progress[step] = self.system.progress(self.s)
            scores = self.scorer.scores(self.s, words, 0)
            self.prefix[step + 1] = self.prefix[step] + scores[self.right[step]]
            self.system.act(self.s, self.right[step], 0, label_to_carry(self.system, scores))
        return 0

    cdef int correct(self, Words words, Gold gold, int length, int other, double violation) except -1:
        """Update the weights towards the correct path, up to `length` steps, and away from the other path."""
        cdef int shared = 0, k, loss = 0
        cdef Py_ssize_t i
        cdef double norm = 0, delta = 1
        while shared < length and shared < other and self.right[shared] == self.wrong[shared]:
            shared += 1
        self.places.clear()
        self.changed = 0
        self.collect(words, self.right, shared, length, 1)
        self.collect(words, self.wrong, shared, other, -1)
        if self.rule != PERCEPTRON:
            for k in range(1, gold.n + 1):  # the configuration at the end of the wrong path
                if self.s.head[k] != NONE and gold.head[k] <= gold.n:
                    loss += self.s.head[k] != gold.head[k] or gold.wrong_label(gold.head[k], k, self.s.label[k])
            for i in range(self.changed):
                norm += self.changes[i].amount * self.changes[i].amount
            delta = min(self.aggressiveness, (violation + max(1, loss)) / max(1, norm))
        for i in range(self.changed):
            if self.changes[i].amount != 0:
                self.weights.update_one(self.changes[i].key, self.changes[i].action, delta * self.changes[i].amount)
        return 0

    cdef int collect(self, Words words, int[::1] path, int shared, int length, int amount) except -1:
        """Follow a path and count its features from the end of the shared part on."""
        cdef int step, i, count
        cdef float* scores
        self.system.start(self.s, words.n)
        for step in range(length):
            scores = self.scorer.scores(self.s, words, 0)
            if step >= shared:
                count = self.scorer.name_features()
                for i in range(count):
                    self.add(self.scorer.keys[i], path[step], amount)
            self.system.act(self.s, path[step], 0, label_to_carry(self.system, scores))
        return 0

    cdef int add(self, uint64_t key, int action, int amount) except -1:
        """Count a feature with an action."""
        cdef Slot* slot = self.places.add(mix(key, action) | 1)
        cdef Change* grown
        if slot.value == 0:
            if self.changed == self.room:
                grown = <Change*> realloc(self.changes, (2 * self.room + 1024) * sizeof(Change))
                if grown == NULL:
                    raise MemoryError
                self.changes, self.room = grown, 2 * self.room + 1024
            self.changes[self.changed].key = key
            self.changes[self.changed].action = action
            self.changes[self.changed].amount = 0
            self.changed += 1
            slot.value = self.changed
        self.changes[slot.value - 1].amount += amount
        return 0

    cdef int reserve(self, int steps) except -1:
        """Allocate memory for derivations of this length."""
        if self.right.shape[0] <= steps:
            right, wrong, progress, prefix = [array(kind, [0]) * (2 * steps + 8) for kind in "iiid"]
            for new, old in ((right, self.right), (progress, self.progress), (prefix, self.prefix)):
                memoryview(new)[: len(old)] = memoryview(old)
            self.right, self.wrong, self.progress, self.prefix = right, wrong, progress, prefix
        return 0
