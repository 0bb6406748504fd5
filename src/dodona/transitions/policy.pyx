"""Which actions are correct in a configuration, for each kind of oracle: one number for each action, 0 if correct.

    static               only the next move of one derivation is correct (static, eager, lazy, minimal)
    a set                every move of a non-deterministic oracle is correct (nd-sw, nd-all)
    costs                the exact cost of every action (nondeterministic, dynamic)
    constraints          whether all arcs of a partial tree stay reachable: for parsing with constraints

The number is the cost where there is one, else 1 for all actions that are not correct.
"""

from array import array

from dodona.transitions.moves import NONE as _NONE

cdef int NONE = _NONE
cdef int LOOPS = 64  # costs go through the words of a sentence about so often; only arc-standard's take longer
cdef int STATIC = 0, SET = 1, COSTS = 2, PENALTIES = 3

ORACLE_KINDS = {"nd-sw": SET, "nd-all": SET, "nondeterministic": COSTS, "dynamic": COSTS, "constraints": PENALTIES}
"""By the name of the oracle; all others are static."""


def leaves_a_choice(str oracle):
    """Return whether several actions can be correct at the same time; then the gold tree may be partial."""
    return oracle in ORACLE_KINDS


cdef class Policy:
    """An oracle by its name, with its workspace. One for each thread.

    `forbidden` are labels that words with a gold head must not get; `longest` is the length of the longest sentence.
    """

    def __init__(self, TransitionSystem system, str oracle, *, forbidden=(), int longest=0):
        self.system = system.dispatcher()
        self.kind = ORACLE_KINDS.get(oracle, STATIC)
        self.links_too = oracle == "nd-all"
        self.preferring = system.has_preferences and self.kind == COSTS
        self.costs = array("i", bytes(4 * system.actions))
        self.forbidden = array("i", forbidden)
        self.work = Workspace(longest if self.kind == SET else 0)

    def list_costs(self, State s, Gold gold, int site=0, int planned=-1, int carried=-1):
        """Python access to `assess`: returns the list of numbers, NONE where an action is not legal."""
        if gold.n != s.n:
            raise ValueError(f"a gold tree of {gold.n} words for a configuration of {s.n}")
        self.assess(s, gold, site, planned, carried)
        return list(self.costs)

    cdef int assess(self, State s, Gold gold, int site, int planned, int carried) except -1 nogil:
        """Fill `costs`: 0 for the correct actions, NONE for those that are not legal.

        `planned` is the next move of a planned derivation, NONE for the canonical one; `carried` the label that a plain
        move would carry.
        """
        cdef int move
        s.watch.report(LOOPS * (s.n + 16))
        if self.kind == COSTS:
            self.system.costs(s, gold, site, carried, self.costs)
            if self.preferring:
                self.keep_preferred(s, gold)
        elif self.kind == PENALTIES or (self.kind == SET and not gold.is_tree):
            self.system.penalties(s, gold, site, carried, self.work, self.costs)
            if self.forbidden.shape[0] > 0:
                self.avoid_forbidden(s, gold, site)
        elif self.kind == SET:
            self.mark_correct(s, gold, site, self.system.correct_moves(s, gold, self.work, self.links_too))
        else:
            move = planned if planned != NONE else self.system.canonical(s, gold, site)
            self.mark_correct(s, gold, site, 1 << move if move != NONE else 0)
        return 0

    cdef int mark_correct(self, State s, Gold gold, int site, int correct) except -1 nogil:
        """0 for the moves in a set of bits, with the gold label; 1 for everything else that is legal."""
        cdef int m, a, move
        for m in range(self.system.moves.shape[0]):
            move = self.system.moves[m]
            if not self.system.legal(s, move, site):
                self.system.forbid(m, self.costs)
            elif correct >> move & 1:
                self.system.write_costs(s, gold, m, site, NONE, 0, self.costs)
            else:
                for a in range(self.system.first[m], self.system.first[m + 1]):
                    self.costs[a] = 1
        return 0

    cdef int keep_preferred(self, State s, Gold gold) except -1 nogil:
        """Set the cost of zero-cost actions that the system does not prefer to 1, if preferred ones remain."""
        cdef int a, preferred = 0
        for a in range(self.system.actions):
            if self.costs[a] == 0:
                if self.system.prefers(s, gold, self.system.move_of(a), self.system.label_of(a)):
                    preferred += 1
                else:
                    self.costs[a] = -2
        for a in range(self.system.actions):
            if self.costs[a] == -2:
                self.costs[a] = 1 if preferred > 0 else 0
        return 0

    cdef int avoid_forbidden(self, State s, Gold gold, int site) except -1 nogil:
        """Raise the cost of gold arcs with an forbidden label."""
        cdef int m, i, d
        for m in range(self.system.plain, self.system.moves.shape[0]):
            if self.costs[self.system.first[m]] != NONE:
                d = self.system.dependent_of(s, self.system.moves[m], site)
                if gold.head[d] <= s.n:
                    for i in range(self.forbidden.shape[0]):
                        self.costs[self.system.first[m] + self.forbidden[i]] += 1
        return 0


cdef class RandomGenerator:
    """Chooses among correct actions, and whether a mistake is followed: the same numbers on every machine.

    Xorshift (Marsaglia 2003), initialized with a seed.
    """

    def __init__(self, seed):
        self.state = (seed * 2654435761 + 88172645463325252) % (1 << 64)

    def draw(self):
        """Python access to `random`, for tests."""
        return self.random()

    cdef double random(self) noexcept nogil:
        """Return a random number in [0, 1)."""
        self.state ^= self.state << 13
        self.state ^= self.state >> 7
        self.state ^= self.state << 17
        return (self.state >> 11) / <double> (1ULL << 53)

    cdef int place_of(self, const int[::1] values, int value, int otherwise) noexcept nogil:
        """Return one of the places where `values` has this value, all equally likely; `otherwise` if it has none."""
        cdef int i, alike = 0, chosen = otherwise
        for i in range(values.shape[0]):
            if values[i] == value:
                alike += 1
                if self.random() * alike < 1:
                    chosen = i
        return chosen
