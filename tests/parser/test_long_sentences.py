"""Sentences that are too long or take too long are parsed in pieces, and come out as one valid tree."""

import random
from dataclasses import replace
from typing import Any

import pytest
from samples.treebank import treebank

from dodona import FormatError, OptionError, Sentence
from dodona.errors import TimeLimitError
from dodona.parser.long_sentences import PIECE, cut_sentence, parse_in_pieces
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Parser, Request
from dodona.parser.request import Analysis
from dodona.parser.training import train_parser
from dodona.research.verification import is_projective
from dodona.systems.registry import SYSTEMS

WORDS = ["the", "old", "oak", "asks", ",", "and", "we", "listen", "."]


def long_sentence(n: int, heads: list[int | None] | None = None) -> Sentence:
    return Sentence.from_words((WORDS * n)[:n], ["NOUN"] * n, heads=heads)


def trained(**options: object) -> Parser:
    return train_parser(treebank(40), ParserOptions(iterations=2, **options))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def parser() -> Parser:
    return trained()


def is_tree(heads: list[int]) -> bool:
    """Whether every word has a path to ROOT."""
    for d in range(1, len(heads) + 1):
        steps = 0
        while d > 0:
            d = heads[d - 1]
            steps += 1
            if steps > len(heads):
                return False
    return True


def unmarked(n: int, longest: int) -> list[tuple[int, int]]:
    return cut_sentence(Sentence.from_words(["oak"] * n), [None] * n, longest)


def test_pieces_without_punctuation_are_even() -> None:
    assert unmarked(10, 4) == [(0, 4), (4, 7), (7, 10)]
    assert unmarked(8, 4) == [(0, 4), (4, 8)]
    assert unmarked(4, 4) == [(0, 4)]
    assert unmarked(5, 4) == [(0, 3), (3, 5)]
    assert unmarked(3, 1) == [(0, 1), (1, 2), (2, 3)]


def test_a_piece_ends_after_a_full_stop_else_after_other_punctuation() -> None:
    def cut(text: str, longest: int) -> list[tuple[int, int]]:
        words = text.split()
        return cut_sentence(Sentence.from_words(words), [None] * len(words), longest)

    assert cut("a b c . d , e f g h", 8) == [(0, 6), (6, 10)]  # the full stop is not in the second half
    assert cut("a b c d . f , h i j", 8) == [(0, 5), (5, 10)]
    assert cut("a b c d . f . h i j", 8) == [(0, 7), (7, 10)]
    assert cut('a b c d e . " h i j', 8) == [(0, 7), (7, 10)]  # punctuation stays together
    assert cut("a b c d e . h i", 8) == [(0, 8)]


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("single_root", [True, False])
def test_a_long_sentence_becomes_one_valid_tree(name: str, single_root: bool) -> None:
    sentence = long_sentence(50)
    parser = trained(system=name, single_root=single_root, nonprojective="baseline")
    (parsed,) = parser.apply([sentence], request=Request(max_length=12))
    heads = [h for h in parsed.heads if h is not None]
    assert is_tree(heads)
    assert not single_root or heads.count(0) == 1
    assert not SYSTEMS[name].projective or is_projective(tuple(heads))
    assert parsed.comments == ["# parsed_in_pieces = 6"]
    pieces = cut_sentence(long_sentence(50), [None] * 50, 12)
    assert len(pieces) == 6
    for begin, end in pieces:  # every piece has the tree that it has as a sentence
        alone = Sentence.from_words(sentence.words[begin:end], sentence.upos[begin:end])
        tree = parser.analyses(alone)[0]
        for d, h in enumerate(tree.heads, start=1):
            assert h == 0 or heads[begin + d - 1] == h + begin


