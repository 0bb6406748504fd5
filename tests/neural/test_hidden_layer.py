"""The network's hidden layer as a scorer: bit for bit the naive one, in random configurations of every system."""

import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from reference.features import View
from reference.hidden_layer import Layer, labels_at, random_layer, rows_of
from samples.random_parses import OPTIONS, built, random_sentence, random_walk

from dodona.neural.positions import Positions
from dodona.neural.scorer import Contributions, HiddenLayer
from dodona.search.addresses import PLACES, REACH, STEPS, Addresses
from dodona.search.scorer import EncodedSentence
from dodona.systems.registry import SYSTEMS
from dodona.transitions import derivations
from dodona.transitions.moves import NONE
from dodona.transitions.system import TransitionSystem

VARIANTS = [(name, options) for name, several in OPTIONS.items() for options in several]


def scorer_of(layer: Layer) -> HiddenLayer:
    parts = (layer.label_rows, layer.bias, layer.weights, layer.action_bias)
    return HiddenLayer(Positions.parse(layer.text), *parts)


def random_rows(chance: np.random.Generator, count: int, scorer: HiddenLayer) -> NDArray[np.float32]:
    return chance.normal(size=(count, scorer.words * scorer.units)).astype(np.float32)


def compare(core: TransitionSystem, text: str, n: int, seed: int, **places: int) -> int:
    """A random walk; at each configuration all sites. Returns how many rows of scores were compared."""
    chance = random.Random(seed)
    numbers = np.random.default_rng(seed)
    layer = random_layer(numbers, text, core.labels, units=seed % 7 + 1, actions=core.actions)
    scorer = scorer_of(layer)
    assert (scorer.words + scorer.labels, scorer.units, scorer.actions) == (
        len(Positions.parse(text).words + Positions.parse(text).labels), seed % 7 + 1, core.actions,
    )  # fmt: skip
    rows = random_rows(numbers, 3 * n + 5, scorer)
    at = {"first": 2, "root": 1, "nobody": 0, "stride": 1} | places
    words = Contributions(n, rows, **at)
    row_of = rows_of(n, **at)
    sentence = random_sentence(chance, n)
    compared = 0
    for s in random_walk(core, n, chance):
        for site in derivations.sites(core, s):
            assert scorer.score(s, words, site) == layer.scores(View.of(s, sentence, site), rows, row_of)
            compared += 1
    return compared


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=lambda value: str(value))
def test_scores_of_every_system(name: str, options: dict[str, Any]) -> None:
    text = Positions.load(SYSTEMS[name].templates).text
    core = built(name, **options).core
    assert sum(compare(core, text, n, seed) for seed, n in enumerate((1, 2, 6, 12), start=4)) > 30


@pytest.mark.parametrize("name", SYSTEMS)
def test_scores_with_every_address(name: str) -> None:
    """Words and labels at each place with each step, half of them at a time: there may be 64 lines."""
    addresses = [f"{place}.{step}" if step else place for place in SYSTEMS[name].positions for step in STEPS]
    core = built(name).core
    for part in range(4):
        text = "\n".join(address + label for address in addresses[part::4] for label in ("", ".l"))
        assert compare(core, text, 9, part) > 5


@pytest.mark.parametrize(
    "places",
    [
        {"first": 0, "root": 12, "nobody": 13},
        {"first": 1, "stride": 2, "root": 0, "nobody": 2},
        {"first": 40, "stride": 0, "root": 40, "nobody": 3},
        {"first": 11, "stride": -1, "root": 40, "nobody": 39},
        {"first": 40, "stride": -3, "root": 5, "nobody": 6},
    ],
)
def test_words_lie_anywhere_among_the_rows(places: dict[str, int]) -> None:
    for name in ("covington", "easy-first"):
        text = Positions.load(SYSTEMS[name].templates).text
        assert compare(built(name).core, text, 12, 5, **places) > 12


def test_a_label_beyond_the_table_adds_nothing() -> None:
    """Arcs that a system adds at the end may have a label that no action has."""
    core = built("arc-hybrid").core
    numbers = np.random.default_rng(1)
    layer = random_layer(numbers, "S0\nS0.lc.l\nS0.rc.l", 1, 4, core.actions)
    scorer = scorer_of(layer)
    rows = random_rows(numbers, 12, scorer)
    row_of = rows_of(10, 0, 10, 11, 1)
    chance = random.Random(1)
    sentence = random_sentence(chance, 10)
    seen = set()
    for s in random_walk(core, 10, chance):
        view = View.of(s, sentence)
        seen |= set(labels_at(view, layer.text))
        assert scorer.score(s, Contributions(10, rows, 0, 10, 11)) == layer.scores(view, rows, row_of)
    assert seen == {0, 1, 2, 3}


