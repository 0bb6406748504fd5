"""With a normalized scorer the score of a hypothesis is the logarithm of its probability, against brute force."""

import random
import zlib
from array import array
from functools import partial
from math import exp, fsum, log
from typing import Any

import pytest
from reference.beam import Scores, allowed, beams, take, tree
from reference.perceptron import label_to_carry
from reference.policy import Oracle
from samples.random_parses import OPTIONS, built, random_part, random_tree

from dodona.linear.scorer import LinearScorer
from dodona.linear.templates import Templates
from dodona.linear.weights import Weights
from dodona.search.beam import Beam
from dodona.search.greedy import GreedySearch
from dodona.search.scorer import CallableScorer, EncodedSentence
from dodona.systems.registry import SYSTEMS, BuiltSystem
from dodona.transitions import derivations
from dodona.transitions.policy import Policy
from dodona.transitions.state import State

WITH_BEAM = [name for name, entry in SYSTEMS.items() if entry.has_beam]
EVERYTHING = 100_000


def variants(**more: Any) -> list[Any]:
    return [
        pytest.param(built(name, **more, **options), id=f"{name} {options}")
        for name in WITH_BEAM
        for options in OPTIONS[name]
    ]


def drawn(actions: int, seed: int, s: State, site: int) -> list[float]:
    """A score for each action that depends on the configuration; no two sums are the same."""
    rows = [list(row[: s.n + 1]) for row in (s.head, s.label, s.remembered)]
    key = repr((seed, site, list(s.stack[: s.depth]), list(s.queue[s.front : s.end]), rows)).encode()
    chance = random.Random(zlib.crc32(key))
    return list(array("f", (chance.uniform(-3, 3) + 100 for _ in range(actions))))


def log_probabilities(system: BuiltSystem, scores: Scores, s: State, site: int) -> list[float]:
    """The scores, so that exp of those of the legal actions sums to one."""
    row = scores(s, site)
    total = log(fsum(exp(row[a]) for a in allowed(system.core, s, site, 0, None, 0)))
    return [score - total for score in row]


def every_derivation(system: BuiltSystem, scores: Scores, n: int) -> list[tuple[float, list[int], list[int]]]:
    """The logarithm of the probability of each derivation, and its tree."""
    ends, pending = [], [(0.0, derivations.start(system.core, n))]
    while pending:
        total, s = pending.pop()
        if system.core.is_terminal(s):
            ends.append((total, *tree(s)))
            continue
        row = log_probabilities(system, scores, s, 0)
        carried = label_to_carry(system.core, row)
        for action in allowed(system.core, s, 0, carried, None, 0):
            after = derivations.copy(s)
            take(system.core, after, action, 0, carried)
            pending.append((total + row[action], after))
    return sorted(ends, reverse=True)


def searched(system: BuiltSystem, scores: Scores, n: int, width: int, *limits: Any, normalized: bool = True) -> Beam:
    beam = Beam(system.core, scorer(system, scores, normalized), width)
    beam.search(EncodedSentence(n), *limits)
    return beam


def scorer(system: BuiltSystem, scores: Scores, normalized: bool = True) -> CallableScorer:
    return CallableScorer(system.core.actions, lambda s, sentence, site: scores(s, site), normalized=normalized)


@pytest.mark.parametrize("system", variants(labels=("a", "root")))
def test_all_derivations_together_have_the_probability_one(system: BuiltSystem) -> None:
    for n in (1, 2, 3):
        scores = partial(drawn, system.core.actions, n)
        found = searched(system, scores, n, EVERYTHING).results(EVERYTHING)
        expected = every_derivation(system, scores, n)
        assert [score for score, _, _ in found] == pytest.approx([score for score, _, _ in expected])
        assert [end[1:] for end in found] == [end[1:] for end in expected]
        assert fsum(exp(score) for score, _, _ in found) == pytest.approx(1)


def check(system: BuiltSystem, scores: Scores, n: int, width: int, *limits: Any, oracle: Oracle | None = None) -> None:
    *_, last = beams(system.core, n, partial(log_probabilities, system, scores), width, oracle)
    found = searched(system, scores, n, width, *limits).results(width)
    assert [score for score, _, _ in found] == pytest.approx([hypothesis.score for hypothesis in last])
    assert [end[1:] for end in found] == [tree(hypothesis.state) for hypothesis in last]


@pytest.mark.parametrize("system", variants())
def test_narrow_beams(system: BuiltSystem) -> None:
    for width in range(1, 7):
        check(system, partial(drawn, system.core.actions, width), (width + 3) % 7, width)


@pytest.mark.parametrize("system", variants())
def test_given_arcs_leave_fewer_actions_but_all_legal_ones_share_the_probability(system: BuiltSystem) -> None:
    chance = random.Random(5)
    for n in (2, 3, 5, 6):
        gold = derivations.gold_tree(*random_part(random_tree(system.core, n, chance), chance))
        policy = Policy(system.core, "constraints", longest=n)
        scores = partial(drawn, system.core.actions, n)
        check(system, scores, n, 4, policy, gold, oracle=Oracle(system, "constraints", gold))


@pytest.mark.parametrize("system", variants())
def test_a_beam_of_one_is_greedy(system: BuiltSystem) -> None:
    """Greedy search does not normalize; no parse of it may depend on exp and log."""
    for n in (1, 4, 9):
        scores = partial(drawn, system.core.actions, n)
        ((_, heads, labels),) = searched(system, scores, n, 1).results(1)
        assert GreedySearch(system.core, scorer(system, scores)).parse(EncodedSentence(n)) == (heads, labels)


def test_large_scores_do_not_overflow() -> None:
    system = built("arc-hybrid")
    large = searched(system, lambda s, site: [30_000.0] * system.core.actions, 3, 4)
    small = searched(system, lambda s, site: [-30_000.0] * system.core.actions, 3, 4)
    assert large.results(4)[0][0] == pytest.approx(small.results(4)[0][0])
    assert -100 < large.results(4)[0][0] < 0
    system = built("arc-eager")  # SHIFT and LEFT are legal, REDUCE between them is not: the best is in another range
    apart = searched(system, lambda s, site: [10_000.0 * a for a in range(system.core.actions)], 3, 1)
    assert apart.results(1)[0][0] == 0, "every action but the best has next to no probability"


def test_other_scores_are_not_normalized() -> None:
    system = built("arc-hybrid")
    scores = partial(drawn, system.core.actions, 1)
    assert searched(system, scores, 3, 4, normalized=False).results(1)[0][0] > 100
    assert not CallableScorer(1, lambda s, sentence, site: [0.0]).normalized
    assert not LinearScorer(Templates.load("hybrid"), Weights(system.core.actions)).normalized
