"""The compiled extractor against the naive one: every template that comes with Dodona, and all that there could be."""

import random
from itertools import product
from pathlib import Path

import pytest
from reference.features import View, feature_name, lines, mix
from samples.random_parses import OPTIONS, built, random_sentence, random_tree, random_walk

import dodona
from dodona.linear.scorer import LinearScorer
from dodona.linear.templates import ATTRIBUTES, DISTANCES, Templates
from dodona.linear.weights import Weights
from dodona.parser.encoder import SentenceEncoder
from dodona.search.addresses import STEPS
from dodona.search.scorer import EncodedSentence
from dodona.systems.registry import SYSTEMS
from dodona.transitions import derivations

FILES = sorted(path.stem for path in (Path(dodona.__file__).parent / "linear" / "templates").glob("*.txt"))
MANY_LABELS = tuple(f"l{i}" for i in range(40))  # more than there are bits in a label set

VARIANTS = [(name, options) for name, several in OPTIONS.items() for options in several]


def compare(name: str, options: dict[str, object], text: str, lengths: list[int], seed: int) -> int:
    """Random walks; at each configuration all sites. Returns how many features were compared."""
    chance = random.Random(seed)
    templates, wanted = Templates.parse(text), lines(text)
    compared = 0
    for n in lengths:
        core = built(name, chance.choice([("a", "b", "root"), MANY_LABELS]), **options).core
        scorer = LinearScorer(templates, Weights(core.actions))
        sentence = random_sentence(chance, n)
        encoded = SentenceEncoder(templates)(sentence)
        gold = derivations.gold_tree(*random_tree(core, n, chance))
        for s in random_walk(core, n, chance):
            for site in derivations.sites(core, s):
                if "dynamic" in SYSTEMS[name].oracles and not core.is_terminal(s):
                    derivations.costs(core, s, gold, site, 0)  # tries moves out, and must leave no trace
                view = View.of(s, sentence, site)
                found = scorer.hash_features(s, encoded, site)
                if found != view.names(wanted):
                    pytest.fail(difference(view, wanted, found))
                compared += len(found)
    return compared


def difference(view: View, templates: list[str], found: list[int]) -> str:
    """Which templates the two do not agree on."""
    for number, template in enumerate(templates, start=1):
        values = view.values(template)
        if (values is not None and feature_name(number, values) in found) == (values is not None):
            continue
        return f"{template} should be {values}: {view}"
    return f"something is named that should be silent: {view}"


def test_every_file_suits_a_system() -> None:
    kinds = {entry.templates for entry in SYSTEMS.values()}
    assert {kind + full for kind in kinds for full in ("", "-full")} == set(FILES)


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=lambda value: str(value))
@pytest.mark.parametrize("full", ["", "-full"])
def test_features_of_every_shipped_template(name: str, options: dict[str, object], full: str) -> None:
    text = Templates.load(SYSTEMS[name].templates + full).text
    assert compare(name, options, text, [1, 5, 12], seed=len(full)) > 300


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=lambda value: str(value))
def test_features_of_every_place_step_and_attribute(name: str, options: dict[str, object]) -> None:
    """Also of those that no shipped template has, and a pair in which one half may be silent."""
    addresses = [f"{place}.{step}" if step else place for place, step in product(SYSTEMS[name].positions, STEPS)]
    attributes = [attribute for attribute in ATTRIBUTES if attribute not in DISTANCES]
    atoms = [f"{address}.{attribute}" for address, attribute in product(addresses, attributes)]
    stack = list(DISTANCES) if "S0" in SYSTEMS[name].positions else []
    pairs = [f"{one}+{other}" for one, other in zip(atoms, atoms[11:], strict=False)][::7]
    assert compare(name, options, "\n".join([*stack, *atoms, *pairs]), [2, 10], seed=3) > 1000


def test_each_bin_of_the_distances_is_seen() -> None:
    """Arc-eager's stack and buffer, pulled apart by hand: 0 cannot be, 1 to 4 are exact, 5 to 10, more."""
    core = built("arc-eager").core
    chance = random.Random(1)
    sentence = random_sentence(chance, 14)
    templates = Templates.parse("dist\ngap")
    scorer = LinearScorer(templates, Weights(core.actions))
    encoded: EncodedSentence = SentenceEncoder(templates)(sentence)
    bins = {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 5, 9: 5, 10: 5, 11: 6, 12: 6, 13: 6}
    for length, number in bins.items():
        s = derivations.start(core, 14)
        s.depth, s.stack[0] = 1, 1
        s.front = length  # the word 1 + length is first
        assert scorer.hash_features(s, encoded) == [feature_name(1, [number])]
        s.depth, s.stack[1] = 2, 1 + length
        s.front = s.end
        assert scorer.hash_features(s, encoded) == [feature_name(2, [number])]
    s.depth, s.stack[0], s.front = 1, 10, 14  # ROOT waits at the end of the buffer, where word 15 would be
    assert scorer.hash_features(s, encoded) == [feature_name(1, [5])]


def test_mixing_by_hand() -> None:
    """(0 xor 1) times the constant, then the upper half folded onto the lower."""
    assert mix(0, 1) == 0x9E3779B97F4A7C15 ^ 0x9E3779B9 == 0x9E3779B9E17D05AC


def test_a_site_or_a_sentence_that_does_not_fit() -> None:
    core = built("easy-first").core
    templates = Templates.parse("P0.w")
    scorer = LinearScorer(templates, Weights(core.actions))
    encoded = SentenceEncoder(templates)(random_sentence(random.Random(1), 3))
    with pytest.raises(ValueError, match="site 4"):
        scorer.hash_features(derivations.start(core, 3), encoded, 4)
    with pytest.raises(ValueError, match="of 3 words"):
        scorer.hash_features(derivations.start(core, 2), encoded)
