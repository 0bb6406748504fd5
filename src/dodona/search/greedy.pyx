"""Greedy parsing: the best legal action in every configuration, until it is terminal (2013, Algorithm 1).

For systems that act at many sites (easy-first), in each step the best action at any site.

On the way, the confidence of a parse can be recorded. The probability of an action is the softmax of score /
temperature over the legal actions, at the site of the action for a system that has many. With given arcs it is over the
actions that keep them: what has to be so is not doubtful. That of an arc is the probability of the action that has
built it. If a later action replaces the head, as in non-monotonic parsing, the last one counts. These are raw numbers:
an action can be right or wrong without deciding all of the arc, and scores may be too bold. dodona.parser.confidence
calibrates them.
"""

from array import array as new_array

cimport cython
from cpython cimport array
from libc.math cimport exp, log

from dodona.data.values cimport item
from dodona.search.scorer cimport NONE, EncodedSentence, Scorer, label_to_carry
from dodona.transitions.gold cimport Gold
from dodona.transitions.policy cimport Policy
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem

cdef array.array NUMBERS = new_array("i")


cdef tuple arcs_of(State s):
    """Return (heads, labels) of the words 1..n; headless words are attached to ROOT."""
    cdef int k
    heads = [s.head[k] if s.head[k] != NONE else 0 for k in range(1, s.n + 1)]
    return heads, [s.label[k] for k in range(1, s.n + 1)]


cdef int check_gold(EncodedSentence sentence, Policy policy, Gold gold) except -1:
    if policy is not None and (gold is None or gold.n != sentence.n):
        raise ValueError(f"a policy needs a gold tree of {sentence.n} words, as many as the sentence has")
    return 0


cdef class Allowed:
    """The allowed actions at a site, as ranges of numbers: the labels of a move are adjacent."""

    def __init__(self, int actions):
        self.spans = new_array("i", bytes(4 * 2 * (actions + 1)))

    cdef void add(self, int begin, int end) noexcept nogil:
        """Add the actions from `begin` up to `end`, which come after all that were added before."""
        if self.count > 0 and self.spans[2 * self.count - 1] == begin:
            self.spans[2 * self.count - 1] = end
            return
        self.spans[2 * self.count] = begin
        self.spans[2 * self.count + 1] = end
        self.count += 1

    cdef int allow_legal(self, TransitionSystem system, State s, int site) except -1 nogil:
        """Allow the legal actions."""
        cdef int m
        self.count = 0
        for m in range(system.moves.shape[0]):
            if system.legal(s, system.moves[m], site):
                self.add(system.first[m], system.first[m + 1])
        return 0

    cdef void allow_costing(self, const int[::1] costs, int cost) noexcept nogil:
        """Allow the actions of exactly this cost; NONE: none."""
        cdef int a
        self.count = 0
        if cost == NONE:
            return
        for a in range(costs.shape[0]):
            if costs[a] == cost:
                self.add(a, a + 1)

    cdef double log_sum(self, const float* scores, double temperature) noexcept nogil:
        """Return the logarithm of the sum of exp(score / temperature) over the allowed actions, of which there is one.

        A row of scores less this is a row of logarithms of probabilities. exp and log may differ in the last bit from
        one C library to another, so the totals of beams and probabilities may, too. No greedy parse depends on them.
        """
        cdef int i, a
        cdef double total = 0
        cdef float most = scores[self.spans[0]]
        for i in range(self.count):
            for a in range(self.spans[2 * i], self.spans[2 * i + 1]):
                if scores[a] > most:
                    most = scores[a]
        for i in range(self.count):
            for a in range(self.spans[2 * i], self.spans[2 * i + 1]):
                total += exp((<double> scores[a] - most) / temperature)
        return most / temperature + log(total)


