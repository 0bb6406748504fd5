"""Training on one sentence: Algorithm 3 of Goldberg and Nivre (2013), of which all other regimes are special cases.

In every configuration the model predicts the best legal action, the oracle says which ones are correct, and the weights
change if the prediction is not among them. What differs between regimes is what counts as correct (the policy) and where
training goes after a mistake (exploration).
"""

from array import array

from libc.math cimport sqrt
from libc.stdint cimport uint64_t

from dodona.core.moves import NONE as _NONE
from dodona.core.scorer cimport label_to_remember

cdef int NONE = _NONE
cdef int PERCEPTRON = 0, PREDICTION = 1, MAX_LOSS = 2

RULES = {"perceptron": 0, "pa": 1, "pa-max-loss": 2}


cdef class Learner:
    """One model in the making. `rule` is a key of RULES."""

    def __init__(
        self, Judge judge, templates, *, str rule="perceptron", double aggressiveness=1.0, bint random_choice=False,
        bint stays=False, int longest=0, seed=1,
    ):
        self.oracle = judge
        self.system = judge.system
        self.extractor = Extractor(templates)
        self.weights = Weights(self.system.actions)
        self.rule = RULES[rule]
        self.aggressiveness = aggressiveness
        self.random_choice = random_choice
        self.stays = stays
        self.random_state = (seed * 2654435761 + 88172645463325252) % (1 << 64)
        self.s = State(longest)
        self.costs = judge.costs
        self.scores = array("f", bytes(4 * self.system.actions))
        self.keys = array("Q", bytes(8 * self.extractor.most))
        self.best_keys = array("Q", bytes(8 * self.extractor.most))
        self.rival_keys = array("Q", bytes(8 * self.extractor.most))

    def train(self, Words words, Gold gold, int[::1] moves, double explore):
        """Go through one sentence; `explore` is how often a mistake is followed. `moves` is a planned derivation, or
        empty for the system's canonical one."""
        cdef TransitionSystem system = self.system
        cdef State s = self.s
        with nogil:
            self.train_on(system, s, words, gold, moves, explore)

    def count(self):
        """(steps, mistakes) since the last call."""
        counted = self.steps, self.mistakes
        self.steps = self.mistakes = 0
        return counted

    cdef int train_on(
        self, TransitionSystem system, State s, Words words, Gold gold, int[::1] moves, double explore
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
                memory = label_to_remember(system, &self.scores[0])
                self.oracle.judge(system, s, gold, site, moves[step] if step < moves.shape[0] else NONE, memory)
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
                if explore == 0 or self.random() >= explore:
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
            system.act(s, chosen, site, memory)
        return 0

    cdef double random(self) noexcept nogil:
        """xorshift: a number from 0 up to 1, the same on every machine."""
        self.random_state ^= self.random_state << 13
        self.random_state ^= self.random_state >> 7
        self.random_state ^= self.random_state << 17
        return (self.random_state >> 11) / <double> (1ULL << 53)
