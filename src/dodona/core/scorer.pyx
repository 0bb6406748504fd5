"""State in, a score for each action out; configurations that look the same are scored once.

The hypotheses of a beam differ in what happened long ago, which no template sees, and so most of them look like another.
"""

from array import array

from libc.stdint cimport uint64_t
from libc.string cimport memset

from dodona.core.moves import RIGHT as _RIGHT

cdef int RIGHT = _RIGHT
cdef int ROWS = 1024  # a power of two


cdef int label_to_remember(TransitionSystem system, Score* scores) noexcept nogil:
    """The label of the best RIGHT, for non-monotonic SHIFT to carry along."""
    cdef int m, i, best = 0, at = system.plain
    for m in range(system.plain, system.moves.shape[0]):
        if system.moves[m] == RIGHT:
            for i in range(system.labels):
                if scores[at + i] > scores[at + best]:
                    best = i
        at += system.labels
    return best


cdef class Scorer:
    """Templates and weights, in the making (Weights) or finished (FrozenWeights), with a memory of recent scores."""

    def __init__(self, templates, weights):
        self.extractor = Extractor(templates)
        self.is_learning = isinstance(weights, Weights)
        if self.is_learning:
            self.learning = weights
        else:
            self.frozen = weights
        self.actions = weights.actions
        self.keys = array("Q", bytes(8 * self.extractor.most))
        self.found = array("I", bytes(4 * self.extractor.most))
        self.numbers = array("i", bytes(4 * self.actions))
        self.signatures = array("Q", bytes(8 * ROWS))
        self.rows = array("f", bytes(4 * ROWS * self.actions))

    cdef void forget(self) noexcept nogil:
        """The weights have changed."""
        memset(&self.signatures[0], 0, ROWS * sizeof(uint64_t))

    cdef float* scores(self, State s, Words words) noexcept nogil:
        """The scores of all actions; they stay until the next call."""
        cdef int count, a
        self.extractor.look(s, words, 0)
        cdef uint64_t signature = self.extractor.signature() | 1
        cdef int slot = (signature >> 32) & (ROWS - 1)
        cdef float* row = &self.rows[<Py_ssize_t> slot * self.actions]
        if self.signatures[slot] != signature:
            self.signatures[slot] = signature
            count = self.extractor.name(&self.keys[0])
            if self.is_learning:
                self.learning.score(&self.keys[0], count, row)
            else:
                self.frozen.score(&self.keys[0], count, &self.found[0], &self.numbers[0])
                for a in range(self.actions):
                    row[a] = self.numbers[a]
        return row
