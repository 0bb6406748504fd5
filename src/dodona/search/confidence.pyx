"""How sure greedy search is: the probability of each action that it takes, and of each arc.

The probability of an action is the softmax of score / temperature over the legal actions, at the site of the action for
a system that has many. With given arcs it is over the actions that keep them: what has to be so is not doubtful. That of an arc is the probability of the action that has built it. If a later action replaces
the head, as in non-monotonic parsing, the last one counts. These are raw numbers: an action can be right or wrong
without deciding all of the arc, and scores may be too bold. dodona.components.confidence calibrates them.
"""

from libc.math cimport exp

from dodona.transitions.moves import NONE as _NONE

cdef int NONE = _NONE


cdef class Confidence:
    """Takes actions for a greedy search, and records their probabilities in `found`: at 0 the mean of their logarithms,
    at k the probability for word k. Words that no action attaches (they hang on ROOT in the end) keep 0."""

    def __init__(self, Choice choice, Policy policy, Gold gold, double[::1] found, double temperature):
        if not temperature > 0:
            raise ValueError(f"temperature {temperature}: expected more than 0")
        self.system = choice.system
        self.choice = choice
        self.policy, self.gold = policy, gold
        self.found = found
        self.found[:] = 0
        self.temperature = temperature

    cdef int act(self, State s, EncodedSentence sentence, int action, int site, int carried) except -1 nogil:
        """Take an action, and record its probability. At the only site of a system, `choice` has looked already."""
        cdef int move = self.system.move_of(action), top = s.s0()
        cdef int head = self.system.head_of(s, move, site), dependent = self.system.dependent_of(s, move, site)
        cdef bint headless = s.head[top] == NONE
        cdef double logarithm
        if self.system.has_sites:
            self.look(s, sentence, site)  # other sites were looked at since
        logarithm = self.choice.row[action] / self.temperature
        logarithm -= self.choice.allowed.log_sum(self.choice.row, self.temperature)
        self.total += logarithm
        self.actions += 1
        self.system.act(s, action, site, carried)
        if dependent <= s.n and s.head[dependent] == head:
            self.found[dependent] = exp(logarithm)
        elif top <= s.n and headless and s.head[top] > 0:
            self.found[top] = exp(logarithm)  # non-monotonic REDUCE with the label that SHIFT has carried
        return 0

    cdef int look(self, State s, EncodedSentence sentence, int site) except -1 nogil:
        """Find the actions that keep the given arcs; all legal ones where none does."""
        self.choice.look(s, sentence, site, self.policy, self.gold)
        if self.choice.action == NONE:
            self.choice.look(s, sentence, site, None, None)
        return 0

    cdef void finish(self) noexcept nogil:
        """Write the mean of the logarithms: how doubtful the sentence is as a whole."""
        if self.actions > 0:
            self.found[0] = self.total / self.actions
