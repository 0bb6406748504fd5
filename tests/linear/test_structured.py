"""Learning with a beam against the naive learner, and one example worked out by hand."""

import random
from array import array
from typing import Any

import numpy as np
import pytest
from reference.compare import check_same, features_of
from reference.features import feature_name, lines, string_number
from reference.policy import Oracle
from reference.structured import Structured
from samples.random_parses import OPTIONS, built, random_part, random_sentence, random_tree
from samples.small_templates import small_templates

from dodona import Sentence
from dodona.linear.perceptron import StructuredLearner
from dodona.linear.templates import Templates
from dodona.parser.encoder import SentenceEncoder
from dodona.systems.registry import SYSTEMS, BuiltSystem
from dodona.transitions import derivations
from dodona.transitions.moves import NONE
from dodona.transitions.policy import Policy, leaves_a_choice

PAIRS = [
    (name, oracle)
    for name, entry in SYSTEMS.items()
    for oracle in entry.training_oracles
    if entry.has_beam and oracle != "dynamic"
]


def check(
    system: BuiltSystem, oracle: str, width: int, early: bool, rule: str, seed: int, parts: bool = False
) -> Structured:
    chance = random.Random(seed)
    text = small_templates(system.entry.name)
    templates, wanted = Templates.parse(text), lines(text)
    policy = Policy(system.core, oracle, longest=6)
    common: dict[str, Any] = {
        "width": width,
        "latent": leaves_a_choice(oracle),
        "early": early,
        "rule": rule,
        "aggressiveness": 0.2,
    }
    compiled = StructuredLearner(policy, templates, longest=6, **common)
    naive = Structured(system.core, **common)
    examples = []
    for _ in range(4):
        n = chance.randint(1, 6)
        sentence = random_sentence(chance, n)
        tree = random_tree(system.core, n, chance)
        gold = derivations.gold_tree(*(random_part(tree, chance) if parts else tree))
        examples.append((sentence, SentenceEncoder(templates)(sentence), Oracle(system, oracle, gold)))
    for _ in range(3):
        for sentence, encoded, oracle_of in examples:
            compiled.train(encoded, oracle_of.gold, array("i", oracle_of.plan), 0.0)
            naive.train(features_of(sentence, wanted), oracle_of)
    check_same(compiled.weights, naive.weights)
    assert compiled.count() == (12, len(naive.updates))
    assert naive.updates
    return naive


@pytest.mark.parametrize(("name", "oracle"), PAIRS)
@pytest.mark.parametrize("rule", ["perceptron", "pa"])
@pytest.mark.parametrize("early", [False, True])
def test_every_oracle_rule_and_update(name: str, oracle: str, rule: str, early: bool) -> None:
    for seed, options in enumerate(OPTIONS[name][:2], start=1):
        check(built(name, **options), oracle, 2 * seed, early, rule, seed)


@pytest.mark.parametrize("name", [name for name, oracle in PAIRS if oracle == "nondeterministic"])
def test_parts_of_trees(name: str) -> None:
    check(built(name), "nondeterministic", 3, early=False, rule="pa", seed=4, parts=True)


SHIFT, LEFT, RIGHT = range(3)
ROOT, A, B = (feature_name(1, [string_number("w", form)]) for form in ("\0root", "a", "b"))
START = {(A, SHIFT): 1.0, (A, RIGHT): 0.5, (B, RIGHT): 3.0}


@pytest.mark.parametrize(
    ("width", "early", "rule", "changes"),
    [
        (2, False, "perceptron", {(ROOT, SHIFT): 1, (A, LEFT): 1, (A, SHIFT): -1, (B, RIGHT): -1}),
        (2, False, "pa", {(ROOT, SHIFT): 1.25, (A, LEFT): 1.25, (A, SHIFT): -1.25, (B, RIGHT): -1.25}),
        (2, True, "perceptron", {(A, LEFT): 1, (A, SHIFT): -1}),
        (2, True, "pa", {(A, LEFT): 1, (A, SHIFT): -1}),
        (3, True, "pa", {(ROOT, SHIFT): 0.875, (A, LEFT): 0.875, (A, SHIFT): -0.875, (A, RIGHT): -0.875}),
    ],
)
def test_by_hand(width: int, early: bool, rule: str, changes: dict[tuple[int, int], float]) -> None:
    """The sentence "a b" with the tree ROOT → b → a, arc-hybrid without labels, and one template: the top of the stack.

    There are three derivations of five steps; a word over a step is the top of the stack before it, which is the one
    feature there (none at first, when the stack is empty):

                            ROOT    a       ROOT    b
        correct     SHIFT   SHIFT   LEFT    SHIFT   RIGHT       b → a, ROOT → b

                            ROOT    a       ROOT    b
        second      SHIFT   SHIFT   RIGHT   SHIFT   RIGHT       ROOT → a, ROOT → b

                            ROOT    a       b       a
        third       SHIFT   SHIFT   SHIFT   RIGHT   RIGHT       a → b, ROOT → a

    The weights are (a, SHIFT) = 1, (a, RIGHT) = 0.5, (b, RIGHT) = 3, and 0 for all others. So the scores are

        after step    1     2     3     4     5
        correct       0     0     0     0     3
        second        0     0     0.5   0.5   3.5
        third         0     0     1     4     4.5
        violation                 1     4     1.5       of the best, the third, over the correct one

    Max-violation updates at step 4. Correct up to there: (ROOT, SHIFT) twice, (a, LEFT). Third: (ROOT, SHIFT),
    (a, SHIFT), (b, RIGHT). The difference is 1 for (ROOT, SHIFT) and (a, LEFT), -1 for (a, SHIFT) and (b, RIGHT); its
    square is 4. The third has one arc by then, a → b, which is wrong. Passive-aggressive: (4 + 1) / 4 = 1.25.

    With two hypotheses the correct one falls out of the beam at step 3: the early update is between (a, LEFT) and
    (a, SHIFT). No arc is wrong yet, which counts as one: (1 + 1) / 2 = 1.

    With three hypotheses it stays to the end, and that is where an early update takes place. (b, RIGHT) is in both, so
    the difference is 1 for (ROOT, SHIFT) and (a, LEFT), -1 for (a, SHIFT) and (a, RIGHT). Two arcs are wrong:
    (1.5 + 2) / 4 = 0.875.
    """
    core = built("arc-hybrid", ()).core
    assert core.actions == 3
    templates = Templates.parse("S0.w")
    learner = StructuredLearner(
        Policy(core, "static", longest=2),
        templates,
        width=width,
        latent=False,
        early=early,
        rule=rule,
        aggressiveness=10.0,
        longest=2,
    )
    learner.weights.step([(*key, weight) for key, weight in START.items()])
    words = SentenceEncoder(templates)(Sentence.from_words(["a", "b"]))
    learner.train(words, derivations.gold_tree([2, 0], [NONE, NONE]), array("i"), 0.0)
    assert learner.count() == (1, 1)
    for feature in (ROOT, A, B):
        row = learner.weights.scores(np.array([feature], np.uint64))
        assert row == [START.get((feature, a), 0) + changes.get((feature, a), 0) for a in (SHIFT, LEFT, RIGHT)]
