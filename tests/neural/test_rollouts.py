"""Rollouts against a naive walk with the same random numbers: what is recorded, and which actions are taken."""

import random
from array import array
from typing import Any

import numpy as np
import pytest
from reference.hidden_layer import Layer, random_layer, rows_of
from reference.policy import Oracle
from reference.rollouts import Walker
from samples.random_parses import OPTIONS, built, random_part, random_sentence, random_tree

from dodona.neural.positions import Positions
from dodona.neural.rollouts import Rollouts
from dodona.neural.scorer import Contributions, HiddenLayer
from dodona.systems.registry import SYSTEMS, BuiltSystem
from dodona.transitions import derivations
from dodona.transitions.gold import Gold
from dodona.transitions.policy import Policy, RandomGenerator, leaves_a_choice

LONGEST = 9
UNITS = 4
EMPTY: "array[int]" = array("i")
PAIRS = [(name, oracle) for name, entry in SYSTEMS.items() for oracle in entry.training_oracles]


def layer_of(system: BuiltSystem, seed: int, text: str | None = None) -> Layer:
    numbers = np.random.default_rng(seed)
    text = text or Positions.load(system.entry.templates).text
    return random_layer(numbers, text, system.core.labels, UNITS, system.core.actions)


def scorer_of(layer: Layer) -> HiddenLayer:
    parts = (layer.label_rows, layer.bias, layer.weights, layer.action_bias)
    return HiddenLayer(Positions.parse(layer.text), *parts)


def random_rows(seed: int, count: int, scorer: HiddenLayer) -> Any:
    return np.random.default_rng(seed).normal(size=(count, scorer.words * UNITS)).astype(np.float32)


def check(
    system: BuiltSystem, oracle: str, seed: int, *, explore: float = 0.0, parts: bool = False, crossing: bool = False,
    random_choice: bool = False, lengths: tuple[int, ...] = (1, 2, 5, 8, LONGEST), text: str | None = None,
) -> Walker:  # fmt: skip
    """Walk through random sentences both ways and compare."""
    chance = random.Random(seed)
    layer = layer_of(system, seed, text)
    scorer = scorer_of(layer)
    policy = Policy(system.core, oracle, longest=max(lengths))
    compiled = Rollouts(policy, scorer, random_choice=random_choice, longest=max(lengths), seed=seed)
    naive = Walker(system.core, layer, RandomGenerator(seed).draw, random_choice)
    for n in lengths:
        sentence = random_sentence(chance, n)
        builder = built("covington").core if crossing else system.core
        tree = random_tree(builder, n, chance)
        gold = derivations.gold_tree(*(random_part(tree, chance) if parts else tree))
        judge = Oracle(system, oracle, gold)
        places = {"first": chance.randrange(3), "stride": 2, "root": 2 * n + 3, "nobody": 2 * n + 2}
        rows = random_rows(seed + n, 2 * n + 4, scorer)
        compiled.follow(Contributions(n, rows, **places), gold, array("i", judge.plan), explore)
        naive.follow(sentence, rows, rows_of(n, **places), judge.costs, explore)
    words, labels, verdicts, step_of = compiled.records()
    assert words.tolist() == naive.words
    assert labels.tolist() == naive.labels
    assert verdicts.tolist() == naive.verdicts
    assert step_of.tolist() == naive.step_of
    assert [part.dtype for part in (words, labels, verdicts, step_of)] == [np.int32, np.int32, np.int8, np.int32]
    assert compiled.count() == (naive.steps, naive.mistakes)
    assert naive.mistakes > 3
    return naive


@pytest.mark.parametrize(
    ("name", "oracle", "explore"),
    [(*pair, 0.0) for pair in PAIRS] + [(*pair, 1.0) for pair in PAIRS if pair[1] == "dynamic"],
)
def test_every_system_and_oracle(name: str, oracle: str, explore: float) -> None:
    """Mistakes are followed only where costs tell what is right afterwards."""
    for seed, options in enumerate(OPTIONS[name], start=1):
        naive = check(built(name, **options), oracle, seed, explore=explore)
        assert naive.explored == (naive.mistakes if explore else 0)


@pytest.mark.parametrize("name", [name for name, entry in SYSTEMS.items() if "dynamic" in entry.oracles])
def test_some_mistakes_are_followed(name: str) -> None:
    naive = check(built(name), "dynamic", 8, explore=0.5, lengths=(20, 20))
    assert 0 < naive.explored < naive.mistakes


@pytest.mark.parametrize("name", [name for name, entry in SYSTEMS.items() if "dynamic" in entry.oracles])
@pytest.mark.parametrize("explore", [0.0, 0.7])
def test_parts_of_trees(name: str, explore: float) -> None:
    check(built(name), "dynamic", 3, explore=explore, parts=True)


