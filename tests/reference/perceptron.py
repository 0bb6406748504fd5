"""Learning from single actions by the book: Algorithm 3 of Goldberg and Nivre (2013) with a dictionary of weights.

The learner's generator of random numbers is given from outside, so that two learners can be given the same numbers.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from reference.policy import Costs

from dodona.transitions import derivations
from dodona.transitions.moves import NONE
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem

Features = Callable[[State, int], list[int]]
"""The names of the features at a site of a configuration."""

Assess = Callable[[State, int, int, int], Costs]
"""What the actions cost: configuration, how many transitions were taken, site, label to carry along."""

MOST_TRIES = 50
"""How often easy-first learns in one configuration before it goes on after all."""


def single(value: float) -> float:
    """Weights and scores are numbers of single precision."""
    return float(np.float32(value))


class AveragedWeights:
    """A weight for each feature and action; its average is over the weights that the steps of learning began with."""

    def __init__(self) -> None:
        self.now: dict[tuple[int, int], float] = defaultdict(float)
        self.sums: dict[tuple[int, int], float] = defaultdict(float)
        self.steps = 0

    def step(self) -> None:
        """A step begins: the weights, as they are, count once."""
        self.steps += 1
        for key, weight in self.now.items():
            self.sums[key] += weight

    def add(self, feature: int, action: int, amount: float) -> None:
        self.now[feature, action] = single(self.now[feature, action] + single(amount))

    def score(self, features: Sequence[int], action: int) -> float:
        total = 0.0
        for feature in features:
            total = single(total + self.now.get((feature, action), 0.0))
        return total

    def averages(self) -> dict[tuple[int, int], float]:
        return {key: total / max(1, self.steps) for key, total in self.sums.items() if total != 0}


class Option(NamedTuple):
    """An action that could be taken."""

    site: int
    action: int
    cost: int
    score: float
    features: list[int]


class Perceptron:
    """`rule` is perceptron, pa (prediction-based) or pa-max-loss."""

    def __init__(
        self,
        core: TransitionSystem,
        *,
        rule: str,
        aggressiveness: float,
        random_choice: bool,
        draw: Callable[[], float],
    ) -> None:
        self.core = core
        self.rule = rule
        self.aggressiveness = aggressiveness
        self.random_choice = random_choice
        self.draw = draw
        self.weights = AveragedWeights()
        self.mistakes = 0
        self.explored = 0
        self.most_tries = 0

    def train(self, n: int, features: Features, assess: Assess, explore: float) -> None:
        """Go through one sentence of n words."""
        s = derivations.start(self.core, n)
        taken = tries = 0
        while not self.core.is_terminal(s):
            options, carried = self.options(s, features, assess, taken)
            least = min(option.cost for option in options)
            correct = best(option for option in options if option.cost == least)
            predicted = best(options)
            rival = predicted if self.rule != "pa-max-loss" else best(options, with_root_of_cost)
            self.weights.step()
            if rival.cost > least:
                self.update(correct, rival)
            chosen = predicted
            if predicted.cost > least:
                self.mistakes += 1
                if explore > 0 and self.draw() < explore:
                    self.explored += 1
                elif self.core.has_sites and tries < MOST_TRIES:
                    tries += 1  # stay here, and look again with the new weights
                    self.most_tries = max(tries, self.most_tries)
                    continue
                elif self.random_choice and not self.core.has_sites:
                    chosen = self.any_of([option for option in options if option.cost == least])
                else:
                    chosen = correct
            move, label = derivations.actions(self.core)[chosen.action]
            self.core.apply(s, move, chosen.site, carried if label == NONE else label)
            taken += 1
            tries = 0

    def options(self, s: State, features: Features, assess: Assess, taken: int) -> tuple[list[Option], int]:
        """Every legal action, by site and number; and the label that a plain move would carry along."""
        found = []
        carried = NONE
        for site in derivations.sites(self.core, s):
            names = features(s, site)
            scores = [self.weights.score(names, a) for a in range(self.core.actions)]
            carried = label_to_carry(self.core, scores)
            for a, cost in enumerate(assess(s, taken, site, carried)):
                if cost is not None:
                    found.append(Option(site, a, cost, scores[a], names))
        return found, carried

    def update(self, correct: Option, rival: Option) -> None:
        """By 1; or by the smallest amount after which the correct one wins by the root of the rival's cost (PA-I).

        That is what is lacking now, divided by the square of the length of the difference of the two feature vectors.
        """
        amount = 1.0
        changes = [(feature, correct.action, 1) for feature in correct.features]
        changes = difference(changes + [(feature, rival.action, -1) for feature in rival.features])
        if self.rule != "perceptron":
            lacking = single(with_root_of_cost(rival) - correct.score)
            if self.rule == "pa":
                lacking = single(single(rival.score - correct.score) + sqrt(rival.cost))
            amount = min(self.aggressiveness, single(lacking / max(1, sum(c * c for _, _, c in changes))))
        for feature, action, count in changes:
            self.weights.add(feature, action, amount * count)

    def any_of(self, options: list[Option]) -> Option:
        """Each with the same probability: the i-th replaces the one before with probability 1/i."""
        chosen = options[0]
        for i, option in enumerate(options, start=1):
            if self.draw() < 1 / i:
                chosen = option
        return chosen


def difference(changes: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """How often each feature with each action, where that is not 0."""
    counts: dict[tuple[int, int], int] = defaultdict(int)
    for feature, action, count in changes:
        counts[feature, action] += count
    return [(*key, count) for key, count in counts.items() if count != 0]


def by_score(option: Option) -> float:
    return option.score


def with_root_of_cost(option: Option) -> float:
    return single(option.score + sqrt(option.cost))


def best(options: Iterable[Option], key: Callable[[Option], float] = by_score) -> Option:
    """The first of those with the highest value."""
    return max(options, key=key)


def label_to_carry(core: TransitionSystem, scores: Sequence[float]) -> int:
    """The label of the best action of the system's carried move, the first of equals; NONE if there is no such move."""
    if core.carried_move == NONE:
        return NONE
    labels = {
        label: scores[a] for a, (move, label) in enumerate(derivations.actions(core)) if move == core.carried_move
    }
    return max(labels, key=lambda label: labels[label])