def test_nobody_has_no_label() -> None:
    core = built("arc-eager").core
    layer = random_layer(np.random.default_rng(2), "N3\nN3.l", 3, 2, core.actions)
    scorer = scorer_of(layer)
    rows = np.zeros((3, 2), np.float32)
    s = derivations.start(core, 1)
    wanted = layer.scores(View.of(s, random_sentence(random.Random(1), 1)), rows, rows_of(1, 0, 1, 2, 1))
    assert scorer.score(s, Contributions(1, rows, 0, 1, 2)) == wanted


def test_a_site_sees_its_neighbours_only() -> None:
    """Search need not score sites again that are out of reach of the last move."""
    for name, reach in (("easy-first", REACH), ("arc-eager", NONE), ("covington", NONE)):
        layer = random_layer(np.random.default_rng(1), Positions.load(SYSTEMS[name].templates).text, 2, 3, 4)
        assert scorer_of(layer).reach == reach
    for text in ("P0\nL1\nR3\nS0", "P0\nL1\nR3\nN0.l"):
        assert scorer_of(random_layer(np.random.default_rng(1), text, 2, 3, 4)).reach == NONE
    assert scorer_of(random_layer(np.random.default_rng(1), "P0\nL3\nR3\nR1.l", 2, 3, 4)).reach == REACH


SHAPES = {"label_rows": (1, 4, 3), "bias": (3,), "weights": (3, 5), "action_bias": (5,)}


@pytest.mark.parametrize(
    "wrong",
    [
        {"label_rows": (2, 4, 3)},
        {"label_rows": (0, 4, 3)},
        {"label_rows": (1, 0, 3)},
        {"label_rows": (1, 4, 2)},
        {"bias": (4,)},
        {"weights": (2, 5)},
        {"weights": (3, 6)},
        {"action_bias": (4,)},
    ],
    ids=str,
)
def test_parts_that_do_not_fit(wrong: dict[str, tuple[int, ...]]) -> None:
    positions = Positions.parse("S0\nN0\nS0.l")

    def layer(shapes: dict[str, tuple[int, ...]]) -> HiddenLayer:
        return HiddenLayer(positions, *(np.zeros(shapes[name], np.float32) for name in SHAPES))

    layer(SHAPES)
    with pytest.raises(ValueError, match=r"^parts of .* for 1 labels, [0-9] units, [0-9] actions"):
        layer(SHAPES | wrong)


def test_sentences_that_do_not_fit() -> None:
    core = built("arc-eager").core
    scorer = scorer_of(random_layer(np.random.default_rng(1), "S0\nN0\nS0.l", 3, 4, core.actions))
    s = derivations.start(core, 1)
    scorer.score(s, Contributions(1, np.zeros((3, 8), np.float32), 0, 1, 2))
    for width in (4, 7, 9, 12):
        with pytest.raises(ValueError, match=f"^rows of {width}; expected 2 positions of 4 units"):
            scorer.score(s, Contributions(1, np.zeros((3, width), np.float32), 0, 1, 2))
    with pytest.raises(TypeError, match="EncodedSentence; HiddenLayer scores Contributions"):
        scorer.score(s, EncodedSentence(1))


@pytest.mark.parametrize(
    ("n", "first", "root", "nobody", "stride", "row"),
    [
        (4, 0, 4, 6, 1, 6),
        (4, 0, 6, 4, 1, 6),
        (4, 3, 4, 5, 1, 6),
        (4, -1, 4, 5, 1, -1),
        (4, 0, -1, 5, 1, -1),
        (4, 0, 4, -1, 1, -1),
        (4, 0, 4, 5, 2, 6),
        (4, 2, 4, 5, -1, -1),
        (1, 6, 4, 5, 1, 6),
        (0, 0, -1, 5, 1, -1),
        (0, 6, 6, 5, 1, 6),
        (0, 6, 5, 6, 1, 6),
    ],
)
def test_rows_that_are_not_there(n: int, first: int, root: int, nobody: int, stride: int, row: int) -> None:
    with pytest.raises(ValueError, match=f"^row {row} of 6$"):
        Contributions(n, np.zeros((6, 2), np.float32), first, root, nobody, stride)


def test_a_sentence_without_words_needs_no_row_of_its_own() -> None:
    """Also where the lane before it is full."""
    for first in (0, 5, 6):
        assert Contributions(0, np.zeros((6, 2), np.float32), first, 4, 5, 3).n == 0


@pytest.mark.parametrize("pair", [(-1, 0), (0, -1), (len(PLACES), 0), (0, len(STEPS))])
def test_addresses_that_do_not_exist(pair: tuple[int, int]) -> None:
    assert Addresses([(0, 0), (len(PLACES) - 1, len(STEPS) - 1)]).count == 2
    with pytest.raises(ValueError, match=f"place {pair[0]} and step {pair[1]}"):
        Addresses([(0, 0), pair])
