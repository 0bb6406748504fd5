"""The compiled greedy learner against the naive one: the same data and the same random numbers, the same weights."""

import random
from array import array
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from reference.compare import check_same, features_of
from reference.features import lines
from reference.perceptron import MOST_TRIES, Perceptron
from reference.policy import Oracle
from samples.random_parses import OPTIONS, built, random_part, random_sentence, random_tree
from samples.small_templates import small_templates

from dodona.linear.perceptron import RULES, GreedyLearner
from dodona.linear.templates import Templates
from dodona.parser.encoder import SentenceEncoder
from dodona.systems.registry import SYSTEMS, BuiltSystem
from dodona.transitions import derivations
from dodona.transitions.policy import Policy, RandomGenerator, leaves_a_choice


@dataclass
class Regime:
    """How two learners are trained."""

    oracle: str = "dynamic"
    rule: str = "perceptron"
    explore: float = 0.0
    random_choice: bool = False
    parts: bool = False
    crossing: bool = False
    templates: str | None = None
    sentences: int = 6
    iterations: int = 3
    longest: int = 6


def train_both(system: BuiltSystem, regime: Regime, seed: int) -> tuple[GreedyLearner, Perceptron]:
    chance = random.Random(seed)
    text = regime.templates or small_templates(system.entry.name)
    templates, wanted = Templates.parse(text), lines(text)
    policy = Policy(system.core, regime.oracle, longest=regime.longest)
    common: dict[str, Any] = {"rule": regime.rule, "aggressiveness": 0.3, "random_choice": regime.random_choice}
    compiled = GreedyLearner(policy, templates, longest=regime.longest, seed=seed, **common)
    naive = Perceptron(system.core, draw=RandomGenerator(seed).draw, **common)
    examples = []
    for _ in range(regime.sentences):
        n = chance.randint(1, regime.longest)
        sentence = random_sentence(chance, n)
        builder = built("covington").core if regime.crossing else system.core
        tree = random_tree(builder, n, chance)
        gold = derivations.gold_tree(*(random_part(tree, chance) if regime.parts else tree))
        oracle = Oracle(system, regime.oracle, gold)
        examples.append((sentence, SentenceEncoder(templates)(sentence), gold, oracle))
    for iteration in range(regime.iterations):
        explore = regime.explore if iteration > 0 else 0.0
        for sentence, encoded, gold, oracle in examples:
            compiled.train(encoded, gold, array("i", oracle.plan), explore)
            naive.train(gold.n, features_of(sentence, wanted), oracle.costs, explore)
    return compiled, naive


def check(system: BuiltSystem, regime: Regime, seed: int) -> Perceptron:
    compiled, naive = train_both(system, regime, seed)
    check_same(compiled.weights, naive.weights)
    assert compiled.count() == (naive.weights.steps, naive.mistakes)
    assert compiled.count() == (0, 0)
    assert naive.mistakes > 10
    return naive


PAIRS = [(name, oracle) for name, entry in SYSTEMS.items() for oracle in entry.training_oracles]
CHOOSING = [(name, oracle) for name, oracle in PAIRS if leaves_a_choice(oracle)]


def explored(oracle: str) -> float:
    return 0.7 if oracle == "dynamic" else 0.0


@pytest.mark.parametrize(
    ("name", "oracle", "rule"),
    [(*pair, rule) for pair in PAIRS for rule in RULES if pair[0] != "easy-first"]
    + [("easy-first", oracle, "perceptron") for oracle in ("nondeterministic", "dynamic")],
)
def test_every_oracle_and_rule(name: str, oracle: str, rule: str) -> None:
    for seed, options in enumerate(OPTIONS[name], start=1):
        check(built(name, **options), Regime(oracle, rule, explored(oracle)), seed)


@pytest.mark.parametrize("explore", [0.0, 0.3, 1.0])
def test_exploration_follows_as_many_mistakes_as_it_should(explore: float) -> None:
    naive = check(built("arc-hybrid"), Regime(explore=explore, sentences=12), 7)
    first = check(built("arc-hybrid"), Regime(sentences=12, iterations=1), 7).mistakes  # none of these is followed
    assert naive.explored / (naive.mistakes - first) == pytest.approx(explore, abs=0.1)


@pytest.mark.parametrize("moves", ["both", "reduce"])
def test_labels_that_are_carried_along(moves: str) -> None:
    """What SHIFT remembers is the label of a later REDUCE, which templates about labels can see. That is rare: only an
    explored mistake reduces a headless word."""
    system = built("nonmonotonic", reduce_label="remembered", moves=moves)
    labels = "S0.p+N0.p\nS0.l\nS0.rc.l\nS0.rn.l+S1.rc.l\nS0.sr+N0.sl\nS1.sr\nN0.lc.l\nN0.w"
    for seed in range(1, 9):
        check(system, Regime(explore=0.3, templates=labels, sentences=10, iterations=4, longest=8), seed)


@pytest.mark.parametrize(("name", "oracle"), [pair for pair in CHOOSING if pair[0] != "easy-first"])
def test_random_choice(name: str, oracle: str) -> None:
    """The generator is asked in the same order, for exploration and for the choice."""
    check(built(name), Regime(oracle, "perceptron", explored(oracle) / 2, random_choice=True), 3)


@pytest.mark.parametrize("name", [name for name, entry in SYSTEMS.items() if "dynamic" in entry.oracles])
def test_parts_of_trees(name: str) -> None:
    check(built(name), Regime("dynamic", explore=0.5, parts=True, sentences=8), 5)


@pytest.mark.parametrize("name", [name for name, entry in SYSTEMS.items() if entry.projective])
def test_trees_that_the_system_cannot_build(name: str) -> None:
    """Then correct is what costs least, which may be more than nothing."""
    rule = "perceptron" if name == "easy-first" else "pa"
    check(built(name), Regime("nondeterministic", rule, crossing=True, sentences=8), 6)


@pytest.mark.parametrize("seed", [1, 2])
def test_easy_first_stays_until_it_is_right_but_not_for_ever(seed: int) -> None:
    """With hardly a feature to tell sites apart, it can go on being wrong."""
    naive = check(built("easy-first"), Regime("nondeterministic", templates="P0.p", sentences=8), seed)
    assert naive.most_tries == MOST_TRIES


@pytest.mark.parametrize("rule", ["pa", "pa-max-loss"])
@pytest.mark.parametrize("oracle", ["nondeterministic", "dynamic"])
def test_easy_first_with_passive_aggressive_rules(rule: str, oracle: str) -> None:
    """The same action at two sites shares features, which must not count in the norm."""
    for seed in (1, 2, 3):
        check(built("easy-first"), Regime(oracle, rule, explored(oracle)), seed)


def test_easy_first_with_its_static_oracle() -> None:
    """It takes any site for right, not only the leftmost."""
    for seed in (1, 2, 3):
        check(built("easy-first"), Regime("static"), seed)


def test_random_numbers_are_spread_evenly() -> None:
    draw = RandomGenerator(1).draw
    counts = np.bincount([int(10 * draw()) for _ in range(20_000)], minlength=10)
    assert len(counts) == 10
    assert all(1800 < count < 2200 for count in counts)


def test_random_numbers_by_hand() -> None:
    """Xorshift with the shifts 13, 7 and 17; the upper 53 bits are the fraction."""
    state = 3 * 2654435761 + 88172645463325252
    chance = RandomGenerator(3)
    for _ in range(5):
        state ^= state << 13 & (1 << 64) - 1
        state ^= state >> 7
        state ^= state << 17 & (1 << 64) - 1
        assert chance.draw() == (state >> 11) / 2**53
