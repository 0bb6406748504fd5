"""How sure greedy search is of its arcs, against a walk in plain Python that looks for what each action has changed."""

import random
import zlib
from array import array
from collections.abc import Sequence
from functools import partial
from math import exp, fsum, log
from typing import Any

import numpy as np
import pytest
from reference.beam import Scores, allowed, take
from reference.perceptron import label_to_carry
from reference.policy import Oracle
from samples.random_parses import OPTIONS, built, random_part, random_tree

from dodona.search.beam import Beam
from dodona.search.greedy import GreedySearch
from dodona.search.scorer import CallableScorer, EncodedSentence
from dodona.systems.registry import SYSTEMS, BuiltSystem
from dodona.transitions import derivations
from dodona.transitions.moves import NONE
from dodona.transitions.policy import Policy
from dodona.transitions.state import State

COARSE, FINE = (0.0, 0.5, 1.0), tuple(float(np.float32(i / 7 - 5)) for i in range(70))


def variants() -> list[Any]:
    return [
        pytest.param(built(name, **options), id=f"{name} {options}") for name in SYSTEMS for options in OPTIONS[name]
    ]


def drawn(actions: int, values: tuple[float, ...], seed: int, s: State, site: int) -> list[float]:
    rows = [list(row[: s.n + 1]) for row in (s.head, s.label, s.remembered)]
    key = repr((seed, site, list(s.stack[: s.depth]), list(s.queue[s.front : s.end]), rows)).encode()
    return random.Random(zlib.crc32(key)).choices(values, k=actions)


def walked(
    system: BuiltSystem,
    n: int,
    scores: Scores,
    temperature: float,
    oracle: Oracle | None = None,
    derivation: Sequence[int] | None = None,
) -> tuple[list[float], int]:
    """The mean of the logarithms, the probability for each word, and how many heads were replaced.

    With a derivation, its actions are taken and not the best ones.
    """
    core = system.core
    s = derivations.start(core, n)
    logarithms: list[float] = []
    found = [0.0] * (n + 1)
    replaced = 0
    while not core.is_terminal(s):
        options, free = [], []
        for site in derivations.sites(core, s):
            row = scores(s, site)
            carried = label_to_carry(core, row)
            legal = allowed(core, s, site, carried, None, 0)
            costs = oracle.costs(s, 0, site, carried) if oracle is not None else [0] * core.actions
            kept = [a for a in legal if costs[a] == 0] or legal
            parts = fsum(exp(row[a] / temperature) for a in kept)
            for a in legal:
                options.append((row[a], a, site, carried, exp(row[a] / temperature) / parts))
                if a == derivation[len(logarithms)] if derivation is not None else costs[a] == 0:
                    free.append(options[-1])
        _, action, site, carried, probability = max(free or options, key=lambda option: option[0])
        before = list(s.head[1 : n + 1])
        to_root = core.head_of(s, derivations.actions(core)[action][0], site) == 0
        take(core, s, action, site, carried)
        logarithms.append(log(probability))
        for k in range(1, n + 1):
            if s.head[k] != before[k - 1] and (s.head[k] > 0 or to_root):
                replaced += before[k - 1] != NONE
                found[k] = probability
    found[0] = fsum(logarithms) / max(1, len(logarithms))
    return found, replaced


def search(system: BuiltSystem, scores: Scores) -> GreedySearch:
    return GreedySearch(
        system.core, CallableScorer(system.core.actions, lambda s, sentence, site: scores(s, site), normalized=True)
    )


@pytest.mark.parametrize("temperature", [1.0, 0.25, 100.0])
@pytest.mark.parametrize("values", [COARSE, FINE], ids=["coarse", "fine"])
@pytest.mark.parametrize("system", variants())
def test_the_probability_of_the_action_that_made_the_arc(
    system: BuiltSystem, values: tuple[float, ...], temperature: float
) -> None:
    for n in (0, 1, 2, 5, 9):
        scores = partial(drawn, system.core.actions, values, n)
        found = array("d", [7.0] * (n + 1))
        greedy = search(system, scores)
        parsed = greedy.parse(EncodedSentence(n), confidence=found, temperature=temperature)
        expected, _ = walked(system, n, scores, temperature)
        assert list(found) == pytest.approx(expected)
        assert parsed == greedy.parse(EncodedSentence(n)), "the parse is the same"
        assert all(0 <= probability <= 1 for probability in found[1:])
        assert found[0] <= 0


