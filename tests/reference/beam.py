"""Search by brute force: look at every continuation, sort, keep the best. No heap, no tournament, no cache."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reference.perceptron import label_to_carry
from reference.policy import Oracle

from dodona.transitions import derivations
from dodona.transitions.moves import NONE
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem

Scores = Callable[[State, int], list[float]]
"""A score for each action at a site of a configuration, legal or not."""

Tree = tuple[list[int], list[int]]


@dataclass
class Hypothesis:
    state: State
    score: float
    actions: list[int]  # that led to it


def beams(
    core: TransitionSystem, n: int, scores: Scores, width: int, oracle: Oracle | None = None
) -> Iterator[list[Hypothesis]]:
    """The hypotheses, best first, at the start and after each step, until all are finished.

    Of two with the same score, the one with the better parent is better, and of two of one parent the one whose action
    has the smaller number. With an oracle a hypothesis goes on only by what costs least.
    """
    beam = [Hypothesis(derivations.start(core, n), 0.0, [])]
    yield beam
    while not all(core.is_terminal(hypothesis.state) for hypothesis in beam):
        found: list[tuple[float, Hypothesis, int, int]] = []  # in the order that decides between equals
        slowest = least_progress(core, beam)
        for parent in beam:
            if core.is_terminal(parent.state) or core.progress(parent.state) > slowest:
                found.append((parent.score, parent, NONE, NONE))  # it waits
                continue
            row = scores(parent.state, 0)
            carried = label_to_carry(core, row)
            for action in allowed(core, parent.state, 0, carried, oracle, len(parent.actions)):
                found.append((parent.score + row[action], parent, action, carried))
        found.sort(key=lambda candidate: -candidate[0])  # Python's sort leaves equals in their order
        beam = [after(core, *candidate) for candidate in found[:width]]
        yield beam


def least_progress(core: TransitionSystem, beam: list[Hypothesis]) -> int:
    return min(core.progress(h.state) for h in beam if not core.is_terminal(h.state))


def after(core: TransitionSystem, score: float, parent: Hypothesis, action: int, carried: int) -> Hypothesis:
    if action == NONE:
        return parent
    state = derivations.copy(parent.state)
    take(core, state, action, 0, carried)
    return Hypothesis(state, score, [*parent.actions, action])


def take(core: TransitionSystem, s: State, action: int, site: int, carried: int) -> None:
    move, label = derivations.actions(core)[action]
    core.apply(s, move, site, carried if label == NONE else label)


def allowed(core: TransitionSystem, s: State, site: int, carried: int, oracle: Oracle | None, step: int) -> list[int]:
    """The legal actions; with an oracle those of them that cost least."""
    if oracle is None:
        legal = derivations.legal_moves(core, s, site)
        return [a for a, (move, _) in enumerate(derivations.actions(core)) if move in legal]
    costs = oracle.costs(s, step, site, carried)
    least = min(cost for cost in costs if cost is not None)
    return [a for a, cost in enumerate(costs) if cost == least]


def greedy(core: TransitionSystem, n: int, scores: Scores, oracle: Oracle | None = None) -> Tree:
    """Take the best action at any site, the first of equals, until the end.

    With an oracle only actions that cost nothing are looked at, as long as there are any.
    """
    s = derivations.start(core, n)
    while not core.is_terminal(s):
        legal, free = [], []
        for site in derivations.sites(core, s):
            row = scores(s, site)
            carried = label_to_carry(core, row)
            costs = oracle.costs(s, 0, site, carried) if oracle is not None else []
            for action in allowed(core, s, site, carried, None, 0):
                legal.append((row[action], action, site, carried))
                if oracle is None or costs[action] == 0:
                    free.append(legal[-1])
        _, action, site, carried = max(free or legal, key=lambda option: option[0])
        take(core, s, action, site, carried)
    return tree(s)


def tree(s: State) -> Tree:
    """Heads and labels; headless words are attached to ROOT."""
    return [0 if h == NONE else h for h in s.head[1 : s.n + 1]], list(s.label[1 : s.n + 1])
