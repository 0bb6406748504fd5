"""The network's last part as a scorer: from the words and labels at some positions to a score for each action.

    hidden = ReLU(bias + Σ what the word at each position contributes + Σ what the label at each position contributes)
    scores = bias + weights · hidden

What a word contributes at a position is a product of a matrix and its encoding, so it is computed once for all
configurations of a sentence. A step costs a few additions of vectors and one small matrix.
"""

from array import array

from libc.string cimport memcpy

from dodona.scoring.addresses import PLACES, REACH

cdef extern from "layer.h" nogil:
    void add_row(float* total, const float* values, int size)
    void score_actions(
        float* scores, const float* hidden, int units, const float* weights, const float* bias, int actions
    )

cdef set SITES = {PLACES.index(name) for name in ("P0", "L1", "L2", "L3", "R1", "R2", "R3")}


cdef class Contributions(EncodedSentence):
    """A sentence as input of the hidden layer: a row for each node in an array that many sentences share. The rows of
    its words are `stride` apart."""

    def __init__(self, int n, const float[:, ::1] rows, int first, int root, int nobody, int stride=1):
        for row in (first, first + (n - 1) * stride, root, nobody):
            if not (0 <= row < rows.shape[0] or (n == 0 and row in (first, first - stride))):
                raise ValueError(f"row {row} of {rows.shape[0]}")
        self.rows = rows
        self.first, self.root, self.nobody, self.stride = first, root, nobody, stride

    cdef int row_of(self, int k) noexcept nogil:
        return self.nobody if k > self.n else self.root if k == 0 else self.first + (k - 1) * self.stride


cdef class HiddenLayer(Scorer):
    """Scores from contributions of words and labels. One for each thread; the weights may be shared."""

    def __init__(self, positions, const float[:, :, ::1] label_rows, const float[::1] bias,
                 const float[:, ::1] weights, const float[::1] action_bias):
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
        self.label_rows, self.bias, self.weights, self.action_bias = label_rows, bias, weights, action_bias
        self.hidden = array("f", bytes(4 * self.units))
        self.row = array("f", bytes(4 * self.actions))

    def check(self, sentence):
        Scorer.check(self, sentence)
        if (<Contributions> sentence).rows.shape[1] != self.words * self.units:
            raise ValueError(f"rows of {sentence.rows.shape[1]}; expected {self.words} positions of {self.units} units")

    cdef float* scores(self, State s, EncodedSentence sentence, int site) except NULL nogil:
        cdef int i, row, label
        cdef int* found = &self.addresses.found[0]
        cdef float* hidden = &self.hidden[0]
        self.addresses.find(s, site)
        memcpy(hidden, &self.bias[0], self.units * sizeof(float))
        for i in range(self.words):
            row = (<Contributions> sentence).row_of(found[i])
            add_row(hidden, &(<Contributions> sentence).rows[row, i * self.units], self.units)
        for i in range(self.labels):
            label = s.label[found[self.words + i]] + 1
            if label < self.label_rows.shape[1]:
                add_row(hidden, &self.label_rows[i, label, 0], self.units)
        score_actions(&self.row[0], hidden, self.units, &self.weights[0, 0], &self.action_bias[0], self.actions)
        return &self.row[0]
