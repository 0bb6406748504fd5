"""Training on one sentence: Algorithm 3 of Goldberg and Nivre (2013), of which all other regimes are special cases.

In every configuration the model predicts the best legal action, the oracle says which ones are correct, and the weights
change if the prediction is not among them. What differs between regimes is what counts as correct (the policy) and where
training goes after a mistake (exploration).
"""

from array import array

from libc.math cimport sqrt
from libc.stdint cimport uint64_t

from dodona.core.moves import LEFT as _LEFT, NONE as _NONE, RIGHT as _RIGHT, SHIFT as _SHIFT
from dodona.systems.nonmonotonic cimport NonMonotonic
from dodona.systems.swap_standard cimport SwapStandard

cdef int NONE = _NONE, SHIFT = _SHIFT, LEFT = _LEFT, RIGHT = _RIGHT
cdef int STATIC = 0, ORACLE_SET = 1, COSTS = 2
cdef int PERCEPTRON = 0, PREDICTION = 1, MAX_LOSS = 2

POLICIES = {"static": 0, "oracle set": 1, "costs": 2}
RULES = {"perceptron": 0, "pa": 1, "pa-max-loss": 2}


cdef class Learner:
    """One model in the making. `policy` and `rule` are keys of POLICIES and RULES."""

    def __init__(
        self, TransitionSystem system, templates, *, str policy, str rule="perceptron", double aggressiveness=1.0,
        bint random_choice=False, bint stays=False, bint links_too=True, bint joint=False, int longest=0, seed=1,
    ):
        self.system = system
        self.extractor = Extractor(templates)
        self.weights = Weights(system.actions)
        self.policy = POLICIES[policy]
        self.rule = RULES[rule]
        self.aggressiveness = aggressiveness
        self.random_choice = random_choice
        self.stays = stays
        self.links_too = links_too
        self.joint = joint
        self.random_state = (seed * 2654435761 + 88172645463325252) % (1 << 64)
        self.s = State(longest)
        self.work = State(longest)
        self.costs = array("i", bytes(4 * system.actions))
        self.scores = array("f", bytes(4 * system.actions))
        self.keys = array("Q", bytes(8 * self.extractor.most))
        self.best_keys = array("Q", bytes(8 * self.extractor.most))
        self.rival_keys = array("Q", bytes(8 * self.extractor.most))

    def train(self, Words words, Gold gold, int[::1] moves, double explore):
        """Go through one sentence; `explore` is how often a mistake is followed. `moves` is a planned derivation, or
        empty for the system's canonical one."""
        cdef TransitionSystem system = self.system
        cdef State s = self.s, work = self.work
        with nogil:
            self.train_on(system, s, work, words, gold, moves, explore)

    def count(self):
        """(steps, mistakes) since the last call."""
        counted = self.steps, self.mistakes
        self.steps = self.mistakes = 0
        return counted

    cdef int train_on(
        self, TransitionSystem system, State s, State work, Words words, Gold gold, int[::1] moves, double explore
    ) except -1 nogil:
        cdef int site, a, count, best_count, rival_count, step = 0, memory, chosen, alike, tries = 0
        cdef int best, best_site, best_cost, predicted, predicted_site, predicted_cost, rival, rival_cost
        cdef float best_score, predicted_score, rival_score, score, margin
        system.start(s, gold.n)
        while not system.is_terminal(s):
            best = predicted = rival = best_site = predicted_site = NONE
            best_count = rival_count = predicted_cost = rival_cost = best_cost = memory = 0
            best_score = predicted_score = rival_score = 0
            site = 0
            while site != NONE:
                count = self.extractor.extract(s, words, site, &self.keys[0])
                self.weights.score(&self.keys[0], count, &self.scores[0])
                memory = self.remembered(system)
                self.judge(system, s, work, gold, site, moves[step] if step < moves.shape[0] else NONE, memory)
                for a in range(system.actions):
                    if self.costs[a] == NONE:
                        continue
                    score = self.scores[a]
                    # correct is what costs least: nothing, unless the tree is one that the system cannot build
                    if best == NONE or self.costs[a] < best_cost or (self.costs[a] == best_cost and score > best_score):
                        best, best_site, best_cost, best_score, best_count = a, site, self.costs[a], score, count
                        self.best_keys[:count] = self.keys[:count]
                    if predicted == NONE or score > predicted_score:
                        predicted, predicted_site, predicted_cost, predicted_score = a, site, self.costs[a], score
                    if self.rule == MAX_LOSS:
                        score += sqrt(self.costs[a])
                    if rival == NONE or score > rival_score:
                        rival, rival_cost, rival_score, rival_count = a, self.costs[a], score, count
                        self.rival_keys[:count] = self.keys[:count]
                site = system.next_site(s, site)
            self.weights.now += 1
            self.steps += 1
            step += 1
            if rival_cost > best_cost:
                margin = 1
                if self.rule != PERCEPTRON:
                    margin = rival_score - best_score
                    if self.rule == PREDICTION:
                        margin += sqrt(rival_cost)
                    margin = min(self.aggressiveness, margin / (best_count + rival_count))
                self.weights.update(&self.best_keys[0], best_count, best, margin)
                self.weights.update(&self.rival_keys[0], rival_count, rival, -margin)
            chosen, site = predicted, predicted_site
            if predicted_cost > best_cost:
                self.mistakes += 1
                if self.policy != COSTS or explore == 0 or self.random() >= explore:
                    if self.stays and tries < 50:
                        tries += 1
                        continue
                    chosen, site = best, best_site
                    if self.random_choice and system.next_site(s, 0) == NONE:
                        alike = 0
                        for a in range(system.actions):
                            if self.costs[a] == best_cost:
                                alike += 1
                                if self.random() * alike < 1:
                                    chosen = a
            tries = 0
            self.take(system, s, chosen, site, memory)
        return 0

    cdef void judge(
        self, TransitionSystem system, State s, State work, Gold gold, int site, int planned, int remembered
    ) noexcept nogil:
        """Fill `costs`: 0 for the correct actions, NONE for those that are not legal."""
        cdef int m, a = 0, i, width, move, label
        cdef int correct
        if self.policy == COSTS:
            system.costs(s, gold, site, remembered, self.costs)
            if self.joint:
                self.prefer_monotonic(<NonMonotonic> system, s, gold)
            return
        if self.policy == ORACLE_SET:
            correct = (<SwapStandard> system).correct(s, gold, work, self.links_too)
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

    cdef int remembered(self, TransitionSystem system) noexcept nogil:
        """The label of the best RIGHT, for SHIFT to carry along."""
        cdef int m, i, at = system.plain, best = NONE
        for m in range(system.plain, system.moves.shape[0]):
            if system.moves[m] == RIGHT:
                for i in range(system.labels):
                    if best == NONE or self.scores[at + i] > self.scores[at + best]:
                        best = i
            else:
                at += system.labels
            if best != NONE:
                break
        return best

    cdef double random(self) noexcept nogil:
        """xorshift: a number from 0 up to 1, the same on every machine."""
        self.random_state ^= self.random_state << 13
        self.random_state ^= self.random_state >> 7
        self.random_state ^= self.random_state << 17
        return (self.random_state >> 11) / <double> (1ULL << 53)

    cdef void take(self, TransitionSystem system, State s, int action, int site, int remembered) noexcept nogil:
        if action < system.plain:
            system.apply(s, system.moves[action], site, remembered)
        else:
            action -= system.plain
            system.apply(s, system.moves[system.plain + action // system.labels], site, action % system.labels)
