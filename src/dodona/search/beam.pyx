"""Beam search: after each transition the `width` best hypotheses are kept.

Hypotheses are compared after the same number of transitions. Derivations may differ in length (swap-standard): a
finished one keeps its score, and can still be pruned. The search ends when all hypotheses in the beam are finished.
Where derivations of the first words differ much in length (covington), hypotheses are compared after the same number of
words: a hypothesis that has made more progress waits for the others, as a finished one does. Training compares
hypotheses in the same way, so the weights are trained for this comparison.

With a normalized scorer the score of a hypothesis is the logarithm of its probability: the sum of those of its actions,
each among all legal actions of its configuration, also where a policy allows only some of them.
"""

from array import array as new_array

from cpython cimport array
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memset

from dodona.search.greedy cimport arcs_of, check_gold
from dodona.search.scorer cimport NONE, label_to_carry


cdef bint is_worse(Continuation* one, Continuation* other) noexcept nogil:
    return one.score < other.score or (one.score == other.score and one.order > other.order)


cdef int best_first(const void* one, const void* other) noexcept nogil:
    return 1 if is_worse(<Continuation*> one, <Continuation*> other) else -1


cdef class Beam:
    """A search with at most `width` hypotheses, and its workspace. One for each thread."""

    def __cinit__(self, TransitionSystem system, Scorer scorer, int width, bint traced=False):
        """`traced`: whether the derivations of the hypotheses are stored."""
        if scorer.actions != system.actions:
            raise ValueError(f"a scorer of {scorer.actions} actions for a system with {system.actions}")
        self.system = system.dispatcher()
        self.traced = traced
        self.allowed = Allowed(system.actions)
        self.scorer = scorer
        self.width = width
        self.totals = new_array("d", [0]) * width
        self.children = new_array("i", [0]) * width
        self.parents, self.actions = new_array("i"), new_array("i")
        self.heap = <Continuation*> malloc(width * sizeof(Continuation))
        self.states, self.spare = [], []
        self.watch = Watch()
        if self.heap == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.heap)

    def search(
        self, EncodedSentence sentence not None, Policy policy=None, Gold gold=None, int[::1] moves=None,
        double seconds=0,
    ):
        """Parse; with a policy, only by the actions that cost least with regard to `gold`. `moves` is a planned
        derivation for a policy with a static oracle. The scorer must have prepared the sentence. After `seconds`,
        unless 0, a TimeLimitError is raised."""
        self.scorer.check(sentence)
        check_gold(sentence, policy, gold)
        self.begin(sentence.n)
        self.watch.begin(seconds)
        self.planned = 0
        if moves is not None:
            self.plan = moves
            self.planned = moves.shape[0]
        while self.advance(sentence, policy, gold):
            pass

    def results(self, int most):
        """Return (score, heads, labels) of the best hypotheses, best first."""
        return [(self.totals[rank], *arcs_of(<State> self.states[rank])) for rank in range(min(most, self.size))]

    def derivation(self, int rank):
        """Return the actions of the hypothesis with this rank, in order; for a beam that is traced."""
        if not self.traced or not 0 <= rank < self.size:
            raise ValueError(f"derivation {rank} of {self.size if self.traced else 0} that are stored")
        cdef array.array actions = new_array("i", bytes(4 * max(1, self.step)))
        cdef int length = self.path(self.step, rank, actions.data.as_ints)
        return actions[:length]

    cdef int begin(self, int n) except -1:
        if n > self.capacity:
            self.states, self.spare = [], []
            self.capacity = max(n, 64)
        self.spare += self.states
        self.states = [self.vacant()]
        self.system.start(<State> self.states[0], n)
        self.totals[0] = 0
        self.size = 1
        self.step = 0
        return 0

    cdef bint advance(self, EncodedSentence sentence, Policy policy, Gold gold) except -1:
        """Take one transition in every hypothesis with the least progress; returns False if all are finished."""
        cdef int rank, progress
        cdef State s
        self.held = self.seen = 0
        self.slowest = NONE
        for s in self.states:
            if not self.system.is_terminal(s):
                progress = self.system.progress(s)
                if self.slowest == NONE or progress < self.slowest:
                    self.slowest = progress
        if self.slowest == NONE:
            return False
        for rank in range(self.size):
            s = <State> self.states[rank]
            if self.system.is_terminal(s) or self.system.progress(s) > self.slowest:
                self.offer(self.totals[rank], rank, NONE, NONE)
            else:
                self.watch.step()
                self.expand(rank, s, sentence, policy, gold)
        if self.held == 0:
            self.system.dead_end(<State> self.states[0])
        self.keep()
        return True

    cdef int expand(self, int rank, State s, EncodedSentence sentence, Policy policy, Gold gold) except -1:
        """Offer every legal action of a hypothesis; with a policy, those of least cost."""
        cdef float* scores = self.scorer.scores(s, sentence, 0)
        cdef int carried = label_to_carry(self.system, scores)
        cdef double total = self.totals[rank]
        cdef int i, a, least = NONE
        if policy is None or self.scorer.normalized:
            self.allowed.allow_legal(self.system, s, 0)
            if self.scorer.normalized and self.allowed.count > 0:
                total -= self.allowed.log_sum(scores, 1)
        if policy is not None:
            policy.assess(s, gold, 0, self.plan[self.step] if self.step < self.planned else NONE, carried)
            for a in range(self.system.actions):
                if policy.costs[a] != NONE and (least == NONE or policy.costs[a] < least):
                    least = policy.costs[a]
            self.allowed.allow_costing(policy.costs, least)
        for i in range(self.allowed.count):
            for a in range(self.allowed.spans[2 * i], self.allowed.spans[2 * i + 1]):
                if self.held < self.width or total + scores[a] > self.heap[0].score:
                    self.offer(total + scores[a], rank, a, carried)
        return 0

    cdef void offer(self, double score, int parent, int action, int carried) noexcept nogil:
        """Keep a continuation if it is among the best of this step."""
        cdef Continuation new
        cdef int at, child
        new.score, new.order, new.parent, new.action, new.carried = score, self.seen, parent, action, carried
        self.seen += 1
        if self.held < self.width:
            at = self.held
            self.held += 1
            while at > 0 and is_worse(&new, &self.heap[(at - 1) // 2]):
                self.heap[at] = self.heap[(at - 1) // 2]
                at = (at - 1) // 2
        elif is_worse(&self.heap[0], &new):
            at = 0
            while 2 * at + 1 < self.width:
                child = 2 * at + 1
                if child + 1 < self.width and is_worse(&self.heap[child + 1], &self.heap[child]):
                    child += 1
                if not is_worse(&self.heap[child], &new):
                    break
                self.heap[at] = self.heap[child]
                at = child
        else:
            return
        self.heap[at] = new

    cdef int keep(self) except -1:
        """Convert the kept continuations to the hypotheses of the next step.

        A configuration is copied only for hypotheses with several continuations; the last of them reuses it.
        """
        cdef int rank
        cdef Py_ssize_t at
        cdef State s
        cdef Continuation* kept
        cdef list states = self.states, after = []
        qsort(self.heap, self.held, sizeof(Continuation), best_first)
        if self.traced:
            self.reserve(self.step + 1)
        at = <Py_ssize_t> self.step * self.width
        memset(&self.children[0], 0, self.width * sizeof(int))
        for rank in range(self.held):
            self.children[self.heap[rank].parent] += 1
        for rank in range(self.size):
            if self.children[rank] == 0:
                self.spare.append(states[rank])
        for rank in range(self.held):
            kept = &self.heap[rank]
            self.children[kept.parent] -= 1
            if self.children[kept.parent] > 0:
                s = self.vacant()
                s.copy_from(<State> states[kept.parent])
            else:
                s = <State> states[kept.parent]
            after.append(s)
            if kept.action != NONE:
                self.system.act(s, kept.action, 0, kept.carried)
            if self.traced:
                self.parents[at + rank] = kept.parent
                self.actions[at + rank] = kept.action
        for rank in range(self.held):
            self.totals[rank] = self.heap[rank].score
        self.states = after
        self.size = self.held
        self.step += 1
        return 0

    cdef State vacant(self):
        """Return a configuration that nobody uses; one watch is over all of them."""
        if self.spare:
            return <State> self.spare.pop()
        cdef State s = State(self.capacity)
        s.watch = self.watch
        return s

    cdef int reserve(self, int steps) except -1:
        """Allocate memory to store this many steps."""
        cdef Py_ssize_t wanted = <Py_ssize_t> steps * self.width
        if wanted > self.parents.shape[0]:
            more = new_array("i", [0]) * (wanted + 1024)
            self.parents = new_array("i", self.parents) + more
            self.actions = new_array("i", self.actions) + more
        return 0

    cdef int path(self, int step, int rank, int* actions) noexcept nogil:
        """Write the derivation of the hypothesis with this rank after this many steps; returns its length."""
        cdef Py_ssize_t at
        cdef int length = 0, k
        while step > 0:  # from the last action back to the first
            step -= 1
            at = <Py_ssize_t> step * self.width + rank
            if self.actions[at] != NONE:
                actions[length] = self.actions[at]
                length += 1
            rank = self.parents[at]
        for k in range(length // 2):
            actions[k], actions[length - 1 - k] = actions[length - 1 - k], actions[k]
        return length

    cdef int rank_of(self, int parent, int action) noexcept nogil:
        """Return the rank of the hypothesis that continues `parent` with `action` in the last step; NONE if pruned."""
        cdef Py_ssize_t at = <Py_ssize_t> (self.step - 1) * self.width
        cdef int rank
        for rank in range(self.size):
            if self.parents[at + rank] == parent and self.actions[at + rank] == action:
                return rank
        return NONE
