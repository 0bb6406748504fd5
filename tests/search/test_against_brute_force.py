"""Beam, greedy and site search against brute force; scores are random, but the same for the same configuration."""

import random
import zlib
from array import array
from functools import partial
from typing import Any

import numpy as np
import pytest
from reference.beam import Scores, beams, greedy, tree
from reference.policy import Oracle
from samples.random_parses import OPTIONS, built, random_part, random_sentence, random_tree, random_walk

from dodona.linear.scorer import LinearScorer
from dodona.linear.templates import Templates
from dodona.linear.weights import Weights
from dodona.parser.encoder import SentenceEncoder
from dodona.search.beam import Beam
from dodona.search.greedy import GreedySearch
from dodona.search.scorer import CallableScorer, EncodedSentence
from dodona.systems.registry import SYSTEMS, BuiltSystem
from dodona.transitions import derivations
from dodona.transitions.gold import Gold
from dodona.transitions.moves import NONE
from dodona.transitions.policy import Policy
from dodona.transitions.state import State

WITH_BEAM = [name for name, entry in SYSTEMS.items() if entry.has_beam]
COARSE, FINE = (0.0, 0.5, 1.0), tuple(float(np.float32(i / 7 - 5)) for i in range(70))


def variants(names: list[str]) -> list[Any]:
    return [pytest.param(built(name, **options), id=f"{name} {options}") for name in names for options in OPTIONS[name]]


def drawn(actions: int, values: tuple[float, ...], seed: int, s: State, site: int) -> list[float]:
    """A score for each action that depends on all of the configuration and on the site."""
    rows = [list(row[: s.n + 1]) for row in (s.head, s.label, s.remembered)]
    key = repr((seed, site, list(s.stack[: s.depth]), list(s.queue[s.front : s.end]), rows)).encode()
    return random.Random(zlib.crc32(key)).choices(values, k=actions)


def scorer(system: BuiltSystem, scores: Scores) -> CallableScorer:
    return CallableScorer(system.core.actions, lambda s, sentence, site: scores(s, site))


def check_beam(system: BuiltSystem, scores: Scores, n: int, width: int, **limits: Any) -> None:
    oracle = limits.get("oracle")
    *_, last = steps = list(beams(system.core, n, scores, width, oracle))
    beam = Beam(system.core, scorer(system, scores), width)
    gold = (limits["policy"], oracle.gold, array("i", oracle.plan)) if oracle else ()
    beam.search(EncodedSentence(n), *gold)
    assert (beam.step, beam.size) == (len(steps) - 1, len(last))
    assert beam.results(width) == [(hypothesis.score, *tree(hypothesis.state)) for hypothesis in last]
    assert beam.results(1) == beam.results(width)[:1]


@pytest.mark.parametrize("values", [COARSE, FINE], ids=["coarse", "fine"])
@pytest.mark.parametrize("system", variants(WITH_BEAM))
def test_beam(system: BuiltSystem, values: tuple[float, ...]) -> None:
    for width in range(1, 9):
        check_beam(system, partial(drawn, system.core.actions, values, width), (width + 3) % 7, width)


FORBIDDEN = 1
"""A label that no given arc may carry."""


def part(system: BuiltSystem, n: int, chance: random.Random) -> Gold:
    """Given arcs; of root words the label is never given."""
    heads, labels = random_part(random_tree(system.core, n, chance), chance)
    arcs = zip(heads, labels, strict=True)
    return derivations.gold_tree(heads, [NONE if h == 0 or label == FORBIDDEN else label for h, label in arcs])


@pytest.mark.parametrize("name", WITH_BEAM)
def test_beam_among_what_an_oracle_counts_as_right(name: str) -> None:
    """Given arcs, planned derivations, sets of right moves, costs."""
    chance = random.Random(1)
    for i, oracle in enumerate((*SYSTEMS[name].training_oracles, "constraints", "constraints")):
        for options in OPTIONS[name]:
            system = built(name, **options)
            n, width = chance.randint(2, 6), chance.randint(1, 6)
            whole = derivations.gold_tree(*random_tree(system.core, n, chance))
            gold = part(system, n, chance) if oracle == "constraints" else whole
            forbidden = [FORBIDDEN] if oracle == "constraints" else []
            policy = Policy(system.core, oracle, forbidden=forbidden, longest=n)
            scores = partial(drawn, system.core.actions, COARSE, i)
            check_beam(
                system, scores, n, width, oracle=Oracle(system, oracle, gold, forbidden=forbidden), policy=policy
            )