def test_roots_of_later_pieces_hang_on_the_first_one_with_a_label_of_the_model() -> None:
    for labels, expected in (({"dep", "parataxis"}, "parataxis"), ({"dep"}, "dep"), (set(), "root")):
        sentences = list(treebank(40))
        for sentence, label in zip(sentences, labels, strict=False):
            heads = sentence.gold_heads()
            last = max(d for d, h in enumerate(heads, start=1) if h != 0)
            names = ["other" if name in ("dep", "parataxis") else name for name in sentence.labels]
            sentence.set_tree(heads, [label if d == last else name for d, name in enumerate(names, start=1)])
        parser = train_parser(sentences, ParserOptions(iterations=1, nonprojective="baseline"))
        if {"dep", "parataxis"} & set(parser.labels) != labels:
            continue
        tree = parser.analyses(long_sentence(30), Request(max_length=10))[0]
        (top,) = (d for d, h in enumerate(tree.heads, start=1) if h == 0)
        assert top <= 10
        begins = cut_sentence(long_sentence(30), [None] * 30, 10)
        linked = [d for d, h in enumerate(tree.heads, start=1) if h == top and d > begins[0][1]]
        assert [tree.labels[d - 1] for d in linked] == [expected] * (len(begins) - 1)


def test_a_sentence_as_long_as_the_limit_is_parsed_whole(parser: Parser) -> None:
    whole = parser.analyses(long_sentence(20))
    assert parser.analyses(long_sentence(20), Request(max_length=20)) == whole
    (parsed,) = parser.apply([long_sentence(20)], request=Request(max_length=20, timeout=60))
    assert parsed.comments == []


def test_a_mark_of_a_former_parse_goes_away(parser: Parser) -> None:
    (parsed,) = parser.apply([long_sentence(20)], request=Request(max_length=10))
    assert parsed.comments == ["# parsed_in_pieces = 3"]
    (again,) = parser.apply([parsed], request=Request(max_length=5))
    assert again.comments == ["# parsed_in_pieces = 5"]
    (again,) = parser.apply([parsed], request=Request(max_length=20))
    assert again.comments == []


@pytest.mark.parametrize("beam", [1, 4])
def test_what_takes_too_long_is_parsed_in_pieces(beam: int) -> None:
    """A hundred words may take their time; the clock is looked at after some hundred transitions."""
    parser = trained(system="covington")
    request = Request(beam=beam, timeout=1e-9)
    (short,) = parser.apply([long_sentence(PIECE)], request=request)
    (parsed,) = parser.apply([long_sentence(900)], request=request)
    assert short.comments == []
    assert parsed.comments == [f"# parsed_in_pieces = {len(cut_sentence(long_sentence(900), [None] * 900, PIECE))}"]
    assert is_tree([h for h in parsed.heads if h is not None])


def test_a_piece_that_takes_too_long_is_cut_again() -> None:
    parser = trained(system="covington")
    tree = parser.analyses(long_sentence(1000), Request(max_length=600, timeout=1e-9, confidence=True))[0]
    assert tree.pieces >= 10
    assert len(tree.confidence) == 1000
    assert is_tree(tree.heads)


