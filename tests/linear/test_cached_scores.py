"""Scores that are remembered, as a whole or in parts, are those that are computed each time."""

import random

import pytest
from samples.random_parses import built, random_sentence, random_walk

from dodona.linear.frozen import WEIGHTS, FrozenWeights, freeze_weights
from dodona.linear.scorer import LinearScorer
from dodona.linear.templates import Templates
from dodona.linear.weights import Weights
from dodona.parser.encoder import SentenceEncoder
from dodona.systems.registry import SYSTEMS
from dodona.transitions import derivations
from dodona.transitions.state import State

PARTS = {
    "both": None,
    "steady only": "S0.w\nN0.p+S0.w\nS1.w+dist\ngap",
    "changing only": "S0.l+N0.w\nS0.lc.w\nN0.lc.l\nS0.vl+S0.vr+S0.sl+S0.sr",
}
"""Templates of words in places, of what was built before, and both."""


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", ["arc-eager", "arc-standard", "covington", "swap-standard"])
@pytest.mark.parametrize("is_frozen", [True, False], ids=["frozen", "learning"])
def test_remembered_scores_are_the_scores(name: str, part: str, is_frozen: bool) -> None:
    """Many short sentences and one scorer: nothing may be taken from another sentence or configuration."""
    chance = random.Random(7)
    core = built(name).core
    templates = Templates.parse(PARTS[part] or Templates.load(SYSTEMS[name].templates + "-full").text)
    weights = Weights(core.actions)
    plain = LinearScorer(templates, weights)
    examples = []
    for n in [2, 3, 5] * 10:
        encoded = SentenceEncoder(templates)(random_sentence(chance, n))
        configurations = [derivations.copy(s) for s in random_walk(core, n, chance)]
        for s in configurations:
            names = plain.hash_features(s, encoded)
            weights.step((feature, chance.randrange(core.actions), float(chance.randint(-9, 9))) for feature in names)
        examples.append((encoded, configurations))
    if is_frozen:
        arrays = freeze_weights(weights, 100)
        frozen = FrozenWeights(core.actions, *(arrays[name] for name in WEIGHTS))
        plain, cached = LinearScorer(templates, frozen), LinearScorer(templates, frozen, cached=True)
    else:
        cached = LinearScorer(templates, weights, cached=True)
    for encoded, configurations in examples:
        for s in [*configurations, *configurations]:
            assert cached.score(s, encoded) == plain.score(s, encoded)


def test_a_configuration_in_a_workspace_that_is_used_again() -> None:
    """The second sentence has the same length, and its configurations are in the same memory."""
    chance = random.Random(1)
    core = built("arc-eager").core
    templates = Templates.parse("S0.w\nN0.w")
    first, second = (SentenceEncoder(templates)(random_sentence(chance, 4)) for _ in range(2))
    weights = Weights(core.actions)
    plain = LinearScorer(templates, weights)
    s: State = derivations.start(core, 4)
    weights.step((feature, 0, 1.0) for feature in plain.hash_features(s, first))
    cached = LinearScorer(templates, weights, cached=True)
    assert cached.score(s, first) == plain.score(s, first)
    assert cached.score(s, second) == plain.score(s, second)