@pytest.mark.parametrize("values", [COARSE, FINE], ids=["coarse", "fine"])
@pytest.mark.parametrize("system", variants(list(SYSTEMS)))
def test_greedy(system: BuiltSystem, values: tuple[float, ...]) -> None:
    for n in (0, 1, 2, 5, 9):
        scores = partial(drawn, system.core.actions, values, n)
        search = GreedySearch(system.core, scorer(system, scores))
        assert search.parse(EncodedSentence(n)) == greedy(system.core, n, scores)


@pytest.mark.parametrize("system", variants(list(SYSTEMS)))
def test_greedy_around_given_arcs(system: BuiltSystem) -> None:
    chance = random.Random(2)
    for n in (1, 3, 5, 8):
        scores = partial(drawn, system.core.actions, COARSE, n)
        gold = part(system, n, chance)
        policy = Policy(system.core, "constraints", forbidden=[FORBIDDEN], longest=n)
        oracle = Oracle(system, "constraints", gold, forbidden=[FORBIDDEN])
        search = GreedySearch(system.core, scorer(system, scores))
        assert search.parse(EncodedSentence(n), policy, gold) == greedy(system.core, n, scores, oracle)


FAR = "L3.w\nL3.p+L2.p\nR3.w\nR3.p+R2.p\nL3.lc.w\nL3.rc.w\nR3.lc.w\nR3.rc.w\nP0.w\nL3.sr+R3.sl"
"""Templates that look as far as any can."""


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize("text", [Templates.load("easy-first-full").text, FAR], ids=["shipped", "far"])
def test_sites_are_scored_again_wherever_templates_can_see_a_change(single_root: bool, coarse: bool, text: str) -> None:
    """The compiled search scores only the sites near the last move again, brute force scores all of them every time."""
    chance = random.Random(3)
    system = built("easy-first", single_root=single_root)
    templates = Templates.parse(text)
    weights = Weights(system.core.actions)
    linear = LinearScorer(templates, weights)
    encode = SentenceEncoder(templates)
    sentences = [random_sentence(chance, n) for n in (1, 2, 5, 9, 14, 14, 20)]
    for sentence in sentences:  # a random weight for what random walks come upon
        for s in random_walk(system.core, len(sentence), chance):
            sites = derivations.sites(system.core, s)
            names = [name for site in sites for name in linear.hash_features(s, encode(sentence), site)]
            weight = partial(chance.randint, -1, 1) if coarse else partial(chance.uniform, -1, 1)
            weights.step((name, chance.randrange(system.core.actions), weight()) for name in names)
    search = GreedySearch(system.core, linear)
    for sentence in sentences:
        encoded = encode(sentence)
        naive = LinearScorer(templates, weights)
        scores = partial(scored, naive, encoded)
        assert search.parse(encoded) == greedy(system.core, len(sentence), scores)


def scored(linear: LinearScorer, sentence: EncodedSentence, s: State, site: int) -> list[float]:
    return linear.score(s, sentence, site)


COUNTS = "S0.lc.vl\nS1.vl+S0.vr\nS2.sr\nN0.vl\nS0.rc2.sl\ngap\ndist"
"""Templates that hardly see a difference between a word without dependents and nobody, about whom they are silent."""


@pytest.mark.parametrize("text", [None, COUNTS], ids=["shipped", "counts"])
@pytest.mark.parametrize("name", WITH_BEAM)
def test_cached_scores_are_the_scores(name: str, text: str | None) -> None:
    """A beam with a scorer that looks twice at nothing, and one that looks at everything."""
    chance = random.Random(4)
    system = built(name)
    templates = Templates.load(SYSTEMS[name].templates) if text is None else Templates.parse(text)
    weights = Weights(system.core.actions)
    linear = LinearScorer(templates, weights)
    for n in (3, 6, 9, 12):
        sentence = random_sentence(chance, n)
        encoded = SentenceEncoder(templates)(sentence)
        for s in random_walk(system.core, n, chance):
            names = linear.hash_features(s, encoded)
            weights.step((feature, chance.randrange(system.core.actions), chance.uniform(-1, 1)) for feature in names)
        beam = Beam(system.core, LinearScorer(templates, weights, cached=True), 4)
        beam.search(encoded)
        *_, last = beams(system.core, n, partial(scored, linear, encoded), 4)
        assert beam.results(4) == [(hypothesis.score, *tree(hypothesis.state)) for hypothesis in last]
