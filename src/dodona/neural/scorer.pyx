"""The network's last part as a scorer: from the words and labels at some positions to a score for each action.

    hidden = ReLU(bias + Σ what the word at each position contributes + Σ what the label at each position contributes)
    scores = bias + weights · hidden

What a word contributes at a position is a product of a matrix and its encoding, so it is computed once for all
configurations of a sentence. A step costs a few additions of vectors and one small matrix.
"""

from array import array

import numpy as np

from libc.stdint cimport uint32_t
from dodona.search.addresses import PLACES, REACH

cdef extern from "layer.h" nogil:
    int BLOCK
    void sum_rows(float* total, const float* bias, const float** rows, int count, int size)
    void score_actions(
        float* scores, const float* hidden, int units, const float* weights, const float* bias, int actions, int* active
    )

cdef set SITES = {PLACES.index(name) for name in ("P0", "L1", "L2", "L3", "R1", "R2", "R3")}


cdef class Contributions(EncodedSentence):
    """A sentence as input of the hidden layer: a row for each node in an array that many sentences share. The rows of
    its words are `stride` apart."""

    def __init__(self, int n, const float[:, ::1] rows, int first, int root, int nobody, int stride=1):
        for row in (first, first + (n - 1) * stride, root, nobody)[0 if n > 0 else 2 :]:
            if not 0 <= row < rows.shape[0]:
                raise ValueError(f"row {row} of {rows.shape[0]}")
        self.rows = rows
        self.first, self.root, self.nobody, self.stride = first, root, nobody, stride

    cdef int row_of(self, int k) noexcept nogil:
        return self.nobody if k > self.n else self.root if k == 0 else self.first + (k - 1) * self.stride


cdef int ROWS = 1024  # a power of two
cdef uint32_t MIX = 0x9E3779B1  # an odd number


cdef class HiddenLayer(Scorer):
    """Scores from contributions of words and labels. One for each thread; the weights may be shared.

    With `cached`, configurations of one search with the same words and labels at the positions are scored once. The
    hypotheses of a beam often differ only in earlier actions that no position shows.
    """

    def __init__(self, positions, const float[:, :, ::1] label_rows, const float[::1] bias,
                 const float[:, ::1] weights, const float[::1] action_bias, *, bint cached=False):
        Scorer.__init__(self)
        self.sentences = Contributions
        self.normalized = True
        self.words, self.labels = len(positions.words), len(positions.labels)
        self.addresses = Addresses(positions.words + positions.labels)
        self.units, self.actions = weights.shape[0], weights.shape[1]
        shapes = (label_rows.shape[0], label_rows.shape[2], bias.shape[0], action_bias.shape[0])
        if shapes != (self.labels, self.units, self.units, self.actions) or label_rows.shape[1] < 1:
            raise ValueError(f"parts of {shapes} for {self.labels} labels, {self.units} units, {self.actions} actions")
        if all(place in SITES for place, _ in positions.words + positions.labels):
            self.reach = REACH
        self.label_rows, self.bias = label_rows, bias
        more = (BLOCK - self.actions % BLOCK) % BLOCK
        self.weights = np.pad(weights, ((0, 0), (0, more)))
        self.action_bias = np.pad(action_bias, (0, more))
        self.hidden = array("f", bytes(4 * self.units))
        self.active = array("i", bytes(4 * (self.units + 1)))
        self.cache = np.zeros((ROWS if cached else 1, self.weights.shape[1]), np.float32)
        self.seen = np.zeros((ROWS if cached else 0, 1 + self.words + self.labels), np.int32)

    def check(self, sentence):
        """As this is called at the entry of search, the cache is cleared: nodes have the numbers of other words now."""
        Scorer.check(self, sentence)
        self.searches += 1
        width = (<Contributions> sentence).rows.shape[1]
        if width != self.words * self.units:
            raise ValueError(f"rows of {width}; expected {self.words} positions of {self.units} units")

    cdef float* scores(self, State s, EncodedSentence sentence, int site) except NULL nogil:
        cdef int i, row, label, count = 0
        cdef const float* rows[64]
        cdef int* nodes = self.addresses.nodes
        cdef float* hidden = &self.hidden[0]
        cdef float* scores = &self.cache[0, 0]
        cdef int known = 0
        self.addresses.find(s, site)
        if self.seen.shape[0] > 0:
            scores = self.slot(s, &known)
            if known:
                return scores
        for i in range(self.words):
            row = (<Contributions> sentence).row_of(nodes[i])
            rows[count] = &(<Contributions> sentence).rows[row, i * self.units]
            count += 1
        for i in range(self.labels):
            label = s.label[nodes[self.words + i]] + 1
            if label < self.label_rows.shape[1]:
                rows[count] = &self.label_rows[i, label, 0]
                count += 1
        sum_rows(hidden, &self.bias[0], rows, count, self.units)
        score_actions(
            scores, hidden, self.units, &self.weights[0, 0], &self.action_bias[0], self.weights.shape[1],
            &self.active[0],
        )
        return scores

    cdef float* slot(self, State s, int* known) noexcept nogil:
        """Return the cache's row for the addresses found last, and whether it was computed before."""
        cdef int i, value
        cdef int* nodes = self.addresses.nodes
        cdef int* seen
        cdef uint32_t number = 0
        for i in range(self.words + self.labels):
            value = nodes[i] if i < self.words else s.label[nodes[i]]
            number = (number ^ <uint32_t> value) * MIX
            number ^= number >> 15
        number &= ROWS - 1
        seen = &self.seen[number, 0]
        known[0] = seen[0] == self.searches
        seen[0] = self.searches
        for i in range(self.words + self.labels):
            value = nodes[i] if i < self.words else s.label[nodes[i]]
            known[0] &= seen[1 + i] == value
            seen[1 + i] = value
        return &self.cache[number, 0]
