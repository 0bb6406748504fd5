"""Training on one sentence, for greedy search or with a beam.

For greedy search: Algorithm 3 of Goldberg and Nivre (2013); the other training regimes are special cases. In every
configuration the model predicts the best legal action, the oracle determines the correct ones, and the weights are
updated if the prediction is not among them. Regimes differ in which actions are correct (the policy) and in which
action is followed after a mistake (exploration).

With a beam, structured perceptron: one update per sentence, between two derivations (Collins and Roark 2004; Huang et
al. 2012). The correct derivation is the static oracle's. If the oracle allows several, it is a latent variable: the
best one that a beam search among correct actions finds with the current weights (Björkelund and Nivre 2015, section 5).
There is a violation where the best hypothesis of the free search has a higher score than the correct derivation, which
waits where a hypothesis of the same progress would, and hurries if it is behind all of them. Max-violation updates up
to the step where the difference is largest; early update up to the step where the correct derivation falls out of the
beam.
"""

from array import array

cimport cython
from libc.math cimport sqrt
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from dodona.data.hashing cimport HashTable, Slot, mix
from dodona.linear.scorer cimport LinearScorer, Words
from dodona.linear.weights cimport Weights
from dodona.search.beam cimport Beam
from dodona.search.scorer cimport NONE, label_to_carry
from dodona.transitions.gold cimport Gold
from dodona.transitions.policy cimport Policy, RandomGenerator
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


cdef struct WeightChange:
    uint64_t key  # of the feature
    int action
    int amount    # how much more often on the correct path than on the other


cdef class Learner:
    """A model during training. `rule` is a key of RULES."""

    cdef readonly TransitionSystem system
    cdef readonly Weights weights
    cdef Policy policy
    cdef LinearScorer scorer
    cdef long long steps, mistakes            # since the last report
    cdef readonly long long transitions       # of the derivations followed, since the beginning
    cdef int rule                             # a value of RULES
    cdef double aggressiveness
    cdef State s

    def __init__(self, Policy policy, templates, str rule, double aggressiveness, int longest, bint cached):
        self.policy = policy
        self.system = policy.system
        self.weights = Weights(self.system.actions)
        self.scorer = LinearScorer(templates, self.weights, cached=cached)
        self.rule = RULES[rule]
        self.aggressiveness = aggressiveness
        self.s = State(longest)

    def count(self):
        """Return (steps, mistakes) since the last call; with a beam (sentences, sentences with an update)."""
        counted = self.steps, self.mistakes
        self.steps = self.mistakes = 0
        return counted

    cdef int check(self, Words words, Gold gold) except -1:
        if gold.n != words.n or gold.n + 2 > self.s.width:
            raise ValueError(f"a gold tree of {gold.n} words for {words.n}, with room for {self.s.width - 2}")
        return 0


@cython.final
cdef class GreedyLearner(Learner):
    """Learns from every transition."""

    cdef bint random_choice                   # a random correct action, not the best one
    cdef bint stays                           # after a mistake the configuration does not change (easy-first)
    cdef RandomGenerator generator
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
        Learner.__init__(self, policy, templates, rule, aggressiveness, longest, False)
        self.random_choice = random_choice
        self.stays = self.system.has_sites
        self.generator = RandomGenerator(seed)
        self.best_keys = array("Q", bytes(8 * len(templates)))
        self.rival_keys = array("Q", bytes(8 * len(templates)))

    def train(self, Words words not None, Gold gold not None, int[::1] moves, double explore):
        """Train on one sentence; `explore` is the probability that a mistake is followed. `moves` is a planned
        derivation, or empty for the system's canonical one."""
        self.check(words, gold)
        cdef State s = self.s
        with nogil:
            self.train_on(s, words, gold, moves, explore)

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


