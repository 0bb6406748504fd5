"""What an oracle says about all actions of a configuration, whichever kind of oracle it is."""

from array import array

from dodona.core.moves import NONE as _NONE
from dodona.systems.swap_standard cimport SwapStandard

cdef int NONE = _NONE
cdef int STATIC = 0, ORACLE_SET = 1, COSTS = 2

POLICIES = {"static": 0, "oracle set": 1, "costs": 2}


cdef class Judge:
    """One way to tell correct actions from others: a key of POLICIES, and what goes with it.

    `unfit` are labels that the words with a gold head must not get; `longest` is the length of the longest sentence.
    """

    def __init__(
        self, TransitionSystem system, *, str policy, bint links_too=True, bint joint=False, unfit=(), int longest=0
    ):
        self.system = system
        self.policy = POLICIES[policy]
        self.links_too = links_too
        self.joint = joint
        self.costs = array("i", bytes(4 * system.actions))
        self.unfit = array("i", unfit)
        self.work = State(longest if self.policy == ORACLE_SET else 0)

    cdef void judge(
        self, TransitionSystem system, State s, Gold gold, int site, int planned, int remembered
    ) noexcept nogil:
        """Fill `costs`: 0 for the correct actions, NONE for those that are not legal.

        `planned` is the next move of a static derivation, NONE for the canonical one; `remembered` the label that a plain
        move would carry along.
        """
        cdef int m, a = 0, i, width, move, label
        cdef int correct
        if self.policy == COSTS or (self.policy == ORACLE_SET and not gold.is_tree):
            system.costs(s, gold, site, remembered, self.costs)
            if self.joint:
                self.prefer_monotonic(<NonMonotonic> system, s, gold)
            if self.unfit.shape[0] > 0:
                self.avoid_unfit(system, s, gold, site)
            return
        if self.policy == ORACLE_SET:
            correct = (<SwapStandard> system).correct(s, gold, self.work, self.links_too)
        else:
            move = planned if planned != NONE else system.canonical(s, gold, site)
            correct = 1 << move if move != NONE else 0
        for m in range(system.moves.shape[0]):
            move = system.moves[m]
            width = 1 if m < system.plain else system.labels
            if not system.legal(s, move, site):
                for i in range(width):
                    self.costs[a + i] = NONE
            else:
                label = NONE if m < system.plain else gold.label[system.dependent_of(s, move, site)]
                for i in range(width):
                    self.costs[a + i] = 0 if correct >> move & 1 and (label == NONE or label == i) else 1
            a += width

    cdef void prefer_monotonic(self, NonMonotonic system, State s, Gold gold) noexcept nogil:
        """Of the actions that cost nothing, keep those that need no repair, if there are any (2013b, section 6)."""
        cdef int m, a = 0, i, width, sure = 0
        for m in range(system.moves.shape[0]):
            width = 1 if m < system.plain else system.labels
            for i in range(width):
                if self.costs[a + i] == 0:
                    if system.judge_monotonic(s, gold, system.moves[m], NONE if m < system.plain else i) == 0:
                        sure += 1
                    else:
                        self.costs[a + i] = -2
            a += width
        for a in range(system.actions):
            if self.costs[a] == -2:
                self.costs[a] = 1 if sure > 0 else 0

    cdef void avoid_unfit(self, TransitionSystem system, State s, Gold gold, int site) noexcept nogil:
        """Let an arc of the gold tree cost something if its label is unfit."""
        cdef int m, i, d, a = system.plain
        for m in range(system.plain, system.moves.shape[0]):
            d = system.dependent_of(s, system.moves[m], site)
            if d <= s.n and gold.head[d] <= s.n and self.costs[a] != NONE:
                for i in range(self.unfit.shape[0]):
                    self.costs[a + self.unfit[i]] += 1
            a += system.labels
