"""Arcs given before parsing come out, or are refused because no tree can have them."""

import random
from itertools import product

import pytest
from samples.treebank import treebank

from dodona import FormatError, Sentence
from dodona.data import make_projective
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser, Request
from dodona.parser.training import train_parser
from dodona.research.verification import Tree, all_trees, is_projective, keep_single_rooted
from dodona.systems.registry import SYSTEMS

Part = tuple[int | None, ...]
WIDTHS = [(name, beam) for name in SYSTEMS for beam in (1, 4) if beam == 1 or name != "easy-first"]


def trained(name: str, **options: object) -> Parser:
    return train_parser(treebank(40), ParserOptions(system=name, iterations=2, **options))  # type: ignore[arg-type]


def trees(name: str, n: int) -> list[Tree]:
    found = keep_single_rooted(all_trees(n))
    return found if not SYSTEMS[name].projective else [tree for tree in found if is_projective(tree)]


def agrees(part: Part, tree: Tree | list[int]) -> bool:
    return all(h is None or h == found for h, found in zip(part, tree, strict=True))


def parsed(parser: Parser, part: Part, beam: int) -> list[int]:
    words = ["the", "old", "oak", "asks", "."][: len(part)]
    sentence = Sentence.from_words(words, heads=part, labels=["_" if h is None else "dep" for h in part])
    return parser.analyses(sentence, Request(beam=beam, constrained=True))[0].heads


@pytest.mark.parametrize(("name", "beam"), WIDTHS)
def test_possible_parts_come_out_and_impossible_ones_are_refused(name: str, beam: int) -> None:
    """All parts of trees over three words, and every fifth over four."""
    parser = trained(name)
    cases = list(product([None, 0, 1, 2, 3], repeat=3)) + list(product([None, 0, 1, 2, 3, 4], repeat=4))[::5]
    refused = 0
    for part in cases:
        if any(agrees(part, tree) for tree in trees(name, len(part))):
            assert agrees(part, parsed(parser, part, beam)), part
        else:
            refused += 1
            with pytest.raises(FormatError, match=r"word \d has HEAD \d, but"):
                parsed(parser, part, beam)
    assert refused > 50


@pytest.mark.parametrize(("name", "beam"), WIDTHS)
def test_several_given_roots_come_out_where_a_tree_may_have_several(name: str, beam: int) -> None:
    parser = trained(name, single_root=False)
    several = [tree for tree in all_trees(3) if not SYSTEMS[name].projective or is_projective(tree)]
    for part in product([None, 0, 1, 2, 3], repeat=3):
        if any(agrees(part, tree) for tree in several):
            assert agrees(part, parsed(parser, part, beam)), part
        else:
            with pytest.raises(FormatError, match=r"word \d has HEAD \d, but"):
                parsed(parser, part, beam)


def random_part(tree: list[int], chance: random.Random) -> Part:
    share = chance.random()
    return tuple(h if chance.random() < share else None for h in tree)


@pytest.mark.parametrize(("name", "beam"), WIDTHS)
def test_parts_of_other_trees_come_out_in_longer_sentences(name: str, beam: int) -> None:
    parser = trained(name)
    chance = random.Random(4)
    for _ in range(60):
        n = chance.randint(5, 9)
        tree = [0] * n  # a random tree: each word hangs on one before it, in a random order of words
        order = chance.sample(range(1, n + 1), n)
        for i, d in enumerate(order[1:], start=1):
            tree[d - 1] = chance.choice(order[:i])
        if SYSTEMS[name].projective:
            tree = make_projective(tree)
        part = random_part(tree, chance)
        sentence = Sentence.from_words(["oak"] * n, heads=part)
        assert agrees(part, parser.analyses(sentence, Request(beam=beam, constrained=True))[0].heads), part


@pytest.mark.parametrize("single_root", [True, False])
def test_hundreds_of_given_arcs_that_cross_come_out(single_root: bool) -> None:
    """So many that swap-standard does not look ahead to the end any more."""
    parser = trained("swap-standard", single_root=single_root)
    chance = random.Random(9)
    for share in (0.5, 0.9, 1.0):
        n = 120
        order = chance.sample(range(1, n + 1), n)
        tree = {d: chance.choice(order[:i]) for i, d in enumerate(order) if i > 0}
        part = tuple(tree.get(d, 0) if chance.random() < share else None for d in range(1, n + 1))
        sentence = Sentence.from_words(["oak"] * n, heads=part)
        assert agrees(part, parser.analyses(sentence, Request(constrained=True))[0].heads)


