"""A walk through a sentence with the scores of a network, Algorithm 3 of Goldberg and Nivre (2013), written down."""

from collections.abc import Callable
from dataclasses import dataclass, field

from reference.features import View
from reference.hidden_layer import Floats, Layer, labels_at, words_at
from reference.perceptron import Assess, label_to_carry

from dodona import Sentence
from dodona.transitions import derivations
from dodona.transitions.moves import NONE
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem

Rows = Callable[[int | None], int]


@dataclass
class Option:
    """A legal action at a site."""

    site: int
    action: int
    cost: int
    score: float


@dataclass
class Walker:
    """Walks, and remembers what it saw: one entry in each list for each site of each configuration."""

    core: TransitionSystem
    layer: Layer
    draw: Callable[[], float]
    random_choice: bool = False
    steps: int = 0
    mistakes: int = 0
    explored: int = 0
    words: list[list[int]] = field(default_factory=list)
    labels: list[list[int]] = field(default_factory=list)
    verdicts: list[list[int]] = field(default_factory=list)
    step_of: list[int] = field(default_factory=list)

    def follow(self, sentence: Sentence, rows: Floats, row_of: Rows, assess: Assess, explore: float) -> State:
        """Go through a sentence; returns the last configuration."""
        s = derivations.start(self.core, len(sentence.words))
        taken = 0
        while not self.core.is_terminal(s):
            options: list[Option] = []
            carried = NONE
            for site in derivations.sites(self.core, s):
                view = View.of(s, sentence, site)
                scores = self.layer.scores(view, rows, row_of)
                carried = label_to_carry(self.core, scores)
                costs = assess(s, taken, site, carried)
                options += [Option(site, a, cost, scores[a]) for a, cost in enumerate(costs) if cost is not None]
                self.words.append([row_of(node) for node in words_at(view, self.layer.text)])
                self.labels.append(labels_at(view, self.layer.text))
                self.step_of.append(self.steps)
            least = min(option.cost for option in options)
            for site in derivations.sites(self.core, s):
                verdicts = [-1] * self.core.actions
                for option in options:
                    if option.site == site:
                        verdicts[option.action] = 1 if option.cost == least else 0
                self.verdicts.append(verdicts)
            chosen = self.choose(options, least, explore)
            move, label = derivations.actions(self.core)[chosen.action]
            self.core.apply(s, move, chosen.site, carried if label == NONE else label)
            self.steps += 1
            taken += 1
        return s

    def choose(self, options: list[Option], least: int, explore: float) -> Option:
        """The action to take: the best one if it is correct, or if it is a mistake that is explored."""
        predicted = max(options, key=lambda option: option.score)  # the first of equals
        if predicted.cost == least:
            return predicted
        self.mistakes += 1
        if explore > 0 and self.draw() < explore:
            self.explored += 1
            return predicted
        correct = [option for option in options if option.cost == least]
        chosen = max(correct, key=lambda option: option.score)
        if self.random_choice and not self.core.has_sites:  # the i-th replaces the one before with probability 1/i
            for i, option in enumerate(correct, start=1):
                if self.draw() * i < 1:
                    chosen = option
        return chosen