@pytest.mark.parametrize("system", variants())
def test_around_given_arcs_the_actions_that_keep_them_share_the_probability(system: BuiltSystem) -> None:
    chance = random.Random(2)
    for n in (1, 3, 5, 8):
        scores = partial(drawn, system.core.actions, FINE, n)
        gold = derivations.gold_tree(*random_part(random_tree(system.core, n, chance), chance))
        policy = Policy(system.core, "constraints", longest=n)
        found = np.zeros(n + 1)
        search(system, scores).parse(EncodedSentence(n), policy, gold, found)
        expected, _ = walked(system, n, scores, 1.0, Oracle(system, "constraints", gold))
        assert found.tolist() == pytest.approx(expected)
        if system.entry.has_beam:
            greedy = search(system, scores)
            beam = Beam(system.core, greedy.scorer, 4, traced=True)
            beam.search(EncodedSentence(n), policy, gold)
            greedy.follow(EncodedSentence(n), beam.derivation(0), found, 1.0, policy, gold)
            expected, _ = walked(system, n, scores, 1.0, Oracle(system, "constraints", gold), beam.derivation(0))
            assert found.tolist() == pytest.approx(expected)


def test_heads_are_replaced_and_words_are_left_over_in_these_cases() -> None:
    system = built("nonmonotonic", reduce_label="remembered")
    assert sum(walked(system, 9, partial(drawn, system.core.actions, FINE, i), 1.0)[1] for i in range(9)) > 3
    for name in ("covington", "arc-eager"):
        system = built(name, root="attach") if name == "arc-eager" else built(name)
        found, _ = walked(system, 9, partial(drawn, system.core.actions, FINE, 9), 1.0)
        assert 0.0 in found[1:]


def test_a_certain_action_has_the_probability_one() -> None:
    system = built("arc-hybrid", labels=("root",), single_root=True)
    found = array("d", [0.0, 0.0])
    search(system, lambda s, site: [1.0, 2.0, 3.0]).parse(EncodedSentence(1), confidence=found)
    assert list(found) == [0.0, 1.0]


@pytest.mark.parametrize("system", [v for v in variants() if SYSTEMS[v.values[0].entry.name].has_beam])
def test_a_derivation_of_a_beam_is_followed(system: BuiltSystem) -> None:
    """The same tree, and the probabilities of its actions."""
    for n in (1, 4, 7):
        scores = partial(drawn, system.core.actions, FINE, n)
        greedy = search(system, scores)
        beam = Beam(system.core, greedy.scorer, 4, traced=True)
        beam.search(EncodedSentence(n))
        for rank, (total, *arcs) in enumerate(beam.results(4)):
            derivation = beam.derivation(rank)
            found = np.full(n + 1, 7.0)
            assert greedy.follow(EncodedSentence(n), derivation, found, 0.5) == tuple(arcs)
            expected, _ = walked(system, n, scores, 0.5, derivation=derivation)
            assert found.tolist() == pytest.approx(expected)
            plain, _ = walked(system, n, scores, 1.0, derivation=derivation)
            assert total == pytest.approx(plain[0] * len(derivation)), "the beam has normalized the same scores"


def test_derivations_that_are_not_stored() -> None:
    system = built("arc-hybrid")
    scorer = search(system, lambda s, site: [0.0] * system.core.actions).scorer
    for beam, rank in ((Beam(system.core, scorer, 2), 0), (Beam(system.core, scorer, 2, traced=True), 2)):
        beam.search(EncodedSentence(3))
        with pytest.raises(ValueError, match=f"derivation {rank} of"):
            beam.derivation(rank)
    easy = search(built("easy-first"), lambda s, site: [0.0] * 100)
    with pytest.raises(ValueError, match="expected one that a beam has found"):
        easy.follow(EncodedSentence(1), array("i"), np.zeros(2))


def test_bad_arguments() -> None:
    system = built("arc-hybrid")
    greedy = search(system, lambda s, site: [0.0] * system.core.actions)
    with pytest.raises(ValueError, match="confidence of 3; expected 4, one more than words"):
        greedy.parse(EncodedSentence(3), confidence=array("d", [0.0] * 3))
    for temperature in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="expected more than 0"):
            greedy.parse(EncodedSentence(3), confidence=array("d", [0.0] * 4), temperature=temperature)