@cython.final
cdef class StructuredLearner(Learner):
    """Learns with a beam of `width` hypotheses. `latent`: the oracle allows several derivations."""

    cdef Beam beam                           # searches freely
    cdef Beam guide                          # searches among correct actions
    cdef bint early                          # early update, not max-violation
    cdef int[::1] right, wrong               # the actions of the correct path and of the one that beats it
    cdef double[::1] prefix                  # the score of the correct path after each step
    cdef int[::1] progress                   # and its progress
    cdef HashTable places                    # from features with actions to their places in `changes`, from 1 on
    cdef WeightChange* changes
    cdef Py_ssize_t changed, room

    def __init__(
        self, Policy policy, templates, *, int width, bint latent, bint early=False, str rule="perceptron",
        double aggressiveness=1.0, int longest=0,
    ):
        Learner.__init__(self, policy, templates, rule, aggressiveness, longest, True)
        self.beam = Beam(self.system, self.scorer, width, traced=True)
        self.guide = Beam(self.system, self.scorer, width if latent else 1, traced=True)
        self.early = early
        self.right, self.wrong, self.progress, self.prefix = [array(kind, [0]) for kind in "iiid"]
        self.reserve(4 * longest)
        self.places = HashTable()

    def __dealloc__(self):
        free(self.changes)

    def train(self, Words words not None, Gold gold not None, int[::1] moves, double explore):
        """Train on one sentence; `moves` is a planned derivation, or empty for the oracle's. The beam itself explores,
        so `explore` has no effect."""
        self.check(words, gold)
        self.learn(words, gold, moves)

    cdef int learn(self, Words words, Gold gold, int[::1] moves) except -1:
        cdef Beam beam = self.beam
        cdef int length, action, other, done = 0, tracked = 0  # of the correct path: actions taken, rank in the beam
        cdef int worst_step = 0, worst_done = 0
        cdef double violation, worst = -1
        self.steps += 1
        self.weights.now += 1
        self.scorer.forget()
        self.guide.search(words, self.policy, gold, moves)
        self.reserve(self.guide.step)
        length = self.guide.path(self.guide.step, 0, &self.right[0])
        self.transitions += length
        self.score_path(words, length)
        beam.begin(words.n)
        while beam.advance(words, None, None):
            self.reserve(beam.step)
            action = NONE
            while done < length and self.progress[done] < beam.slowest:
                done += 1
            if done < length and self.progress[done] == beam.slowest:
                action = self.right[done]
                done += 1
            if tracked != NONE:
                tracked = beam.rank_of(tracked, action)
            violation = beam.totals[0] - self.prefix[done]
            if tracked != 0 and (self.early or violation >= worst):
                worst, worst_step, worst_done = violation, beam.step, done
                if self.early and tracked == NONE:
                    break
            elif self.early:
                worst = -1
        if worst >= 0:
            other = beam.path(worst_step, 0, &self.wrong[0])
            self.mistakes += 1
            self.correct(words, gold, worst_done, other, worst)
        return 0

    cdef int score_path(self, Words words, int length) except -1:
        """Fill `prefix` and `progress` for the correct path."""
        cdef int step
        cdef float* scores
        self.system.start(self.s, words.n)
        self.prefix[0] = 0
        for step in range(length):
            self.progress[step] = self.system.progress(self.s)
            scores = self.scorer.scores(self.s, words, 0)
            self.prefix[step + 1] = self.prefix[step] + scores[self.right[step]]
            self.system.act(self.s, self.right[step], 0, label_to_carry(self.system, scores))
        return 0

    cdef int correct(self, Words words, Gold gold, int length, int other, double violation) except -1:
        """Update the weights towards the correct path, up to `length` steps, and away from the other path."""
        cdef int shared = 0, k, loss = 0
        cdef Py_ssize_t i
        cdef double norm = 0, delta = 1
        while shared < length and shared < other and self.right[shared] == self.wrong[shared]:
            shared += 1
        self.places.clear()
        self.changed = 0
        self.collect(words, self.right, shared, length, 1)
        self.collect(words, self.wrong, shared, other, -1)
        if self.rule != PERCEPTRON:
            for k in range(1, gold.n + 1):  # the configuration at the end of the wrong path
                if self.s.head[k] != NONE and gold.head[k] <= gold.n:
                    loss += self.s.head[k] != gold.head[k] or gold.wrong_label(gold.head[k], k, self.s.label[k])
            for i in range(self.changed):
                norm += self.changes[i].amount * self.changes[i].amount
            delta = min(self.aggressiveness, (violation + max(1, loss)) / max(1, norm))
        for i in range(self.changed):
            if self.changes[i].amount != 0:
                self.weights.update_one(self.changes[i].key, self.changes[i].action, delta * self.changes[i].amount)
        return 0

    cdef int collect(self, Words words, int[::1] path, int shared, int length, int amount) except -1:
        """Follow a path and count its features from the end of the shared part on."""
        cdef int step, i, count
        cdef float* scores
        self.system.start(self.s, words.n)
        for step in range(length):
            scores = self.scorer.scores(self.s, words, 0)
            if step >= shared:
                count = self.scorer.name_features()
                for i in range(count):
                    self.add(self.scorer.keys[i], path[step], amount)
            self.system.act(self.s, path[step], 0, label_to_carry(self.system, scores))
        return 0

    cdef int add(self, uint64_t key, int action, int amount) except -1:
        """Count a feature with an action."""
        cdef Slot* slot = self.places.add(mix(key, action) | 1)
        cdef WeightChange* grown
        if slot.value == 0:
            if self.changed == self.room:
                grown = <WeightChange*> realloc(self.changes, (2 * self.room + 1024) * sizeof(WeightChange))
                if grown == NULL:
                    raise MemoryError
                self.changes, self.room = grown, 2 * self.room + 1024
            self.changes[self.changed].key = key
            self.changes[self.changed].action = action
            self.changes[self.changed].amount = 0
            self.changed += 1
            slot.value = self.changed
        self.changes[slot.value - 1].amount += amount
        return 0

    cdef int reserve(self, int steps) except -1:
        """Allocate memory for derivations of this length."""
        if self.right.shape[0] <= steps:
            right, wrong, progress, prefix = [array(kind, [0]) * (2 * steps + 8) for kind in "iiid"]
            for new, old in ((right, self.right), (progress, self.progress), (prefix, self.prefix)):
                memoryview(new)[: len(old)] = memoryview(old)
            self.right, self.wrong, self.progress, self.prefix = right, wrong, progress, prefix
        return 0
