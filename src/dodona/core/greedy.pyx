"""Greedy parsing: in every configuration the best legal action, until there is none (2013, Algorithm 1)."""

from array import array

from libc.stdint cimport int32_t, uint64_t

from dodona.core.moves import NONE as _NONE
from dodona.core.scorer cimport label_to_remember

cdef int NONE = _NONE


cdef class GreedyParser:
    """A frozen model with the room it needs to parse. One for each thread."""

    def __init__(self, TransitionSystem system, templates, FrozenWeights weights):
        self.system = system
        self.extractor = Extractor(templates)
        self.weights = weights
        self.reserve(64)
        self.scores = array("i", bytes(4 * system.actions))
        self.keys = array("Q", bytes(8 * self.extractor.most))
        self.found = array("I", bytes(4 * self.extractor.most))

    cdef reserve(self, int capacity):
        """Room for sentences of this length."""
        self.capacity = capacity
        self.s = State(capacity)
        self.moves = array("i", bytes(4 * (capacity + 1)))
        self.labels = array("i", bytes(4 * (capacity + 1)))
        self.bests = array("i", bytes(4 * (capacity + 1)))
        self.winners = array("i", bytes(4 * 4 * (capacity + 1)))

    def parse(self, Words words, Judge judge=None, Gold gold=None):
        """(heads, labels) of the words 1..n, as numbers; a word that stays headless hangs on ROOT.

        With a judge, only actions are taken that cost nothing with regard to `gold`, as long as there are any.
        """
        if words.n > self.capacity:
            self.reserve(words.n)
        cdef TransitionSystem system = self.system
        cdef State s = self.s
        with nogil:
            self.parse_words(system, s, words, judge, gold)
        cdef int k
        heads = [self.s.head[k] if self.s.head[k] != NONE else 0 for k in range(1, words.n + 1)]
        labels = [self.s.label[k] for k in range(1, words.n + 1)]
        return heads, labels

    cdef void parse_words(
        self, TransitionSystem system, State s, Words words, Judge judge, Gold gold
    ) noexcept nogil:
        cdef int site
        system.start(s, words.n)
        if judge is None and system.next_site(s, 0) != NONE:
            self.parse_sites(system, s, words)
            return
        while not system.is_terminal(s):
            if judge is None:
                self.choose(system, s, words, 0, None, None)
                site = 0
            else:
                site = self.choose_site(system, s, words, judge, gold)
            system.apply(s, self.move, site, self.label)

    cdef int choose_site(
        self, TransitionSystem system, State s, Words words, Judge judge, Gold gold
    ) noexcept nogil:
        """Find the best action at any site that costs nothing; what a distant site may do can change with every step."""
        cdef int site = 0, chosen = NONE, move = NONE, label = NONE
        cdef int32_t best = 0
        while site != NONE:
            self.choose(system, s, words, site, judge, gold)
            if self.move != NONE and (move == NONE or self.best > best):
                chosen, move, label, best = site, self.move, self.label, self.best
            site = system.next_site(s, site)
        if chosen == NONE:
            return self.choose_site(system, s, words, None, None)
        self.move, self.label = move, label
        return chosen

    cdef void choose(
        self, TransitionSystem system, State s, Words words, int site, Judge judge, Gold gold
    ) noexcept nogil:
        """Find the best legal action at a site: `move` (NONE if there is none), `label` and `best`, its score."""
        cdef int m, i, a = 0, width, move, label = NONE
        cdef int count = self.extractor.extract(s, words, site, &self.keys[0])
        cdef int32_t* scores = &self.scores[0]
        self.weights.score(&self.keys[0], count, &self.found[0], scores)
        if judge is not None:
            judge.judge(system, s, gold, site, NONE, label_to_remember(system, scores))
        self.move = NONE
        for m in range(system.moves.shape[0]):
            move = system.moves[m]
            width = 1 if m < system.plain else system.labels
            if system.legal(s, move, site):
                for i in range(width):
                    if (self.move == NONE or scores[a + i] > self.best) and (judge is None or judge.costs[a + i] == 0):
                        self.best = scores[a + i]
                        self.move = move
                        label = i if m >= system.plain else NONE
            a += width
        self.label = label_to_remember(system, scores) if label == NONE else label

    cdef void parse_sites(self, TransitionSystem system, State s, Words words) noexcept nogil:
        """For systems with many sites: score each once, and again only when something near it has changed.

        Templates see three neighbours on each side. The best of all sites is the winner of a tournament, in which only
        the matches of changed sites are played again: n log n in all.
        """
        cdef int site = 0, side, k, i, dependent
        self.leaves = 1
        while self.leaves <= s.n:
            self.leaves *= 2
        for i in range(2 * self.leaves):
            self.winners[i] = NONE
        while site != NONE:
            self.enter(system, s, words, site)
            site = system.next_site(s, site)
        while not system.is_terminal(s):
            site = self.winners[1]
            dependent = system.dependent_of(s, self.moves[site], site)
            system.apply(s, self.moves[site], site, self.labels[site])
            self.winners[self.leaves + dependent] = NONE
            self.play(dependent)
            self.enter(system, s, words, site)
            for side in range(2):
                k = site
                for i in range(3):
                    k = s.before[k] if side == 0 else s.after[k]
                    if k < 0 or k > s.n:
                        break
                    self.enter(system, s, words, k)
            if s.depth == 2:  # ROOT may take its dependent now
                self.enter(system, s, words, 0)

    cdef void enter(self, TransitionSystem system, State s, Words words, int site) noexcept nogil:
        """Score a site and let it play."""
        self.choose(system, s, words, site, None, None)
        self.moves[site] = self.move
        self.labels[site] = self.label
        self.bests[site] = self.best
        self.winners[self.leaves + site] = site if self.move != NONE else NONE
        self.play(site)

    cdef void play(self, int site) noexcept nogil:
        """Replay the matches on the way from a site to the final; of equals the left one wins."""
        cdef int match = (self.leaves + site) // 2, left, right
        while match > 0:
            left = self.winners[2 * match]
            right = self.winners[2 * match + 1]
            if left == NONE or (right != NONE and self.bests[right] > self.bests[left]):
                left = right
            self.winners[match] = left
            match //= 2
