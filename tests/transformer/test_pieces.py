"""Words as word pieces: what each word becomes, where long sentences are cut, and how a batch is laid out."""

import random

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from samples.encoders import word_pieces

from dodona.errors import FormatError
from dodona.neural.vocabulary import SUBWORDS, Vocabulary
from dodona.transformer.pieces import (
    GROUP,
    MAX_PIECES,
    PieceBatch,
    PieceTable,
    WordPieces,
    group_windows,
    split_windows,
)

TOKENIZER = word_pieces()
NUMBERS = TOKENIZER.get_vocab()
ROWS = len(NUMBERS)


@pytest.fixture(scope="module")
def pieces() -> WordPieces:
    return WordPieces(TOKENIZER.to_str(), ROWS, "test")


def test_words_become_pieces(pieces: WordPieces) -> None:
    assert pieces.of_form("dove") == [NUMBERS["dove"]]
    assert pieces.of_form("DOVE") == [NUMBERS["dove"]]
    assert pieces.of_form("oak") == [NUMBERS["o"], NUMBERS["##a"], NUMBERS["##k"]]
    assert (pieces.before, pieces.after) == ([NUMBERS["[CLS]"]], [NUMBERS["[SEP]"]])


@pytest.mark.parametrize("form", ["", " ", "\t", "\0", "\N{ZERO WIDTH SPACE}", "\u00ad", "漢", "\ud800", "[CLS]x"])
def test_every_word_has_a_piece(pieces: WordPieces, form: str) -> None:
    numbers = pieces.of_form(form)
    assert 1 <= len(numbers) <= MAX_PIECES
    assert all(0 <= number < ROWS for number in numbers)
    if form in ("", " ", "\0"):
        assert numbers == [NUMBERS["[UNK]"]]


def test_a_very_long_word_is_cut(pieces: WordPieces) -> None:
    assert len(pieces.of_form("o" * 90)) == MAX_PIECES


@pytest.mark.parametrize(
    ("text", "message"), [("{", "not a tokenizer"), ("{}", "not a tokenizer"), ("[]", "not a tok")]
)
def test_no_tokenizer(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=f"here: {message}"):
        WordPieces(text, ROWS, "here")


def test_more_pieces_than_the_encoder_has() -> None:
    with pytest.raises(FormatError, match=f"a tokenizer with {ROWS} pieces for an encoder of {ROWS - 1}"):
        WordPieces(TOKENIZER.to_str(), ROWS - 1, "here")


# Windows


def test_windows() -> None:
    assert [(w.begin, w.end, w.own_begin, w.own_end) for w in split_windows([1] * 5, 5)] == [(0, 5, 0, 5)]
    assert [(w.begin, w.end, w.own_begin, w.own_end) for w in split_windows([1] * 10, 6)] == [
        (0, 6, 0, 4),
        (3, 9, 4, 7),
        (6, 10, 7, 10),
    ]


def test_every_word_is_asked_about_once_and_has_neighbours() -> None:
    chance = random.Random(1)
    for _ in range(300):
        room = chance.randint(1, 40)
        counts = [chance.randint(1, min(room, chance.choice([1, 4, 16]))) for _ in range(chance.randint(1, 120))]
        windows = split_windows(counts, room)
        assert [k for w in windows for k in range(w.own_begin, w.own_end)] == list(range(len(counts)))
        for w in windows:
            assert w.begin <= w.own_begin <= w.own_end <= w.end
            assert sum(counts[w.begin : w.end]) <= room
            for k in range(w.own_begin, w.own_end):
                around = sum(counts[w.begin : k]), sum(counts[k + 1 : w.end])
                if max(counts) == 1 and room >= 8:
                    assert around[0] >= room // 4 - 1 or w.begin == 0
                    assert around[1] >= room // 4 - 1 or w.end == len(counts)
        if max(counts) == 1:
            assert len(windows) <= max(1, 2 + 2 * len(counts) // max(1, room - 1))


def test_groups_have_little_padding() -> None:
    chance = random.Random(1)
    lengths = [chance.randint(3, 256) for _ in range(500)]
    groups = group_windows(lengths)
    assert sorted(i for group in groups for i in group) == list(range(500))
    for group in groups:
        longest = max(lengths[i] for i in group)
        assert min(lengths[i] for i in group) >= 0.75 * longest
        assert len(group) * longest <= GROUP
    assert len(groups) < 25
    assert group_windows([]) == []
    assert group_windows([GROUP + 1, 1]) == [[0], [1]]


# Batches


def first_pieces(batch: PieceBatch) -> list[int]:
    numbers: list[int] = np.concatenate([group.reshape(-1) for group in batch.pieces])[batch.first].tolist()
    return numbers


@pytest.mark.parametrize("like", [1.0, 0.75, 0.1])
def test_a_batch_by_hand(pieces: WordPieces, like: float) -> None:
    sentences = [["dove", "asks", "oak"], [], ["dove"], ["hears", "the", "dove", "?"], ["oak", "asks", "dove"]]
    batch = PieceTable(pieces, 50, 64).lay_out(sentences, like)
    forms = [form for sentence in sentences for form in sentence]
    assert batch.lengths.tolist() == [3, 0, 1, 4, 3]
    assert first_pieces(batch) == [pieces.of_form(form)[0] for form in forms]
    vocabulary = Vocabulary((), (), (), 50)
    assert batch.subwords.tolist() == [vocabulary.of_form(form)[2:] for form in forms]
    rows = [
        row[: mask.sum()].tolist()
        for g, m in zip(batch.pieces, batch.masks, strict=True)
        for row, mask in zip(g, m, strict=True)
    ]
    wanted = [[2, *(n for form in sentence for n in pieces.of_form(form)), 3] for sentence in sentences if sentence]
    assert sorted(rows) == sorted(wanted)
    assert all((mask[:, 1:] <= mask[:, :-1]).all() for mask in batch.masks)
    if like == 1:
        assert all(mask.all() for mask in batch.masks), "no padding where all have the same length"
        assert sorted(map(len, batch.masks)) == [1, 1, 2], "and those of the same length are together"


def test_an_empty_batch(pieces: WordPieces) -> None:
    batch = PieceTable(pieces, 50, 64).lay_out([[], []])
    assert (batch.pieces, len(batch.first), batch.lengths.tolist()) == ([], 0, [0, 0])


def test_a_long_sentence_is_seen_in_windows(pieces: WordPieces) -> None:
    forms = ["dove", "oak", "the", "priest"] * 30
    batch = PieceTable(pieces, 50, 20).lay_out([forms], 1.0)
    assert sum(map(len, batch.pieces)) > 10
    assert all(group.shape[1] <= 20 for group in batch.pieces)
    assert first_pieces(batch) == [pieces.of_form(form)[0] for form in forms]
    assert batch.subwords.shape == (120, SUBWORDS)


def test_a_window_without_room(pieces: WordPieces) -> None:
    with pytest.raises(ValueError, match="a window of 2 word pieces"):
        PieceTable(pieces, 50, 2)
    assert first_pieces(PieceTable(pieces, 50, 3).lay_out([["oak", "oak"]])) == [NUMBERS["o"]] * 2
