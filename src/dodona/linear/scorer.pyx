"""The linear model as a scorer: feature templates and their weights, during training or frozen."""

from array import array

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memset

from dodona.search.addresses import REACH
from dodona.linear.features cimport Words
from dodona.linear.features import is_steady
from dodona.transitions.moves import NONE as _NONE

cdef int NONE = _NONE
cdef int ROWS = 256  # a power of two; of each cache


cdef class LinearScorer(Scorer):
    """Templates and weights.

    With `cached`, configurations with the same features are scored once. The hypotheses of a beam often differ only in
    earlier actions that no template uses, so many of them have the same features. Others differ only in the arcs built
    so far: of frozen weights, the sum of the steady features, those of the words on stack and buffer, is remembered, too.
    """

    def __init__(self, templates, weights, *, bint cached=False):
        self.sentences = Words
        self.reach = REACH
        self.extractor = Extractor(templates)
        self.is_learning = isinstance(weights, Weights)
        if self.is_learning:
            self.weights = weights
        else:
            self.frozen = weights
        self.actions = weights.actions
        self.cached = cached
        self.keys = array("Q", bytes(8 * (self.extractor.most + 1)))
        self.numbers = array("i", bytes(4 * self.actions))
        self.signatures = array("Q", bytes(8 * (ROWS if cached else 1)))
        self.rows = array("f", bytes(4 * (ROWS if cached else 1) * self.actions))
        self.in_parts = cached and not self.is_learning
        if self.in_parts:
            steady = [i for i, one in enumerate(templates.combinations) if is_steady(templates, one)]
            self.steady = Extractor(templates, steady)
            self.changing = Extractor(templates, [i for i in range(len(templates)) if i not in steady])
            self.steady_signatures = array("Q", bytes(8 * ROWS))
            self.steady_rows = array("i", bytes(4 * ROWS * self.actions))

    def named(self, State s, EncodedSentence sentence, int site=0):
        """Return the hashes of the features of a configuration, in the order of the templates, without silent ones."""
        self.check(sentence)
        if sentence.n != s.n or not 0 <= site <= s.n:
            raise ValueError(f"a sentence of {sentence.n} words and site {site} for a configuration of {s.n} words")
        self.extractor.look(s, site)
        self.extractor.read(<Words> sentence)
        self.count = NONE
        return [self.keys[i] for i in range(self.features())]

    cdef void forget(self) noexcept nogil:
        """Clear the cache, because the weights have changed."""
        memset(&self.signatures[0], 0, self.signatures.shape[0] * sizeof(uint64_t))

    cdef float* scores(self, State s, EncodedSentence sentence, int site) except NULL nogil:
        cdef int a, slot
        cdef float* row = &self.rows[0]
        cdef uint64_t signature
        if self.in_parts:
            return self.sum_of_parts(s, <Words> sentence, site)
        self.extractor.look(s, site)
        self.extractor.read(<Words> sentence)
        self.count = NONE
        if self.cached:
            signature = self.extractor.signature((<Words> sentence).number) | 1
            slot = (signature >> 32) & (ROWS - 1)
            row = &self.rows[<Py_ssize_t> slot * self.actions]
            if self.signatures[slot] == signature:
                return row
            self.signatures[slot] = signature
        self.features()
        if self.is_learning:
            self.weights.score(&self.keys[0], self.count, row)
        else:
            self.frozen.sum(&self.keys[0], self.count, &self.numbers[0])
            for a in range(self.actions):
                row[a] = self.numbers[a]
        return row

    cdef void begin(self, State s, Words words, int site) noexcept nogil:
        """Prepare scores of weights that are learned: they come from memory while the caller does something else."""
        self.extractor.look(s, site)
        self.extractor.read(words)
        self.count = NONE
        self.weights.expect(&self.keys[0], self.features())

    cdef float* finish(self) noexcept nogil:
        """Return the scores that were prepared."""
        self.weights.sum(&self.keys[0], self.count, &self.rows[0])
        return &self.rows[0]

    cdef float* sum_of_parts(self, State s, Words words, int site) noexcept nogil:
        """Return the scores, with frozen weights, from those of the steady features and of the changing ones."""
        cdef int a, count, slot
        cdef int32_t* part
        cdef float* row
        cdef uint64_t steady, signature
        self.steady.look(s, site)
        self.changing.look(s, site)
        steady = self.steady.signature(words.number) | 1
        signature = self.changing.signature(steady) | 1
        slot = (signature >> 32) & (ROWS - 1)
        row = &self.rows[<Py_ssize_t> slot * self.actions]
        if self.signatures[slot] == signature:
            return row
        self.signatures[slot] = signature
        self.changing.read(words)
        count = self.changing.name(&self.keys[0], self.frozen)
        slot = (steady >> 32) & (ROWS - 1)
        part = &self.steady_rows[<Py_ssize_t> slot * self.actions]
        if self.steady_signatures[slot] != steady:
            self.steady_signatures[slot] = steady
            self.steady.read(words)
            self.frozen.sum(&self.keys[count], self.steady.name(&self.keys[count], self.frozen), part)
        self.frozen.sum(&self.keys[0], count, &self.numbers[0])
        for a in range(self.actions):
            row[a] = self.numbers[a] + part[a]
        return row

    cdef int features(self) noexcept nogil:
        """Write the features of the configuration scored last into `keys`; returns their number."""
        if self.count == NONE:
            self.count = self.extractor.name(&self.keys[0], self.frozen)
        return self.count