@pytest.mark.parametrize("constrained", [False, True])
def test_pieces_have_all_columns_that_a_parser_reads(parser: Parser, constrained: bool) -> None:
    """And nothing of the tree, unless its arcs are to be kept."""
    n, read = 30, ("words", "upos", "xpos", "feats")
    columns: dict[str, Any] = {name: [f"{name}{k}=x" for k in range(n)] for name in (*read, "labels")}
    heads = [k // 10 * 10 + 1 if k % 10 else 0 for k in range(n)]
    sentence = Sentence.from_words(**columns, heads=heads)
    asked: list[Sentence] = []

    def parse(batch: list[Sentence], request: Request) -> list[list[Analysis]]:
        asked.extend(batch)
        return [parser.analyses(each, request) for each in batch]

    parse_in_pieces(parse, sentence, Request(max_length=10, constrained=constrained), parser.labels, False)
    assert [len(piece) for piece in asked] == [10] * 3
    for name in read:
        assert [value for piece in asked for value in getattr(piece, name)] == columns[name]
    assert [piece.heads for piece in asked] == [[0, *[1] * 9] if constrained else [None] * 10] * 3
    labels = [value for piece in asked for value in piece.labels]
    assert labels == (columns["labels"] if constrained else ["_"] * n)


def test_confidence_is_that_of_the_pieces_and_none_between_them(parser: Parser) -> None:
    sentence = long_sentence(30)
    tree = parser.analyses(sentence, Request(max_length=10, confidence=True))[0]
    (top,) = (d for d, h in enumerate(tree.heads, start=1) if h == 0)
    made_up = 0
    for begin, end in cut_sentence(sentence, [None] * 30, 10):
        alone = Sentence.from_words(sentence.words[begin:end], sentence.upos[begin:end])
        (piece,) = parser.analyses(alone, Request(confidence=True))
        for d, (h, sure) in enumerate(zip(piece.heads, piece.confidence, strict=True), start=begin + 1):
            is_made_up = h == 0 and d != top
            assert tree.confidence[d - 1] == (0 if is_made_up else sure)
            made_up += is_made_up
    assert made_up >= 2


@pytest.mark.parametrize(("longest", "pieces", "share"), [(10, 4, 1.5), (30, 1, None), (None, 1, None)])
def test_pieces_share_the_time_of_the_sentence(
    parser: Parser, longest: int | None, pieces: int, share: float | None
) -> None:
    """Those of a sentence that takes too long have no limit: they are short."""
    asked: list[Request] = []

    def parse(batch: list[Sentence], request: Request) -> list[list[Analysis]]:
        asked.append(request)
        return [parser.analyses(each, replace(request, timeout=None)) for each in batch]

    request = Request(max_length=longest, timeout=6.0, confidence=True)
    tree = parse_in_pieces(parse, long_sentence(30), request, parser.labels, True)
    assert tree.pieces == pieces == len(asked)
    assert asked == [Request(confidence=True, timeout=share)] * pieces


def test_one_sentence_of_a_batch_does_not_change_the_others(parser: Parser) -> None:
    batch = [long_sentence(n) for n in (5, 40, 7)]
    request = Request(max_length=10)
    alone = [parser.analyses(each, request) for each in batch]
    assert parser.analyses_of(batch, request) == alone


def test_time_limits_end_a_search(parser: Parser) -> None:
    encoded = parser._searches.session.encode([long_sentence(3000)])[0]
    with pytest.raises(TimeLimitError):
        parser._searches.greedy.parse(encoded, seconds=1e-9)
    assert len(parser._searches.greedy.parse(encoded)[0]) == 3000  # the next one has no limit
    with pytest.raises(TimeLimitError):
        parser._searches.beam(4).search(encoded, seconds=1e-9)


@pytest.mark.parametrize("name", ["arc-eager", "covington", "swap-standard"])
def test_given_arcs_come_out_of_pieces(name: str) -> None:
    parser = trained(system=name, nonprojective="baseline")
    chance = random.Random(2)
    for _ in range(10):
        part: list[int | None] = [None] * 40
        for d in chance.sample(range(1, 41), 12):
            if part[d - 2] is None and d > 1:
                part[d - 1] = d - 1
        root = chance.randint(1, 40)
        part[root - 1] = 0
        sentence = long_sentence(40, part)
        tree = parser.analyses(sentence, Request(max_length=9, constrained=True))[0]
        assert all(h is None or h == found for h, found in zip(part, tree.heads, strict=True))
        assert tree.heads.count(0) == 1
        assert is_tree(tree.heads)


def test_given_arcs_over_every_place_to_cut_are_an_error(parser: Parser) -> None:
    heads: list[int | None] = [None] * 30
    heads[29] = 1
    sentence = long_sentence(30, heads)
    with pytest.raises(FormatError, match="could be cut between its words 1 and 11"):
        parser.analyses(sentence, Request(max_length=10, constrained=True))
    heads[29] = 11
    with pytest.raises(FormatError, match="could be cut between its words 11 and 21"):
        parser.analyses(long_sentence(30, heads), Request(max_length=10, constrained=True))
    assert parser.analyses(sentence, Request(max_length=10))[0].pieces == 4  # without --constrained


@pytest.mark.parametrize("wrong", [{"max_length": 0}, {"max_length": 2.5}, {"timeout": 0.0}, {"timeout": -1.0}])
def test_limits_that_make_no_sense(parser: Parser, wrong: dict[str, float]) -> None:
    with pytest.raises(OptionError, match="expected"):
        parser.check(replace(Request(), **wrong))  # type: ignore[arg-type]