@pytest.mark.parametrize("name", [name for name, entry in SYSTEMS.items() if entry.projective])
def test_trees_that_the_system_cannot_build(name: str) -> None:
    """Correct is what costs least, also where that is not nothing."""
    check(built(name), "nondeterministic", 4, crossing=True)


@pytest.mark.parametrize(("name", "oracle"), [pair for pair in PAIRS if leaves_a_choice(pair[1])])
def test_random_choice(name: str, oracle: str) -> None:
    """The generator is asked in the same order, for exploration and for the choice."""
    explore = 0.4 if oracle == "dynamic" else 0.0
    check(built(name), oracle, 5, explore=explore, random_choice=True)


@pytest.mark.parametrize("moves", ["both", "reduce"])
def test_labels_that_are_carried_along(moves: str) -> None:
    """What SHIFT remembers is the label of a later REDUCE, and is seen then: also if SHIFT was a mistake."""
    system = built("nonmonotonic", reduce_label="remembered", moves=moves)
    text = "S0\nN0\nS0.l\nS0.rc.l\nS0.rn.l\nS1.rc.l"
    for seed in range(1, 13):
        check(system, "dynamic", seed, explore=0.7, lengths=(12, 12, 12), text=text)


def test_planned_moves_decide_what_is_right() -> None:
    """A plan is followed move by move, from its beginning in every sentence, whatever the system's own oracle says."""
    system = built("swap-standard")
    n = 12
    gold = derivations.gold_tree(*random_tree(built("covington").core, n, random.Random(3)))
    scorer = scorer_of(layer_of(system, 1))
    words = Contributions(n, random_rows(1, n + 2, scorer), 0, n, n + 1)
    plans = []
    for oracle in ("eager", "lazy"):
        derivation = Oracle(system, oracle, gold).derivation
        assert derivation is not None
        plans.append([move for move, _, _ in derivation])
    assert plans[0] != plans[1]
    actions = derivations.actions(system.core)
    for plan in plans:
        rollouts = Rollouts(Policy(system.core, "static", longest=n), scorer, longest=n)
        for _ in range(2):
            rollouts.follow(words, gold, array("i", plan), 0.0)
        verdicts = rollouts.records()[2]
        right = [{actions[a][0] for a, verdict in enumerate(row) if verdict == 1} for row in verdicts]
        assert right == [{move} for move in plan] * 2


def test_exploration_is_decided_by_the_seed() -> None:
    system = built("arc-hybrid")
    scorer = scorer_of(layer_of(system, 2))
    gold = derivations.gold_tree(*random_tree(system.core, 30, random.Random(1)))
    words = Contributions(30, random_rows(1, 32, scorer), 0, 30, 31)

    def recorded(seed: int) -> list[bytes]:
        rollouts = Rollouts(Policy(system.core, "dynamic"), scorer, longest=30, seed=seed)
        rollouts.follow(words, gold, EMPTY, 0.5)
        return [part.tobytes() for part in rollouts.records()]

    assert recorded(1) == recorded(1)
    assert len({b"".join(recorded(seed)) for seed in range(1, 6)}) > 2


def test_more_rows_than_there_was_room_for() -> None:
    """Also where the rows of a configuration lie on both sides of the edge."""
    system = built("easy-first")
    scorer = scorer_of(layer_of(system, 3))
    chance = random.Random(1)
    lengths = (60, 60, 10, 60, 60, 60, 60)
    golds = [derivations.gold_tree(*random_tree(system.core, n, chance)) for n in lengths]
    sentences = [Contributions(n, random_rows(n + i, n + 2, scorer), 0, n, n + 1) for i, n in enumerate(lengths)]
    policy = Policy(system.core, "dynamic")
    together = Rollouts(policy, scorer, longest=60)
    wanted: list[list[Any]] = [[], [], [], []]
    steps = mistakes = 0
    for words, gold in zip(sentences, golds, strict=True):
        alone = Rollouts(policy, scorer, longest=60)
        for rollouts in (together, alone):
            rollouts.follow(words, gold, EMPTY, 0.0)
        parts = alone.records()
        for whole, part in zip(wanted, (*parts[:3], parts[3] + steps), strict=True):
            whole.append(part)
        counted = alone.count()
        steps, mistakes = steps + counted[0], mistakes + counted[1]
    found = together.records()
    assert len(found[0]) > 2 * 4096
    edges = (4096, 8192)
    assert all(found[3][edge] == found[3][edge - 1] for edge in edges)
    for part, whole in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(part, np.concatenate(whole))
    assert together.count() == (steps, mistakes)
    assert together.count() == (0, 0)
    assert [part.shape[0] for part in together.records()] == [0, 0, 0, 0]
    together.follow(sentences[2], golds[2], EMPTY, 0.0)  # and from the beginning again
    assert together.records()[3][0] == 0