@pytest.mark.parametrize("encoding", ["head", "path", "head+path"])
def test_a_given_arc_is_not_moved_by_deprojectivization(encoding: str) -> None:
    parser = train_parser(treebank(60, crossing=1.0), ParserOptions(iterations=3, nonprojective=encoding))
    for sentence in treebank(20, seed=9, crossing=1.0):
        n = len(sentence)
        heads = [None] * (n - 2) + [sentence.heads.index(0) + 1, None]  # the adverb, which would move
        given = Sentence.from_words(sentence.words, sentence.upos, xpos=sentence.xpos, heads=heads)
        free = Sentence.from_words(sentence.words, sentence.upos, xpos=sentence.xpos)
        assert parser.tree(free)[0][n - 2] != heads[n - 2]
        assert parser.analyses(given, Request(constrained=True))[0].heads[n - 2] == heads[n - 2]


def test_given_labels_come_out_known_or_not() -> None:
    parser = trained("arc-eager")
    sentence = Sentence.from_words(
        ["the", "oak", "asks", "."], heads=[2, 3, None, None], labels=["det", "made-up", "_", "_"]
    )
    (parsed,) = parser.apply([sentence], request=Request(constrained=True))
    assert parsed.heads[:2] == [2, 3]
    assert parsed.labels[:2] == ["det", "made-up"]
    assert parsed.labels[3] == "punct"


def test_messages_name_the_words() -> None:
    parser = trained("arc-eager")
    for part, message in [
        ((2, 1, None), "word 1 has HEAD 2, but the given arcs form a cycle: 1 → 2 → 1"),
        ((0, 0, None), "word 2 has HEAD 0, but word 1 is the root already"),
        ((3, 0, None), "word 1 has HEAD 3, but arc 0 → 2 crosses it"),
        ((2, None, 1), "word 3 has HEAD 1, but word 2 between them is above word 1"),
        ((3, 4, None, None), "word 2 has HEAD 4, but arc 3 → 1 crosses it"),
    ]:
        with pytest.raises(FormatError, match=message):
            parsed(parser, part, 1)


def test_crossing_arcs_are_named_also_where_their_ends_are_free() -> None:
    with pytest.raises(FormatError, match="word 7 has HEAD 2, but arc 5 → 1 crosses it"):
        parsed_words(trained("arc-eager"), (5, None, None, 2, None, None, 2))


def parsed_words(parser: Parser, part: Part) -> list[int]:
    sentence = Sentence.from_words(["oak"] * len(part), heads=part)
    return parser.analyses(sentence, Request(constrained=True))[0].heads


def test_long_chains_are_checked_in_no_time() -> None:
    n = 3000
    chain = tuple(range(n))
    assert parsed_words(trained("arc-hybrid"), chain) == list(chain)


def test_given_labels_do_not_make_trees_different() -> None:
    parser = trained("arc-eager")
    sentence = Sentence.from_words(["oak", "asks"], heads=[2, 0], labels=["made-up", "root"])
    found = parser.analyses(sentence, Request(beam=8, nbest=4, confidence=True, constrained=True))
    assert len(found) == 1
    assert found[0].confidence == pytest.approx([1, 1])


def test_without_given_arcs_nothing_changes() -> None:
    parser = trained("swap-standard")
    for sentence in treebank(10, seed=6):
        free = Sentence.from_words(sentence.words, sentence.upos)
        assert parser.analyses(free, Request(constrained=True)) == parser.analyses(free)


@pytest.mark.parametrize(("name", "beam"), WIDTHS)
def test_parts_of_trees_can_be_learned_from(name: str, beam: int) -> None:
    chance = random.Random(3)
    sentences = []
    for full in treebank(150):
        heads = [h if chance.random() < 0.6 else None for h in full.heads]
        labels = ["_" if h is None else label for h, label in zip(heads, full.labels, strict=True)]
        sentences.append(Sentence.from_words(full.words, full.upos, xpos=full.xpos, heads=heads, labels=labels))
    parser = train_parser(sentences, ParserOptions(system=name, beam=beam, iterations=6))
    assert parser.scores(treebank(40, seed=2))[1] > 90


def test_a_static_oracle_needs_whole_trees() -> None:
    part = Sentence.from_words(["the", "oak"], heads=[2, None], labels=["det", "_"])
    with pytest.raises(FormatError, match=r"HEAD '_'.*dynamic or non-deterministic"):
        train_parser([part], ParserOptions(oracle="static"))
