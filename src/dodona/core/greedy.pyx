"""Greedy parsing: in every configuration the best legal action, until there is none (2013, Algorithm 1)."""

from array import array

from libc.stdint cimport int32_t, uint64_t

from dodona.core.moves import NONE as _NONE, RIGHT as _RIGHT

cdef int NONE = _NONE, RIGHT = _RIGHT


cdef class GreedyParser:
    """A frozen model with the room it needs to parse. One for each thread."""

    def __init__(self, TransitionSystem system, templates, FrozenWeights weights):
        self.system = system
        self.extractor = Extractor(templates)
        self.weights = weights
        self.capacity = 64
        self.s = State(self.capacity)
        self.scores = array("i", bytes(4 * system.actions))
        self.keys = array("Q", bytes(8 * self.extractor.most))
        self.found = array("I", bytes(4 * self.extractor.most))

    def parse(self, Words words):
        """(heads, labels) of the words 1..n, as numbers; a word that stays headless hangs on ROOT."""
        if words.n > self.capacity:
            self.capacity = words.n
            self.s = State(words.n)
        cdef TransitionSystem system = self.system
        cdef State s = self.s
        with nogil:
            self.parse_words(system, s, words)
        cdef int k
        heads = [self.s.head[k] if self.s.head[k] != NONE else 0 for k in range(1, words.n + 1)]
        labels = [self.s.label[k] for k in range(1, words.n + 1)]
        return heads, labels

    cdef void parse_words(self, TransitionSystem system, State s, Words words) noexcept nogil:
        cdef int site, count, m, i, a, width, move, right
        cdef int best, best_move, best_label, best_site
        cdef int32_t best_score
        system.start(s, words.n)
        while not system.is_terminal(s):
            best = NONE
            best_move = best_label = best_site = right = 0
            best_score = 0
            site = 0
            while site != NONE:
                count = self.extractor.extract(s, words, site, &self.keys[0])
                self.weights.score(&self.keys[0], count, &self.found[0], &self.scores[0])
                a = 0
                for m in range(system.moves.shape[0]):
                    move = system.moves[m]
                    width = 1 if m < system.plain else system.labels
                    if system.legal(s, move, site):
                        for i in range(width):
                            if best == NONE or self.scores[a + i] > best_score:
                                best = a + i
                                best_score = self.scores[a + i]
                                best_move = move
                                best_label = i if m >= system.plain else NONE
                                best_site = site
                    if move == RIGHT:
                        right = a
                    a += width
                site = system.next_site(s, site)
            if best_label == NONE:  # what non-monotonic SHIFT remembers: the label of the best RIGHT
                best_label = 0
                for i in range(system.labels):
                    if self.scores[right + i] > self.scores[right + best_label]:
                        best_label = i
            system.apply(s, best_move, best_site, best_label)
