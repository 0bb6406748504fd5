"""Training on one sentence: Algorithm 3 of Goldberg and Nivre (2013); the other training regimes are special cases.

In every configuration the model predicts the best legal action, the oracle determines the correct ones, and the weights
are updated if the prediction is not among them. Regimes differ in which actions are correct (the policy) and in which
action is followed after a mistake (exploration).
"""

from array import array

cimport cython
from libc.math cimport sqrt
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from dodona.linear.scorer cimport LinearScorer, Words
from dodona.linear.weights cimport Weights
from dodona.search.scorer cimport NONE, label_to_carry
from dodona.transitions.gold cimport Gold
from dodona.transitions.policy cimport Policy
from dodona.transitions.random_generator cimport RandomGenerator
from dodona.transitions.state cimport State
from dodona.transitions.system cimport TransitionSystem

cdef enum:  # the rules of updates
    PERCEPTRON = 0
    PREDICTION = 1  # passive-aggressive, against the prediction
    MAX_LOSS = 2    # and against the action with the highest loss

cdef enum:
    MAX_TRIES = 50  # updates in one configuration before training continues with the correct action

RULES = {"perceptron": PERCEPTRON, "pa": PREDICTION, "pa-max-loss": MAX_LOSS}


cdef struct ScoredAction:
    int action           # NONE: none yet
    int site
    int cost
    int count            # features at that site
    float score