@cython.final
cdef class Choice:
    """The best action at one site. One for each thread."""

    cdef readonly TransitionSystem system
    cdef readonly Scorer scorer
    cdef Allowed allowed
    cdef float* row        # the scores at the last site
    cdef int action        # the best one there; NONE: there is none
    cdef float score       # and its score
    cdef int carried       # the label that a plain move carries

    def __init__(self, TransitionSystem system, Scorer scorer):
        if scorer.actions != system.actions:
            raise ValueError(f"a scorer of {scorer.actions} actions for a system with {system.actions}")
        self.system = system.dispatcher()
        self.scorer = scorer
        self.allowed = Allowed(system.actions)

    cdef bint is_forced(self, State s) except -1 nogil:
        """Return whether only one action is legal, and no scores are needed to choose it; it is chosen."""
        self.allowed.allow_legal(self.system, s, 0)
        if self.allowed.count != 1 or self.allowed.spans[1] - self.allowed.spans[0] != 1:
            return False
        self.action, self.carried = self.allowed.spans[0], NONE
        return self.system.carried_move == NONE

    cdef int look(self, State s, EncodedSentence sentence, int site, Policy policy, Gold gold) except -1 nogil:
        """Find the best legal action at a site; with a policy, only among those of zero cost."""
        cdef int i, a
        cdef float* scores = self.scorer.scores(s, sentence, site)
        self.row = scores
        self.carried = label_to_carry(self.system, scores)
        if policy is None:
            self.allowed.allow_legal(self.system, s, site)
        else:
            policy.assess(s, gold, site, NONE, self.carried)
            self.allowed.allow_costing(policy.costs, 0)
        self.action = NONE
        for i in range(self.allowed.count):
            for a in range(self.allowed.spans[2 * i], self.allowed.spans[2 * i + 1]):
                if self.action == NONE or scores[a] > self.score:
                    self.action, self.score = a, scores[a]
        return 0


@cython.final
cdef class Confidence:
    """Takes actions for a greedy search, and records their probabilities: at 0 the mean of their logarithms, at k the
    probability for word k. Words that no action attaches (they hang on ROOT in the end) keep 0."""

    cdef TransitionSystem system
    cdef Choice choice
    cdef Policy policy         # None: no arcs are given
    cdef Gold gold
    cdef double[::1] probabilities  # at 0 the mean of the logarithms, then the probability for each word
    cdef double temperature
    cdef double total          # of the logarithms
    cdef Py_ssize_t actions    # how many were taken

    def __init__(self, Choice choice, Policy policy, Gold gold, double[::1] probabilities, double temperature, int n):
        if probabilities.shape[0] != n + 1:
            raise ValueError(f"confidence of {probabilities.shape[0]}; expected {n + 1}, one more than words")
        if not temperature > 0:
            raise ValueError(f"temperature {temperature}: expected more than 0")
        self.system = choice.system
        self.choice = choice
        self.policy, self.gold = policy, gold
        self.probabilities = probabilities
        probabilities[:] = 0
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
            self.probabilities[dependent] = exp(logarithm)
        elif top <= s.n and headless and s.head[top] > 0:
            self.probabilities[top] = exp(logarithm)  # non-monotonic REDUCE with the label that SHIFT has carried
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
            self.probabilities[0] = self.total / self.actions


@cython.final
cdef class SiteSearch:
    """Greedy search for systems with sites: workspace for sentences of up to `capacity` words. One for each thread.

    A site is scored once, and again only when something has changed within the scorer's reach. The best of all sites is
    the winner of a tournament, in which only the matches of changed sites are played again: n log n in all.
    """

    cdef TransitionSystem system
    cdef Choice choice
    cdef int[::1] actions      # the best action of each site
    cdef int[::1] carried      # the label that it carries
    cdef float[::1] scores
    cdef int[::1] winners      # a tournament between sites: match m is between the winners of 2m and 2m + 1
    cdef int leaves

    def __init__(self, Choice choice, int capacity):
        self.system = choice.system
        self.choice = choice
        self.actions = new_array("i", bytes(4 * (capacity + 1)))
        self.carried = new_array("i", bytes(4 * (capacity + 1)))
        self.scores = new_array("f", bytes(4 * (capacity + 1)))
        self.winners = new_array("i", bytes(4 * 4 * (capacity + 1)))

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


