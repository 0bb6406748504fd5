"""A parser is calibrated after training: greedy and with a beam, on some of the words that it was not trained on."""

from math import exp

import numpy as np
import pytest
from samples.treebank import treebank

from dodona import FormatError, Sentence
from dodona.parser.confidence import BEAM, calibrate, fit_calibration, hold_back, sample_evenly
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser, Request
from dodona.parser.training import train_parser

DEV = treebank(60, seed=5, crossing=0.6)
for sentence in DEV[::2]:
    sentence.set_tree([*sentence.gold_heads()], [*reversed(sentence.labels)])


@pytest.mark.parametrize("beam", [1, 4])
def test_both_searches_are_calibrated(beam: int) -> None:
    parser = train_parser(treebank(40), ParserOptions(beam=beam, iterations=2))
    bare = Parser.from_parts(*parser.parts(), "parser")
    calibrate(parser, DEV)
    width = beam if beam > 1 else BEAM
    assert parser.calibration == fit_calibration(parser.examples(DEV, 1))
    assert parser.beam_calibration == fit_calibration(parser.examples(DEV, width))
    assert parser.calibration != parser.beam_calibration
    restored = Parser.from_parts(*parser.parts(), "parser")
    for each in (1, width):
        request = Request(each, confidence=True)
        sure: list[float] = []
        right: list[bool] = []
        for sentence, (known, verdicts) in zip(DEV, parser.examples(DEV, each), strict=True):
            (tree,) = parser.analyses(sentence, request)
            assert tree == restored.analyses(sentence, request)[0]
            assert tree.confidence != bare.analyses(sentence, request)[0].confidence
            arcs = zip(tree.heads, tree.labels, sentence.heads, sentence.labels, strict=True)
            assert [(h, l) == (gold_h, gold_l) for h, l, gold_h, gold_l in arcs] == verdicts
            assert (known.agreement is None) == (each == 1)
            sure += tree.confidence
            right += map(bool, verdicts)
        assert 20 < right.count(False) < len(right) - 20
        assert np.mean(sure) == pytest.approx(np.mean(right), abs=0.03)


def test_without_a_calibration_the_share_of_the_beam() -> None:
    parser = train_parser(treebank(40), ParserOptions(iterations=2))
    for sentence in DEV[:10]:
        trees = parser.analyses(sentence, Request(6, nbest=6, confidence=True))
        (known, _) = next(iter(parser.examples([sentence], 6)))
        assert trees[0].confidence == known.agreement
        ends = parser._searches.beam(6).results(6)
        masses = [exp((score - ends[0][0]) / parser.temperature) for score, _, _ in ends]
        for k, share in enumerate(trees[0].confidence):
            arcs = [parser._names.tree(heads, labels) for _, heads, labels in ends]
            agreeing = sum(
                m for m, (h, l) in zip(masses, arcs, strict=True) if (h[k], l[k]) == (arcs[0][0][k], arcs[0][1][k])
            )
            assert share == pytest.approx(agreeing / sum(masses))


def test_a_system_without_a_beam() -> None:
    parser = train_parser(treebank(20), ParserOptions(system="easy-first", iterations=1))
    calibrate(parser, DEV)
    assert parser.beam_calibration is None
    assert "agreement" not in parser.calibration.weights


def test_sentences_from_all_over() -> None:
    assert sample_evenly(DEV, 10**6) == DEV
    words = sum(map(len, DEV))
    assert sample_evenly(DEV, words) == DEV
    assert sample_evenly(DEV, words - 1) == DEV[::2]
    assert sample_evenly(DEV, words // 4) in (DEV[::4], DEV[::5])
    assert sample_evenly([], 10) == []


def test_what_is_held_back() -> None:
    """One in twenty; of a large treebank fewer; none of a small one, and no partial trees."""
    one = Sentence.from_words(["oak"] * 10, heads=[0, *[1] * 9], labels=["x"] * 10)
    part = Sentence.from_words(["oak"] * 10, heads=[0, None, *[1] * 8], labels=["x"] * 10)
    assert hold_back([one] * 1999) == set()
    assert hold_back([one] * 2000) == set(range(19, 2000, 20))
    assert hold_back([part] * 2000) == set()
    assert hold_back([one] * 39 + [part] + [one] * 1960) == set(range(19, 2000, 20)) - {39}
    assert sum(10 for _ in hold_back([one] * 100_000)) == 5000


def test_actions_have_a_temperature_of_their_own() -> None:
    parser = train_parser(treebank(40), ParserOptions(beam=4, iterations=2))
    before = {width: [known for known, _ in parser.examples(DEV[:9], width)] for width in (1, 4)}
    parser.action_temperature *= 0.5
    for width, known in before.items():
        for old, (new, _) in zip(known, parser.examples(DEV[:9], width), strict=True):
            assert old.raw[0] < new.raw[0] < 0, "the colder, the surer"
            assert old.agreement == new.agreement
    assert Parser.from_parts(*parser.parts(), "parser").action_temperature == parser.action_temperature
    description, arrays = parser.parts()
    with pytest.raises(FormatError, match="temperature 0; expected a number"):
        Parser.from_parts(description | {"action_temperature": 0}, arrays, "parser")
    del description["action_temperature"]
    assert Parser.from_parts(description, arrays, "parser").action_temperature == parser.temperature
