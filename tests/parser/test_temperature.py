"""The temperature is the one of eighty-one under which the right arcs are most likely, tried out one by one."""

import random
from math import exp, log
from typing import cast

import pytest
from samples.treebank import treebank

from dodona import Sentence
from dodona.parser.confidence import fit_temperature
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser, Request
from dodona.parser.training import train_parser

Ends = list[tuple[float, list[int], list[str]]]
TEMPERATURES = [10 ** (step / 16) for step in range(81)]


class FixedParser:
    """Ends of the search that were drawn beforehand, in place of a search."""

    def __init__(self, ends: dict[str, Ends]) -> None:
        self.by_name = ends

    def ends(self, sentence: Sentence) -> Ends:
        return self.by_name[sentence.words[0]]


def likelihood(parser: FixedParser | Parser, gold: list[Sentence], temperature: float) -> float:
    """The logarithm, over all words: how probable it is that the best tree's arc is right, if it is, or else wrong.

    The probability of an arc is the share of the trees that have it; nothing is more certain than 0.999.
    """
    total = 0.0
    for sentence in gold:
        ends = parser.ends(sentence)
        masses = [exp((score - ends[0][0]) / temperature) for score, _, _ in ends]
        for k in range(len(sentence.words)):
            arc = ends[0][1][k], ends[0][2][k]
            agreeing = sum(
                m for m, (_, heads, labels) in zip(masses, ends, strict=True) if (heads[k], labels[k]) == arc
            )
            sure = min(0.999, max(0.001, agreeing / sum(masses)))
            total += log(sure if arc == (sentence.heads[k], sentence.labels[k]) else 1 - sure)
    return total


def best(parser: FixedParser | Parser, gold: list[Sentence]) -> float:
    return max(TEMPERATURES, key=lambda temperature: likelihood(parser, gold, temperature))


def drawn(seed: int, scale: float, share: float) -> tuple[FixedParser, list[Sentence]]:
    """Trees that agree with each other, and the best one with gold, to some degree; scores that far apart."""
    chance = random.Random(seed)
    ends: dict[str, Ends] = {}
    gold = []
    for number in range(12):
        n = chance.randint(1, 6)
        heads = [*range(n)]
        labels = [chance.choice("abc") for _ in heads]
        scores = sorted((scale * chance.random() for _ in range(chance.randint(1, 6))), reverse=True)
        ends[f"w{number}"] = [
            (
                score,
                [h if chance.random() < 0.7 else 0 for h in heads],
                [l if chance.random() < 0.8 else "x" for l in labels],
            )
            for score in scores
        ]
        right, names = ends[f"w{number}"][0][1:] if chance.random() < share else (heads, labels)
        gold.append(Sentence.from_words([f"w{number}"] * n, heads=right, labels=names))
    return FixedParser(ends), gold


@pytest.mark.parametrize("seed", range(30))
def test_the_most_likely_of_all(seed: int) -> None:
    parser, gold = drawn(seed, scale=[3.0, 300.0, 30_000.0][seed % 3], share=0.6)
    assert fit_temperature(cast(Parser, parser), gold) == pytest.approx(best(parser, gold))


def test_the_cases_are_different() -> None:
    found = {best(*drawn(seed, [3.0, 300.0, 30_000.0][seed % 3], 0.6)) for seed in range(30)}
    assert len(found) > 10
    assert any(1 < temperature < 100_000 for temperature in found)


def test_a_parser_that_was_trained() -> None:
    parser = train_parser(treebank(40), ParserOptions(beam=8, iterations=2))
    gold = treebank(25, seed=5, crossing=0.6)
    temperature = fit_temperature(parser, gold)
    assert temperature == pytest.approx(best(parser, gold))
    parser.temperature = temperature
    for sentence in gold[:5]:
        (analysis,) = parser.analyses(sentence, Request(confidence=True))
        ends = parser.ends(sentence)
        masses = [exp((score - ends[0][0]) / temperature) for score, _, _ in ends]
        for k, sure in enumerate(analysis.confidence):
            arc = ends[0][1][k], ends[0][2][k]
            agreeing = sum(
                m for m, (_, heads, labels) in zip(masses, ends, strict=True) if (heads[k], labels[k]) == arc
            )
            assert sure == pytest.approx(agreeing / sum(masses))
