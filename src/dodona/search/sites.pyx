"""Greedy search for systems that act at many sites (easy-first): in each step the best action at any site.

A site is scored once, and again only when something has changed within the scorer's reach. The best of all sites is the
winner of a tournament, in which only the matches of changed sites are played again: n log n in all.
"""

from array import array

from dodona.transitions.moves import NONE as _NONE

cdef int NONE = _NONE


cdef class SiteSearch:
    """Workspace for sentences of up to `capacity` words. One for each thread."""

    def __init__(self, Choice choice, int capacity):
        self.system = choice.system
        self.choice = choice
        self.actions = array("i", bytes(4 * (capacity + 1)))
        self.carried = array("i", bytes(4 * (capacity + 1)))
        self.scores = array("f", bytes(4 * (capacity + 1)))
        self.winners = array("i", bytes(4 * 4 * (capacity + 1)))

    cdef int search(self, State s, EncodedSentence sentence, Confidence sure) except -1 nogil:
        """Search from the initial to a terminal configuration."""
        cdef int site = 0, i, action, dependent
        self.leaves = 1
        while self.leaves <= s.n:
            self.leaves *= 2
        for i in range(2 * self.leaves):
            self.winners[i] = NONE
        while site != NONE:
            self.enter(s, sentence, site)
            site = self.system.next_site(s, site)
        while not self.system.is_terminal(s):
            site = self.winners[1]
            if site == NONE:
                self.system.dead_end(s)
            action = self.actions[site]
            dependent = self.system.dependent_of(s, self.system.move_of(action), site)
            if sure is None:
                self.system.act(s, action, site, self.carried[site])
            else:
                sure.act(s, sentence, action, site, self.carried[site])
            self.winners[self.leaves + dependent] = NONE
            self.play(dependent)
            self.enter_around(s, sentence, site)
            site = self.system.reopened_site(s)
            if site != NONE:
                self.enter(s, sentence, site)
        return 0

    cdef int enter_around(self, State s, EncodedSentence sentence, int site) except -1 nogil:
        """Score a site again, and those on both sides whose features depend on it."""
        cdef int side, k, seen
        self.enter(s, sentence, site)
        for side in range(2):
            k = site
            seen = 0
            while self.choice.scorer.reach == NONE or seen < self.choice.scorer.reach:
                k = s.before[k] if side == 0 else s.after[k]
                if k < 0 or k > s.n:
                    break
                self.enter(s, sentence, k)
                seen += 1
        return 0

    cdef int enter(self, State s, EncodedSentence sentence, int site) except -1 nogil:
        """Score a site and update the tournament."""
        s.watch.step()
        self.choice.look(s, sentence, site, None, None)
        self.actions[site] = self.choice.action
        self.carried[site] = self.choice.carried
        self.scores[site] = self.choice.score
        self.winners[self.leaves + site] = site if self.choice.action != NONE else NONE
        self.play(site)
        return 0

    cdef void play(self, int site) noexcept nogil:
        """Replay the matches from a site up to the final; ties go to the left."""
        cdef int match = (self.leaves + site) // 2, left, right
        while match > 0:
            left = self.winners[2 * match]
            right = self.winners[2 * match + 1]
            if left == NONE or (right != NONE and self.scores[right] > self.scores[left]):
                left = right
            self.winners[match] = left
            match //= 2
