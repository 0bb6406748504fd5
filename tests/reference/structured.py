"""Learning with a beam by the definitions: early update (Collins and Roark 2004), max-violation (Huang et al. 2012)."""

from itertools import accumulate

from reference.beam import Hypothesis, beams, least_progress, take
from reference.perceptron import AveragedWeights, Features, difference, label_to_carry
from reference.policy import Oracle

from dodona.transitions import derivations
from dodona.transitions.gold import Gold
from dodona.transitions.moves import NONE
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem


class Structured:
    """One update for a sentence at most. `latent`: which of several correct derivations is meant is found by search."""

    def __init__(
        self, core: TransitionSystem, *, width: int, latent: bool, early: bool, rule: str, aggressiveness: float
    ) -> None:
        self.core = core
        self.width = width
        self.latent = latent
        self.early = early
        self.rule = rule
        self.aggressiveness = aggressiveness
        self.weights = AveragedWeights()
        self.updates: list[int] = []  # the step of each

    def train(self, features: Features, oracle: Oracle) -> None:
        def scores(s: State, site: int) -> list[float]:
            names = features(s, site)
            return [self.weights.score(names, action) for action in range(self.core.actions)]

        self.weights.step()
        n = oracle.gold.n
        *_, (guide, *_) = beams(self.core, n, scores, self.width if self.latent else 1, oracle)
        correct = guide.actions
        gained = [scores(s, 0)[action] for s, action in zip(self.path(n, correct, features), correct, strict=False)]
        reached = [0.0, *accumulate(gained)]  # the score of the correct derivation after each step
        steps = list(beams(self.core, n, scores, self.width))
        prefixes = [correct[:length] for length in self.in_step(self.path(n, correct, features), steps)]
        violations = {
            step: beam[0].score - reached[len(prefix)]
            for step, (beam, prefix) in enumerate(zip(steps, prefixes, strict=True))
            if beam[0].actions != prefix  # the best is another one
        }
        lost = [step for step, beam in enumerate(steps) if prefixes[step] not in [h.actions for h in beam]]
        if not violations:
            return
        if not self.early:
            worst = max(violations.values())
            step = max(step for step in violations if violations[step] == worst)
        elif lost:
            step = lost[0]
        elif len(steps) - 1 in violations:
            step = len(steps) - 1
        else:
            return
        self.updates.append(step)
        self.update(features, oracle.gold, prefixes[step], steps[step][0], violations[step])

    def in_step(self, correct: list[State], steps: list[list[Hypothesis]]) -> list[int]:
        """How many actions of the correct derivation are taken at each step of a beam.

        It first takes what it needs to be as far as the slowest hypothesis, and then one more unless it is further.
        Progress never falls.
        """
        taken = [0]
        for beam in steps[:-1]:
            slowest, length = least_progress(self.core, beam), taken[-1]
            ahead = [self.core.progress(s) for s in correct[length:-1]]  # before each action that is left
            hurried = sum(progress < slowest for progress in ahead)
            taken.append(length + hurried + (slowest in ahead))
        return taken

    def update(self, features: Features, gold: Gold, correct: list[int], wrong: Hypothesis, violation: float) -> None:
        changes = [(name, action, 1) for name, action in self.along(gold.n, correct, features)]
        changes += [(name, action, -1) for name, action in self.along(gold.n, wrong.actions, features)]
        changes = difference(changes)
        amount = 1.0
        if self.rule == "pa":
            loss = max(1, wrong_arcs(wrong.state, gold))
            norm = sum(count * count for _, _, count in changes)
            amount = min(self.aggressiveness, (violation + loss) / max(1, norm))
        for name, action, count in changes:
            self.weights.add(name, action, amount * count)

    def along(self, n: int, actions: list[int], features: Features) -> list[tuple[int, int]]:
        """The features of a derivation, each with the action that was taken there."""
        states = self.path(n, actions, features)
        return [(name, a) for s, a in zip(states, actions, strict=False) for name in features(s, 0)]

    def path(self, n: int, actions: list[int], features: Features) -> list[State]:
        """The configurations of a derivation, the first and the last included."""
        states = [derivations.start(self.core, n)]
        for action in actions:
            s = derivations.copy(states[-1])
            names = features(s, 0)
            row = [self.weights.score(names, a) for a in range(self.core.actions)]
            take(self.core, s, action, 0, label_to_carry(self.core, row))
            states.append(s)
        return states


def wrong_arcs(s: State, gold: Gold) -> int:
    """How many words have a head already, but a wrong one or with a wrong label, as far as gold tells."""
    known = [d for d in range(1, s.n + 1) if s.head[d] != NONE and gold.head[d] <= s.n]
    return sum(s.head[d] != gold.head[d] or gold.label[d] not in (NONE, s.label[d]) for d in known)