@cython.final
cdef class GreedySearch:
    """A system and a scorer with the workspace for parsing. One for each thread."""

    cdef readonly TransitionSystem system
    cdef readonly Scorer scorer
    cdef Choice choice
    cdef SiteSearch sites
    cdef State s
    cdef int capacity

    def __init__(self, TransitionSystem system, Scorer scorer):
        self.system = system.dispatcher()
        self.scorer = scorer
        self.choice = Choice(system, scorer)
        self.reserve(64)

    cdef reserve(self, int capacity):
        """Allocate memory for sentences of this length."""
        self.capacity = capacity
        self.s = State(capacity)
        self.sites = SiteSearch(self.choice, capacity if self.system.has_sites else 0)

    def parse(self, EncodedSentence sentence not None, Policy policy=None, Gold gold=None,
              double[::1] confidence=None, double temperature=1.0, double seconds=0):
        """Return (heads, labels) of the words 1..n, as numbers; headless words are attached to ROOT.

        With a policy, only actions of zero cost with regard to `gold` are taken, as long as there are any. The scorer
        must have prepared the sentence. After `seconds`, unless 0, a TimeLimitError is raised.

        `confidence`, n + 1 doubles, is filled in: at k the probability of the action that attached word k, by softmax
        of score / temperature over the actions that it was chosen from, or 0 if the word was attached to ROOT only in
        the end; and at 0 the mean of the logarithms of the probabilities of all actions.
        """
        check_gold(sentence, policy, gold)
        cdef State s = self.make_ready(sentence)
        cdef Confidence sure = None
        if confidence is not None:
            sure = Confidence(self.choice, policy, gold, confidence, temperature, sentence.n)
        s.watch.begin(seconds)
        with nogil:
            self.search(s, sentence, policy, gold, sure)
            if sure is not None:
                sure.finish()
        return arcs_of(s)

    def parse_all(self, list sentences not None, int late):
        """Parse several sentences that the scorer has prepared, without the interpreter's lock from the first to the
        last. Returns a list of (heads, labels), which are arrays; `late` is the label of words that are headless at the
        end, and attached to ROOT."""
        cdef tuple batch = tuple(sentences)
        cdef Py_ssize_t i, count = len(batch)
        cdef int k
        cdef int* head
        cdef int* label
        for sentence in batch:
            self.make_ready(sentence)
        cdef tuple heads = tuple([array.clone(NUMBERS, (<EncodedSentence> one).n, False) for one in batch])
        cdef tuple labels = tuple([array.clone(NUMBERS, (<EncodedSentence> one).n, False) for one in batch])
        cdef State s = self.s
        s.watch.begin(0)
        with nogil:
            for i in range(count):
                self.search(s, <EncodedSentence> item(batch, i), None, None, None)
                head = (<array.array> item(heads, i)).data.as_ints
                label = (<array.array> item(labels, i)).data.as_ints
                for k in range(s.n):
                    head[k] = s.head[k + 1] if s.head[k + 1] != NONE else 0
                    label[k] = s.label[k + 1] if s.label[k + 1] != NONE else late
        return list(zip(heads, labels))

    def follow(self, EncodedSentence sentence not None, const int[::1] derivation not None,
               double[::1] confidence not None, double temperature=1.0, Policy policy=None, Gold gold=None):
        """Take the actions of a derivation that a beam has found, and fill in `confidence` as `parse` does.

        Returns (heads, labels). A system with sites has no beam, and its derivations cannot be followed.
        """
        check_gold(sentence, policy, gold)
        cdef State s = self.make_ready(sentence)
        cdef Confidence sure = Confidence(self.choice, policy, gold, confidence, temperature, sentence.n)
        cdef Py_ssize_t i
        if self.system.has_sites:
            raise ValueError("a derivation of a system with sites; expected one that a beam has found")
        s.watch.begin(0)
        with nogil:
            self.system.start(s, sentence.n)
            for i in range(derivation.shape[0]):
                sure.look(s, sentence, 0)
                sure.act(s, sentence, derivation[i], 0, self.choice.carried)
            sure.finish()
        return arcs_of(s)

    cdef State make_ready(self, EncodedSentence sentence):
        """Return a state with room for the sentence."""
        self.scorer.check(sentence)
        if sentence.n > self.capacity:
            self.reserve(sentence.n)
        return self.s

    cdef int search(
        self, State s, EncodedSentence sentence, Policy policy, Gold gold, Confidence sure
    ) except -1 nogil:
        cdef int site = 0
        self.system.start(s, sentence.n)
        if self.system.has_sites and policy is None:
            self.sites.search(s, sentence, sure)
            return 0
        while not self.system.is_terminal(s):
            s.watch.step()
            if policy is None:
                if sure is not None or not self.choice.is_forced(s):
                    self.choice.look(s, sentence, 0, None, None)
            else:
                site = self.choose(s, sentence, policy, gold)
            if self.choice.action == NONE:
                self.system.dead_end(s)
            if sure is None:
                self.system.act(s, self.choice.action, site, self.choice.carried)
            else:
                sure.act(s, sentence, self.choice.action, site, self.choice.carried)
        return 0

    cdef int choose(self, State s, EncodedSentence sentence, Policy policy, Gold gold) except -1 nogil:
        """Find the best zero-cost action at any site; costs at distant sites can change with every step."""
        cdef int site = 0, chosen = NONE, action = NONE, carried = NONE
        cdef float score = 0
        while site != NONE:
            self.choice.look(s, sentence, site, policy, gold)
            if self.choice.action != NONE and (chosen == NONE or self.choice.score > score):
                chosen, score = site, self.choice.score
                action, carried = self.choice.action, self.choice.carried
            site = self.system.next_site(s, site)
        if chosen == NONE:
            return self.choose(s, sentence, None, None) if policy is not None else self.system.dead_end(s)
        self.choice.action, self.choice.carried = action, carried
        return chosen