@cython.final
cdef class GreedyLearner:
    """A model during training. `rule` is a key of RULES."""

    cdef readonly TransitionSystem system
    cdef readonly Weights weights
    cdef Policy policy
    cdef LinearScorer scorer
    cdef long long steps, mistakes            # since the last report
    cdef readonly long long transitions       # of the derivations followed, since the beginning
    cdef bint random_choice                   # a random correct action, not the best one
    cdef bint stays                           # after a mistake the configuration does not change (easy-first)
    cdef int rule                             # a value of RULES
    cdef double aggressiveness
    cdef RandomGenerator generator
    cdef State s
    cdef ScoredAction best                       # the correct action with the highest score
    cdef ScoredAction predicted                  # the legal action with the highest score
    cdef ScoredAction rival                      # the action that the update is against
    cdef int carried                          # the label that a plain move carries
    cdef uint64_t[::1] best_keys              # the features at the site of `best`
    cdef uint64_t[::1] rival_keys             # and at that of `rival`

    def __init__(
        self, Policy policy, templates, *, str rule="perceptron", double aggressiveness=1.0, bint random_choice=False,
        int longest=0, seed=1,
    ):
        self.policy = policy
        self.system = policy.system
        self.weights = Weights(self.system.actions)
        self.scorer = LinearScorer(templates, self.weights)
        self.rule = RULES[rule]
        self.aggressiveness = aggressiveness
        self.random_choice = random_choice
        self.stays = self.system.has_sites
        self.generator = RandomGenerator(seed)
        self.s = State(longest)
        self.best_keys = array("Q", bytes(8 * len(templates)))
        self.rival_keys = array("Q", bytes(8 * len(templates)))

    def train(self, Words words not None, Gold gold not None, int[::1] moves, double explore):
        """Train on one sentence; `explore` is the probability that a mistake is followed. `moves` is a planned
        derivation, or empty for the system's canonical one."""
        if gold.n != words.n or gold.n + 2 > self.s.width:
            raise ValueError(f"a gold tree of {gold.n} words for {words.n}, with room for {self.s.width - 2}")
        cdef State s = self.s
        with nogil:
            self.train_on(s, words, gold, moves, explore)

    def count(self):
        """Return (steps, mistakes) since the last call."""
        counted = self.steps, self.mistakes
        self.steps = self.mistakes = 0
        return counted

    cdef int train_on(self, State s, Words words, Gold gold, int[::1] moves, double explore) except -1 nogil:
        cdef int step = 0, tries = 0
        self.system.start(s, gold.n)
        while not self.system.is_terminal(s):
            self.look(s, words, gold, moves[step] if step < moves.shape[0] else NONE)
            if self.best.action == NONE:
                self.system.dead_end(s)
            self.weights.now += 1
            self.steps += 1
            step += 1
            if self.rival.cost > self.best.cost:
                self.update()
            if self.predicted.cost <= self.best.cost:
                self.system.act(s, self.predicted.action, self.predicted.site, self.carried)
            else:
                self.mistakes += 1
                if explore > 0 and self.generator.random() < explore:
                    self.system.act(s, self.predicted.action, self.predicted.site, self.carried)
                elif self.stays and tries < MAX_TRIES:
                    tries += 1
                    continue
                else:
                    self.system.act(s, self.any_correct(), self.best.site, self.carried)
            tries = 0
            self.transitions += 1
        return 0

    cdef int look(self, State s, Words words, Gold gold, int planned) except -1 nogil:
        """Score and assess all actions at all sites: find `best`, `predicted` and `rival`."""
        cdef int site = 0
        cdef size_t size
        cdef float* scores
        self.best.action = self.predicted.action = self.rival.action = NONE
        self.best.site = self.predicted.site = self.rival.site = NONE
        while site != NONE:
            self.scorer.begin(s, words, site)
            if self.system.carried_move == NONE:
                self.policy.assess(s, gold, site, planned, NONE)  # while the weights come from memory
            scores = self.scorer.finish()
            self.carried = label_to_carry(self.system, scores)
            if self.system.carried_move != NONE:
                self.policy.assess(s, gold, site, planned, self.carried)
            self.compare(scores, site)
            size = self.scorer.count * sizeof(uint64_t)
            if self.best.site == site:
                memcpy(&self.best_keys[0], &self.scorer.keys[0], size)
            if self.rival.site == site:
                memcpy(&self.rival_keys[0], &self.scorer.keys[0], size)
            site = self.system.next_site(s, site)
        return 0

    cdef void compare(self, const float* scores, int site) noexcept nogil:
        """Compare the actions at this site with the candidates found at other sites."""
        cdef ScoredAction best = self.best, predicted = self.predicted, rival = self.rival  # copies stay in registers
        cdef const int* costs = &self.policy.costs[0]
        cdef int a, cost
        cdef float score
        for a in range(self.system.actions):
            cost = costs[a]
            if cost == NONE:
                continue
            score = scores[a]
            # correct are the actions of least cost: zero, unless the system cannot build the tree
            if best.action == NONE or cost < best.cost or (cost == best.cost and score > best.score):
                best.action, best.site, best.cost, best.score = a, site, cost, score
            if predicted.action == NONE or score > predicted.score:
                predicted.action, predicted.site, predicted.cost, predicted.score = a, site, cost, score
            if self.rule == MAX_LOSS:
                score += sqrt(cost)
                if rival.action == NONE or score > rival.score:
                    rival.action, rival.site, rival.cost, rival.score = a, site, cost, score
        best.count = self.scorer.count if best.site == site else best.count
        predicted.count = self.scorer.count if predicted.site == site else predicted.count
        rival.count = self.scorer.count if rival.site == site else rival.count
        self.best, self.predicted, self.rival = best, predicted, rival if self.rule == MAX_LOSS else predicted

    cdef int update(self) except -1 nogil:
        """Update the weights towards `best` and away from `rival`: by 1, or by the passive-aggressive step size."""
        cdef float amount = 1
        if self.best.action == self.rival.action:  # at two sites: the weights of shared features do not change
            self.leave_out_shared()
        if self.rule != PERCEPTRON:
            amount = self.rival.score - self.best.score
            if self.rule == PREDICTION:
                amount += sqrt(self.rival.cost)
            amount = min(self.aggressiveness, amount / max(1, self.best.count + self.rival.count))
        self.weights.update(&self.best_keys[0], self.best.count, self.best.action, amount)
        self.weights.update(&self.rival_keys[0], self.rival.count, self.rival.action, -amount)
        return 0

    cdef void leave_out_shared(self) noexcept nogil:
        """Remove the features that `best` and `rival` share; no site has a feature twice."""
        cdef int i = 0, j
        while i < self.best.count:
            j = 0
            while j < self.rival.count and self.rival_keys[j] != self.best_keys[i]:
                j += 1
            if j == self.rival.count:
                i += 1
            else:
                self.best.count -= 1
                self.best_keys[i] = self.best_keys[self.best.count]
                self.rival.count -= 1
                self.rival_keys[j] = self.rival_keys[self.rival.count]

    cdef int any_correct(self) noexcept nogil:
        """Return the best correct action; with `random_choice` and one site, a random correct action."""
        if self.random_choice and not self.system.has_sites:
            return self.generator.place_of(self.policy.costs, self.best.cost, self.best.action)
        return self.best.action
