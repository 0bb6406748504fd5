"""Beam search against the search of everything, and the parts of learning with a beam."""

import random

import pytest
from samples.treebank import treebank

from dodona import Configuration, OptionError, Sentence, System, system
from dodona.linear.frozen import FrozenWeights, freeze
from dodona.linear.scorer import LinearScorer
from dodona.linear.templates import Templates
from dodona.linear.weights import Weights
from dodona.parser.encoder import SentenceEncoder
from dodona.parser.linear import LinearModel
from dodona.parser.options import ParserOptions
from dodona.parser.training import train_parser
from dodona.research.verification import follow, steps
from dodona.search.beam import Beam
from dodona.search.greedy import GreedySearch
from dodona.systems.registry import SYSTEMS

WITH_BEAM = [name for name in SYSTEMS if name != "easy-first"]
LABELS = ("a", "root")
EVERYTHING = 100_000


def trained(name: str) -> tuple[System, Templates, FrozenWeights]:
    """A system with one root and the weights of a short training; nothing in them is a round number."""
    sentences = treebank(40)
    parser = train_parser(sentences, ParserOptions(system=name, iterations=2, update="pa"))
    options = {key: value for key, value in parser.options.system_options.items() if key != "single_root"}
    assert isinstance(parser.model, LinearModel)
    return system(name, parser.labels, single_root=True, **options), parser.model.templates, parser.model.weights


def all_derivations(chosen: System, n: int) -> list[Configuration]:
    ends, pending = [], [chosen.initial(n)]
    while pending:
        c = pending.pop()
        if chosen.is_terminal(c):
            ends.append(c)
        pending += [follow(chosen, c, step) for step in steps(chosen, c)]
    return ends


@pytest.mark.parametrize("name", WITH_BEAM)
def test_a_beam_that_holds_everything_finds_every_tree_and_no_more(name: str) -> None:
    templates = Templates.load(SYSTEMS[name].templates)
    two = system(name, LABELS, single_root=True)
    free = FrozenWeights(two._core.actions, *freeze(*Weights(two._core.actions).averages(), two._core.actions))
    beam = Beam(two._core, LinearScorer(templates, free, cached=True), EVERYTHING)
    n = 2 if name == "nonmonotonic" else 3
    sentence = Sentence.from_words(["one", "two", "three"][:n])
    beam.search(SentenceEncoder(templates)(sentence))
    found = {(tuple(heads), tuple(labels)) for _, heads, labels in beam.results(EVERYTHING)}
    names = two._label_names
    ends = {
        (tuple(heads), tuple(names.index(label or "") for label in labels))
        for heads, labels in map(two.tree, all_derivations(two, n))
    }
    assert found == ends


@pytest.mark.parametrize("name", WITH_BEAM)
def test_no_beam_ends_better_than_the_one_that_holds_everything_and_scores_fall(name: str) -> None:
    chosen, templates, weights = trained(name)
    scorer = LinearScorer(templates, weights, cached=True)
    words = [
        SentenceEncoder(templates)(Sentence.from_words(text.split())) for text in ("the oak asks", "doves see today")
    ]
    best: dict[int, list[float]] = {}
    for width in (1, 4, 40, EVERYTHING):
        beam = Beam(chosen._core, scorer, width)
        best[width] = []
        for sentence in words:
            beam.search(sentence)
            scores = [score for score, _, _ in beam.results(width)]
            assert scores == sorted(scores, reverse=True)
            best[width].append(scores[0])
        assert beam.size < EVERYTHING
    for width, found in best.items():
        assert all(score <= top for score, top in zip(found, best[EVERYTHING], strict=True)), width


@pytest.mark.parametrize("name", WITH_BEAM)
def test_a_beam_of_one_is_greedy(name: str) -> None:
    chosen, templates, weights = trained(name)
    greedy, beam = (
        GreedySearch(chosen._core, LinearScorer(templates, weights)),
        Beam(chosen._core, LinearScorer(templates, weights), 1),
    )
    for sentence in treebank(30, seed=3):
        words = SentenceEncoder(templates)(sentence)
        beam.search(words)
        assert beam.results(1)[0][1:] == tuple(greedy.parse(words))


@pytest.mark.parametrize("name", WITH_BEAM)
def test_the_room_of_a_beam_leaves_no_trace(name: str) -> None:
    """Long sentences before, and other ones in between, change nothing."""
    chosen, templates, weights = trained(name)
    encode = SentenceEncoder(templates)
    sentences = [*treebank(10, seed=7), Sentence.from_words(["word"] * 100), *treebank(10, seed=8)]
    fresh = []
    for sentence in sentences:
        beam = Beam(chosen._core, LinearScorer(templates, weights, cached=True), 5)
        beam.search(encode(sentence))
        fresh.append(beam.results(5))
    used = Beam(chosen._core, LinearScorer(templates, weights, cached=True), 5)
    order = list(range(len(sentences)))
    random.Random(1).shuffle(order)
    for i in order:
        used.search(encode(sentences[i]))
        assert used.results(5) == fresh[i]


def accuracy(options: ParserOptions) -> float:
    return train_parser(treebank(100), options).scores(treebank(40, seed=2))[1]


ORACLES = {
    name: ("static", "nondeterministic") if "dynamic" in SYSTEMS[name].oracles else SYSTEMS[name].oracles
    for name in WITH_BEAM
}


@pytest.mark.parametrize(("name", "oracle"), [(name, oracle) for name in WITH_BEAM for oracle in ORACLES[name]])
def test_every_system_learns_with_a_beam(name: str, oracle: str) -> None:
    assert accuracy(ParserOptions(system=name, oracle=oracle, beam=4, iterations=4)) > 97


@pytest.mark.parametrize("update", ["perceptron", "pa"])
@pytest.mark.parametrize("early", [False, True])
def test_every_structured_update_learns(update: str, early: bool) -> None:
    assert accuracy(ParserOptions(beam=4, update=update, early_update=early, iterations=4)) > 97


def test_same_seed_same_weights() -> None:
    one, two = (train_parser(treebank(40), ParserOptions(beam=4, iterations=2, seed=3)) for _ in range(2))
    first, second = ({name: values.tobytes() for name, values in each.parts()[1].items()} for each in (one, two))
    assert first == second


def test_easy_first_and_exploration_have_no_beam() -> None:
    with pytest.raises(OptionError, match="easy-first has no beam"):
        train_parser(treebank(5), ParserOptions(system="easy-first", beam=4))
    with pytest.raises(OptionError, match="with a beam with static, nondeterministic"):
        train_parser(treebank(5), ParserOptions(oracle="dynamic", beam=4))