def test_records_do_not_change_when_the_walk_goes_on() -> None:
    system = built("arc-eager")
    scorer = scorer_of(layer_of(system, 3))
    rollouts = Rollouts(Policy(system.core, "dynamic"), scorer, longest=5)
    sentences = [Contributions(5, random_rows(seed, 14, scorer), 2 * seed, 12, 13) for seed in (1, 2)]
    gold = derivations.gold_tree([0, 1, 2, 3, 4], [2, 0, 1, 0, 1])
    rollouts.follow(sentences[0], gold, EMPTY, 0.0)
    before = rollouts.records()
    copies = [part.copy() for part in before]
    rollouts.follow(sentences[1], gold, EMPTY, 0.0)
    for part, copy in zip(before, copies, strict=True):
        np.testing.assert_array_equal(part, copy)


def test_costs_of_hundreds_are_no_more_than_wrong() -> None:
    """To lose 256 arcs at once is not to lose none, as it would be in a byte."""
    n = 260
    system = built("arc-hybrid", ("a",))
    scorer = scorer_of(layer_of(system, 1))
    gold: Gold = derivations.gold_tree([0] + [1] * (n - 1), [0] * n)
    policy = Policy(system.core, "dynamic")
    rollouts = Rollouts(policy, scorer, longest=n)
    rollouts.follow(Contributions(n, random_rows(1, n + 2, scorer), 0, n, n + 1), gold, EMPTY, 0.0)
    verdicts = rollouts.records()[2]
    s = derivations.start(system.core, n)
    lost = set()
    for verdict in verdicts.tolist():
        costs = policy.list_costs(s, gold)
        lost |= set(costs)
        assert verdict == [-1 if cost == -1 else int(cost == 0) for cost in costs]
        move, label = derivations.actions(system.core)[costs.index(0)]
        system.core.apply(s, move, 0, label)
    assert {128, 256} <= lost


def test_what_does_not_fit() -> None:
    system = built("arc-hybrid")
    policy = Policy(system.core, "dynamic")
    layer = layer_of(system, 1)
    scorer = scorer_of(layer)
    gold = derivations.gold_tree([0, 1, 1], [2, 0, 0])
    rows = random_rows(1, 9, scorer)
    words = Contributions(3, rows, 0, 7, 8)
    Rollouts(policy, scorer, longest=3).follow(words, gold, EMPTY, 0.0)
    with pytest.raises(ValueError, match=f"a scorer of {system.core.actions + 1} actions for a system with"):
        Rollouts(policy, scorer_of(random_layer(np.random.default_rng(1), "S0", 3, 4, system.core.actions + 1)))
    with pytest.raises(ValueError, match="3 words for 3, with room for 2"):
        Rollouts(policy, scorer, longest=2).follow(words, gold, EMPTY, 0.0)
    with pytest.raises(ValueError, match="3 words for 4"):
        Rollouts(policy, scorer, longest=9).follow(Contributions(4, rows, 0, 7, 8), gold, EMPTY, 0.0)
    narrow = Contributions(3, np.zeros((9, 8), np.float32), 0, 7, 8)
    with pytest.raises(ValueError, match="rows of 8"):
        Rollouts(policy, scorer, longest=9).follow(narrow, gold, EMPTY, 0.0)
    rollouts = Rollouts(policy, scorer, longest=3)
    for text in ("S0", "S0\nS1\nS2\nN0\nN1\nS0.l"):
        with pytest.raises(ValueError, match="a scorer of another shape"):
            rollouts.rescore(scorer_of(layer_of(system, 1, text)))


def test_other_weights_from_here_on() -> None:
    system = built("arc-hybrid")
    first, second = (scorer_of(layer_of(system, seed)) for seed in (1, 2))
    policy = Policy(system.core, "nondeterministic")
    gold = derivations.gold_tree([2, 0, 2, 3, 3, 8, 8, 3], [0, 2, 1, 0, 1, 0, 1, 0])
    words = Contributions(8, random_rows(1, 10, first), 0, 8, 9)
    rollouts = Rollouts(policy, first, longest=8)
    rollouts.rescore(second)
    assert rollouts.scorer is second
    rollouts.follow(words, gold, EMPTY, 0.0)
    fresh = Rollouts(policy, second, longest=8)
    fresh.follow(words, gold, EMPTY, 0.0)
    old = Rollouts(policy, first, longest=8)
    old.follow(words, gold, EMPTY, 0.0)
    counts = [each.count() for each in (rollouts, fresh, old)]
    assert counts[0] == counts[1] != counts[2]
