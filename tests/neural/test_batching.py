"""Batches of sentences in lanes, and the pieces that records go into the loss in."""

import random

import numpy as np
import pytest
from samples.examples import TABLES, examples_of
from samples.random_parses import built

from dodona.neural.batching import LANE, Lanes, lane_length, lay_out, pad_rows, split_records
from dodona.neural.positions import Positions
from dodona.neural.scorer import HiddenLayer
from dodona.transitions import derivations

# Batches


def test_lanes_are_packed_without_overlap() -> None:
    chance = random.Random(1)
    for _ in range(30):
        lanes = Lanes(20, chance.randint(1, 4))
        taken = np.zeros((20, lanes.count), int)
        while True:
            n = chance.randint(1, 20)
            fits = n <= 20 - taken.sum(axis=0).min()
            assert lanes.add(n) == fits
            if not fits:
                break
            time, lane = lanes.places[-1]
            filled = taken.sum(axis=0)
            assert filled[lane] == time == max(each for each in filled if each + n <= 20)  # the fullest that has room
            taken[time : time + n, lane] += 1
            assert taken.max() == 1
        assert len(lanes.places) == len(set(lanes.places))


def test_the_rows_of_a_sentence_in_a_lane() -> None:
    """Word after word in steps of time; ROOT and nobody are the last two rows of all."""
    core = built("arc-eager").core
    scores = np.ones((1, core.actions), np.float32), np.zeros(core.actions, np.float32)
    none = np.zeros((0, 1, 1), np.float32), np.zeros(1, np.float32)

    def row_at(position: str, time: int, lane: int) -> int:
        """The number of the row that is shown there."""
        lanes = Lanes(6, 3)
        rows = np.arange(6 * 3 + 2, dtype=np.float32).reshape(-1, 1)
        layer = HiddenLayer(Positions.parse(position), *none, *scores)
        return int(layer.score(derivations.start(core, 2), lanes.sentence(2, rows, time, lane))[0])

    for time, lane in ((0, 0), (0, 2), (3, 1), (4, 2)):
        assert row_at("N0", time, lane) == 3 * time + lane
        assert row_at("N1", time, lane) == 3 * (time + 1) + lane
        assert row_at("N2", time, lane) == 18  # ROOT waits at the end of the buffer
        assert row_at("N3", time, lane) == 19


@pytest.mark.parametrize("lengths", [(3, 1, 5, 8, 2, 1), (8,), (1,), (0, 4, 3), (3, 0, 0, 4), (8, 0, 8)])
def test_a_batch_of_sentences(lengths: tuple[int, ...]) -> None:
    examples = examples_of(built("arc-hybrid"), *lengths)
    lanes = Lanes(8, 3)
    for n in lengths:
        assert lanes.add(n)
    batch = lay_out(TABLES, examples, lanes)
    inside = np.zeros((8, 3), bool)
    for each, (time, lane) in zip(examples, lanes.places, strict=True):
        n = len(each)
        here = slice(time, time + n), lane
        inside[here] = True
        np.testing.assert_array_equal(batch.forms[batch.form[here]], TABLES.forms[each.forms])
        np.testing.assert_array_equal(batch.frequency[batch.form[here]], TABLES.frequency[each.forms])
        np.testing.assert_array_equal(batch.tags[batch.tag[here]], TABLES.tags[each.tags])
        np.testing.assert_array_equal(batch.gold[:, *here], each.gold_tags)
        assert batch.first[here].tolist() == [1.0] * min(1, n) + [0.0] * (n - 1)
        assert batch.last[here].tolist() == [0.0] * (n - 1) + [1.0] * min(1, n)
    assert (batch.gold[:, ~inside] == -1).all()
    assert (batch.first[~inside] == 1).all()
    assert (batch.last[~inside] == 1).all()
    assert len(batch.forms) == len(batch.frequency) == 18  # three in four of the words of a batch
    assert len(batch.tags) == 6  # a quarter


def test_many_forms_need_more_room() -> None:
    """A list of forms has one of two lengths, so that there are few shapes to compile for."""
    for count, room in ((1, 8), (8, 8), (9, 16), (16, 16)):
        padded = pad_rows(np.ones((count, 2), np.int32), 8, 16)
        assert padded.shape == (room, 2)
        assert padded.sum() == 2 * count
        assert (padded[:count] == 1).all()


def test_a_lane_has_room_for_its_sentences() -> None:
    lengths = {0: LANE, 1: LANE, LANE: LANE, LANE + 1: 2 * LANE, 2 * LANE: 2 * LANE, 2 * LANE + 1: 4 * LANE}
    assert {n: lane_length(n) for n in lengths} == lengths


# Records


@pytest.mark.parametrize("seed", range(40))
def test_pieces_of_the_records(seed: int) -> None:
    """All rows in order; the sites of a configuration together; padding without legal actions, and of no real step."""
    chance = random.Random(seed)
    room = chance.choice([4, 5, 8])
    sites = [chance.randint(1, 4) for _ in range(chance.choice([1, 2, 3, 6, 15]))]
    step_of = np.repeat(np.arange(len(sites)), sites).astype(np.int32)
    count = len(step_of)
    words, labels = (np.arange(width * count, dtype=np.int32).reshape(count, width) + 1 for width in (3, 2))
    verdicts = np.array([[chance.randint(-1, 1), 1] for _ in range(count)], np.int8)
    at = 0
    for piece in split_records((words, labels, verdicts, step_of), room):
        assert [len(part) for part in (piece.words, piece.labels, piece.verdicts, piece.step_of)] == [room] * 4
        real = int((piece.verdicts[:, 1] == 1).sum())
        assert real > 0
        for part, all_of_it in ((piece.words, words), (piece.labels, labels), (piece.verdicts, verdicts)):
            np.testing.assert_array_equal(part[:real], all_of_it[at : at + real])
        assert (piece.verdicts[real:] == -1).all()
        np.testing.assert_array_equal(piece.step_of[:real], step_of[at : at + real] - step_of[at])
        assert all(step not in piece.step_of[:real] for step in piece.step_of[real:])
        assert (np.diff(piece.step_of) >= 0).all()
        assert piece.step_of.max() < room
        at += real
        assert at == count or step_of[at] != step_of[at - 1]
        assert at == count or real + sites[step_of[at]] > room  # as many as there is room for
    assert at == count


def test_no_records_are_one_piece_of_padding() -> None:
    nothing = (np.zeros((0, 3), np.int32), np.zeros((0, 2), np.int32), np.zeros((0, 4), np.int8), np.zeros(0, np.int32))
    (piece,) = split_records(nothing, 6)
    assert piece.words.shape == (6, 3)
    assert (piece.verdicts == -1).all()
    assert not piece.step_of.any()
