"""The compiled lemma model against a naive one: every weight after training, every choice, on random words."""

import random

import numpy as np
import pytest
from reference.lemmatizing import LemmaReference, best, features, fits
from reference.quantized import quantized

from dodona.lemmatizer.lemmatizer import lower_case
from dodona.lemmatizer.model import LONGEST_AFFIX, ScriptChooser, ScriptLearner, Scripts
from dodona.linear.frozen import FrozenWeights, freeze

SCRIPTS = [
    ("", ""),
    ("", "s"),
    ("", "es"),
    ("", "ed"),
    ("ge", "t"),
    ("ge", ""),
    ("", "ning"),
    ("unter" * 3 + "x", ""),
    ("", "keit" * 4),
    ("a", "a"),
    ("", ""),
    ("é", "s"),
]
STEMS = [
    "oak",
    "Dove",
    "a",
    "priest",
    "x2",
    "É",
    "spring",
    "GE",
    "geh",
    "É" * 3,
    "unter" * 3 + "xyz",
    "10",
    "keit" * 4,
    "AbA",
]
ENDINGS = ["", "s", "es", "ed", "S", "t", "ning", "keit" * 4, "a"]
Word = tuple[str, str, str, str]


def words(count: int, seed: int) -> list[Word]:
    chance = random.Random(seed)
    found = []
    for _ in range(count):
        form = chance.choice(STEMS) + chance.choice(ENDINGS)
        found.append((form, lower_case(form), chance.choice(["NOUN", "VERB"]), chance.choice(["_", "Number=Plur"])))
    return found


def gold_of(word: Word, chance: random.Random) -> int:
    fitting = [number for number, script in enumerate(SCRIPTS) if fits(script, word[1])]
    return chance.choice(fitting) if chance.random() < 0.2 else fitting[(len(word[0]) + len(word[2])) % len(fitting)]


def test_every_weight_and_every_choice() -> None:
    chance = random.Random(1)
    learner, naive = ScriptLearner(Scripts(SCRIPTS)), LemmaReference(SCRIPTS)
    mistakes = 0
    for word in words(1200, seed=2):
        gold = gold_of(word, chance)
        was_wrong = learner.train(*word, gold)
        assert was_wrong == naive.train(*word, gold)
        mistakes += was_wrong
    assert 100 < mistakes < 1000
    keys, scripts, weights = learner.weights.averages()
    found = {(int(k), int(s)): float(w) for k, s, w in zip(keys, scripts, weights, strict=True)}
    assert found == pytest.approx({place: weight for place, weight in naive.weights.averages().items() if weight})
    frozen = freeze(keys, scripts, weights.astype(np.float64), len(SCRIPTS))
    chooser = ScriptChooser(Scripts(SCRIPTS), FrozenWeights(len(SCRIPTS), *frozen))
    numbers = quantized([(key, script, weight) for (key, script), weight in found.items()], len(SCRIPTS))
    chosen = set()
    for word in words(1000, seed=5):
        number = best(SCRIPTS, word[1], features(*word), lambda keys, s: sum(numbers.get((key, s), 0) for key in keys))
        assert chooser.choose(*word) == number
        chosen.add(number)
    assert len(chosen) >= len(SCRIPTS) - 2


def untrained(scripts: list[tuple[str, str]]) -> ScriptChooser:
    none = freeze(np.zeros(0, np.uint64), np.zeros(0, np.uint16), np.zeros(0), len(scripts))
    return ScriptChooser(Scripts(scripts), FrozenWeights(len(scripts), *none))


@pytest.mark.parametrize(
    ("form", "number"), [("as", 1), ("s", -1), ("", -1), ("aba", 0), ("abas", 0), ("aa", -1), ("gab", 3), ("Gab", -1)]
)
def test_without_weights_the_first_that_fits(form: str, number: int) -> None:
    """What is taken away is looked for in the lower form, as it is given; something must be left."""
    chooser = untrained([("ab", ""), ("", "s"), ("a", "a"), ("g", "b")])
    assert chooser.choose(form, form, "X", "_") == number


def test_affixes_that_can_be_taken_away() -> None:
    longest = "x" * LONGEST_AFFIX
    assert LONGEST_AFFIX == 16
    chooser = untrained([(longest, ""), ("", longest)])
    assert chooser.choose(longest + "y", longest + "y", "X", "_") == 0
    assert chooser.choose("y" + longest, "y" + longest, "X", "_") == 1
    assert chooser.choose(longest[1:] + "y", longest[1:] + "y", "X", "_") == -1
    with pytest.raises(ValueError, match="more than 16 characters"):
        Scripts([(longest + "x", "")])
