"""What a parser thinks of the tree that a sentence has: the probabilities of actions along its derivation, against a
walk through the configurations one by one."""

from math import exp

import pytest
from samples.treebank import treebank

from dodona import Sentence
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser
from dodona.parser.training import train_parser
from dodona.transitions import derivations
from dodona.transitions.moves import NONE


def walk(parser: Parser, sentence: Sentence) -> tuple[list[float], list[float]]:
    """The probability of the action that attaches each word, among all legal ones, and among those of any label."""
    session, core, names = parser._searches.session, parser._core, parser._names.names
    (encoded,) = session.encode([sentence])
    heads = sentence.gold_heads()
    gold = derivations.gold_tree(heads, [names.index(label) for label in sentence.labels])
    bare = derivations.gold_tree(heads, [NONE] * len(heads))
    numbers = derivations.actions(core)
    s = derivations.start(core, len(heads))
    system = core.dispatcher()
    among_all, among_heads = [0.0] * len(heads), [0.0] * len(heads)
    for move, site, label in derivations.canonical_derivation(core, gold, None):
        scores = [score / parser.action_temperature for score in session.greedy.score(s, encoded, site)]
        legal = derivations.legal_moves(core, s, site)
        costs = derivations.costs(core, s, bare, site, NONE)
        chosen = next(a for a, (m, l) in enumerate(numbers) if m == move and l in (label, NONE))
        allowed = [a for a, (m, _) in enumerate(numbers) if m in legal]
        before = list(s.head[1 : len(heads) + 1])
        keeping = [a for a in allowed if costs[a] == 0]
        system.apply(s, move, site, label)
        for d, (was, now) in enumerate(zip(before, s.head[1 : len(heads) + 1], strict=True)):
            if was != now:
                among_all[d] = exp(scores[chosen]) / sum(exp(scores[a]) for a in allowed)
                among_heads[d] = exp(scores[chosen]) / sum(exp(scores[a]) for a in keeping)
    return among_all, among_heads


@pytest.mark.parametrize("system", ["arc-standard", "arc-eager", "arc-hybrid"])
def test_against_a_walk(system: str) -> None:
    sentences = treebank(30, crossing=0)
    parser = train_parser(sentences[:20], ParserOptions(system=system, iterations=1, nonprojective="baseline"))
    before = [each.to_bytes() for each in sentences]
    for sentence, judgement in zip(sentences[20:], parser.judge(sentences[20:]), strict=True):
        arcs, labels = walk(parser, sentence)
        assert list(judgement.arcs) == pytest.approx(arcs, abs=1e-5)
        assert list(judgement.labels) == pytest.approx(labels, abs=1e-5)
        assert max(arcs) > 0.2
    assert [each.to_bytes() for each in sentences] == before


def test_what_cannot_be_built() -> None:
    sentences = treebank(20, crossing=0)
    parser = train_parser(sentences, ParserOptions(iterations=1))
    strange = sentences[0].copy()
    labels = [*strange.labels[:-1], "unknown"]
    strange.set_tree(strange.gold_heads(), labels)
    two_roots = sentences[0].copy()
    two_roots.set_tree([0] * len(two_roots), two_roots.labels)
    first, other, last = parser.judge([sentences[0], strange, two_roots])
    assert min(first.arcs) > 0 < min(first.labels)
    assert list(other.arcs)[-1] == list(other.labels)[-1] == 0
    assert min(list(other.arcs)[:-1]) > 0
    assert list(last.arcs) == list(last.labels) == [0] * len(two_roots)
    with_sites = train_parser(sentences, ParserOptions(system="easy-first", iterations=1))
    (nothing,) = with_sites.judge(sentences[:1])
    assert list(nothing.arcs) == [0] * len(sentences[0])
