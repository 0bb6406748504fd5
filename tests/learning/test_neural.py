"""Training the network: batches, gradients, steps; and that it learns, the same with the same seed."""

import random
from array import array
from dataclasses import replace
from typing import Any

import jax
import numpy as np
import pytest
from reference.adam import Adam
from samples.random_parses import built, random_tree
from samples.treebank import treebank

from dodona.learning import neural
from dodona.learning.network import Dropout, encode, step_loss
from dodona.learning.neural import Course, Example, Lanes, NeuralLearner, Tables, batch_of
from dodona.learning.sizes import Sizes
from dodona.oracles.policy import Policy
from dodona.scoring.neural.positions import Positions
from dodona.scoring.neural.scorer import HiddenLayer
from dodona.systems.build import BuiltSystem
from dodona.transitions import driver

FORMS, TAGS, KINDS = 9, 4, (4, 2)
TABLES = Tables(
    forms=np.random.default_rng(1).integers(0, 12, (FORMS, 5)).astype(np.int32),
    frequency=np.arange(FORMS, dtype=np.int32),
    tags=np.random.default_rng(2).integers(0, 6, (TAGS, 2)).astype(np.int32),
)
COURSE = Course(epochs=40, batch=128, rate=0.02, warmup=2, dropout=0.1)


def example(tree: tuple[list[int], list[int]], chance: random.Random) -> Example:
    """Any words for a tree."""
    n = len(tree[0])
    return Example(
        np.array(chance.choices(range(FORMS), k=n), np.int32),
        np.array(chance.choices(range(TAGS), k=n), np.int32),
        np.array([chance.choices(range(-1, count), k=n) for count in KINDS], np.int32).reshape(len(KINDS), n),
        driver.gold_tree(*tree),
        array("i"),
    )


def examples_of(system: BuiltSystem, *lengths: int) -> list[Example]:
    chance = random.Random(1)
    return [example(random_tree(system.core, n, chance), chance) for n in lengths]


def sizes_of(system: BuiltSystem, **others: Any) -> Sizes:
    positions = Positions.load(system.entry.templates)
    given: dict[str, Any] = {
        "words": 12, "subwords": 12, "tags": 6, "labels": len(system.label_names), "actions": system.core.actions,
        "positions": len(positions.words), "label_positions": len(positions.labels), "tag_kinds": KINDS,
        "embedding": 6, "tag_embedding": 4, "inputs": 10, "width": 6, "layers": 1, "units": 16,
    }  # fmt: skip
    return Sizes(**given | others)


def learner(
    system: BuiltSystem, examples: list[Example], course: Course, *, like: NeuralLearner | None = None, **others: Any
) -> NeuralLearner:
    """A small one. `like`: compiled for the same sizes already."""
    policy = Policy(system.core, "dynamic", longest=max(map(len, examples)))
    positions = Positions.load(system.entry.templates)
    tables = others.pop("tables", TABLES)
    sizes = sizes_of(system, vector=0 if tables.vectors is None else tables.vectors.shape[1])
    made = NeuralLearner(sizes, course, positions, policy, tables, examples, **others)
    if like is not None:
        made._forward, made._head = like._forward, like._head
        made._backward, made._update = like._backward, like._update
    return made


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
        return int(layer.scored(driver.start(core, 2), lanes.sentence(2, rows, time, lane))[0])

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
    batch = batch_of(TABLES, examples, lanes, len(KINDS))
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
    assert len(batch.forms) == len(batch.frequency) == len(batch.tags) == 12  # half of the words of a batch


def test_many_forms_need_more_room() -> None:
    """A list of forms has one of two lengths, so that there are few shapes to compile for."""
    for count, room in ((1, 8), (8, 8), (9, 16), (16, 16)):
        padded = neural._padded(np.ones((count, 2), np.int32), 16)
        assert padded.shape == (room, 2)
        assert padded.sum() == 2 * count
        assert (padded[:count] == 1).all()


def test_every_example_is_in_one_batch() -> None:
    system = built("arc-hybrid")
    lengths = (3, 64, 65, 1, 20, 130, 128, 64, 10, 30, 30, 30, 2, 90)
    made = learner(system, examples_of(system, *lengths), replace(COURSE, batch=128))
    orders = []
    for _ in range(3):
        seen = []
        for lanes, examples in made.batches():
            assert len(lanes.places) == len(examples)
            assert lanes.count == max(1, 128 // lanes.length)
            longest, shortest = max(map(len, examples)), min(map(len, examples))
            assert longest <= lanes.length in (64, 128, 256)
            assert lanes.length == 64 or shortest > lanes.length // 2
            assert all(time + len(each) <= lanes.length for each, (time, _) in zip(examples, lanes.places, strict=True))
            seen += [next(i for i, one in enumerate(made.examples) if one is each) for each in examples]
        assert sorted(seen) == list(range(len(lengths)))
        orders.append(seen)
    assert orders[0] != orders[1] != orders[2]
    assert made.planned > 0
    assert made.planned % COURSE.epochs == 0


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
    for piece in neural._chunks((words, labels, verdicts, step_of), room):
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
    (piece,) = neural._chunks(nothing, 6)
    assert piece.words.shape == (6, 3)
    assert (piece.verdicts == -1).all()
    assert not piece.step_of.any()


# A step


@pytest.mark.parametrize("size", [0.3, 40.0])
def test_steps_against_adam_by_the_book(size: float) -> None:
    """Also with gradients that are clipped, and beyond the planned steps."""
    chance = np.random.default_rng(1)
    course = Course(rate=0.1, warmup=3, average=0.7)
    weights = {"a": chance.normal(size=3), "b": chance.normal(size=2)}
    naive = Adam({name: values.tolist() for name, values in weights.items()}, 0.1, 3, 8, 0.7)
    parameters = {name: values.astype(np.float32) for name, values in weights.items()}
    averaged = parameters
    moments: Any = jax.tree.map(np.zeros_like, (parameters, parameters))
    update = jax.jit(lambda *state: neural._update(*state, course=course, planned=8))
    for step in range(1, 11):
        gradient = {name: size * chance.normal(size=len(values)) for name, values in weights.items()}
        singles = {name: values.astype(np.float32) for name, values in gradient.items()}
        parameters, moments, averaged = update(parameters, moments, averaged, singles, step)
        naive.step({name: values.tolist() for name, values in gradient.items()})
        for name in weights:
            np.testing.assert_allclose(parameters[name], naive.weights[name], rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(averaged[name], naive.averaged[name], rtol=1e-4, atol=1e-5)


def test_a_gradient_of_nothing_changes_nothing() -> None:
    weights = {"a": np.ones(3, np.float32)}
    zero = {"a": np.zeros(3, np.float32)}
    update = jax.jit(lambda *state: neural._update(*state, course=COURSE, planned=5))
    found, _, averaged = update(weights, (zero, zero), weights, zero, 1)
    np.testing.assert_array_equal(found["a"], weights["a"])
    np.testing.assert_allclose(averaged["a"], weights["a"], rtol=1e-6)


# The gradient of a batch


class Recorder:
    """Rollouts whose records can be looked at afterwards."""

    def __init__(self, rollouts: Any) -> None:
        self.rollouts = rollouts
        self.kept: list[Any] = []

    def records(self) -> Any:
        self.kept.append(self.rollouts.records())
        return self.kept[-1]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rollouts, name)


def test_the_gradient_of_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Piece by piece it is that of the whole: the mean loss of a step, and a part of the loss of the tags.

    The sentences are longer than 64 words, and have more rows than there is room for at a time.
    """
    system = built("easy-first")
    course = replace(COURSE, batch=64, dropout=0.0)
    tables = replace(TABLES, vectors=np.random.default_rng(3).normal(size=(12, 3)).astype(np.float32))
    made = learner(system, examples_of(system, 66, 70), course, tables=tables)
    recorder: Any = Recorder(made.rollouts)
    made.rollouts = recorder
    update, gradients, before, keys = made._update, [], [], [made.key]

    def updated(parameters: Any, moments: Any, averaged: Any, gradient: Any, step: Any) -> Any:
        before.append(parameters)
        gradients.append(jax.tree.map(np.array, gradient))
        keys.append(made.key)
        return update(parameters, moments, averaged, gradient, step)

    monkeypatch.setattr(made, "_update", updated)
    batches = list(made.batches())
    made.generator = np.random.default_rng(course.seed)
    steps, mistakes, mean = made.epoch(0.0)
    assert [(lanes.length, lanes.count, len(chosen)) for lanes, chosen in batches] == [(128, 1, 1)] * 2
    assert all(len(words) > 5 * 256 for words, *_ in recorder.kept)
    assert mistakes > 10

    def loss(p: Any, batch: Any, first: Any, steps: Any, count: Any) -> Any:
        rows, tags, _ = encode(p, batch, made.vectors, made.sizes, Dropout(0.0), first)
        total = step_loss(p, rows, steps, 0.0, first)
        return total / count + course.tag_weight * tags, total

    derived = jax.jit(jax.grad(loss, has_aux=True))
    room = 3000
    losses = []
    for number, (lanes, chosen) in enumerate(batches):
        batch = batch_of(TABLES, chosen, lanes, len(KINDS))
        first = jax.random.split(keys[number], 3)[1]
        (whole,) = neural._chunks(recorder.kept[number], room)
        wanted, total = derived(before[number], batch, first, whole, int(recorder.kept[number][3][-1]) + 1)
        losses.append(float(total))
        for name, values in gradients[number].items():
            np.testing.assert_allclose(values, wanted[name], rtol=2e-3, atol=2e-5, err_msg=name)
    assert steps == 66 + 70
    assert mean == pytest.approx(sum(losses) / steps, rel=1e-4)


# Learning


def learnable() -> tuple[BuiltSystem, list[Example], Tables]:
    """A treebank in which words and tags tell the tree."""
    sentences = treebank(24, crossing=0)
    labels = sorted({label for sentence in sentences for label in sentence.labels})
    words = sorted({word for sentence in sentences for word in sentence.words})
    tags = sorted({tag for sentence in sentences for tag in sentence.upos})
    examples = []
    for sentence in sentences:
        form, tag = [words.index(word) for word in sentence.words], [tags.index(tag) for tag in sentence.upos]
        tree = [head or 0 for head in sentence.heads], [labels.index(label) for label in sentence.labels]
        kinds = np.array([np.array(tag) % 4, np.array(tag) % 2], np.int32)
        numbers = np.array(form, np.int32), np.array(tag, np.int32)
        examples.append(Example(*numbers, kinds, driver.gold_tree(*tree), array("i")))
    forms = np.array([[i % 12, 0, i % 11 + 1, i % 7 + 1, 0] for i in range(len(words))], np.int32)
    parts = np.array([[i % 6, 0] for i in range(len(tags))], np.int32)
    tables = Tables(forms, np.full(len(words), 50, np.int32), parts)
    return built("arc-hybrid", tuple(labels)), examples, tables


def test_it_learns_and_the_seed_decides() -> None:
    """Two learners of one seed have the same bytes after each epoch; another seed has others."""
    system, examples, tables = learnable()
    first = learner(system, examples, COURSE, tables=tables)
    start = first.weights()
    same = learner(system, examples, COURSE, tables=tables, like=first)
    other = learner(system, examples, replace(COURSE, seed=2), tables=tables, like=first)
    seen = []
    for epoch in range(COURSE.epochs):
        explore = 0.5 if epoch > 0 else 0.0
        seen.append(first.epoch(explore))
        if epoch < 2:
            assert same.epoch(explore) == seen[-1] != other.epoch(explore)
            weights = first.weights()
            for name, values in same.weights().items():
                assert values.dtype == np.float32
                assert values.tobytes() == weights[name].tobytes(), name
                assert values.tobytes() != start[name].tobytes(), name
                assert values.tobytes() != other.weights()[name].tobytes(), name
                np.testing.assert_array_equal(values, first.averaged[name])
                assert (values != first.parameters[name]).any(), name
    assert abs(first.step - first.planned) < COURSE.epochs
    alone = learner(system, examples_of(system, 1), COURSE, like=first)  # a batch with a single word
    steps, _, loss = alone.epoch(0.0)
    assert steps == 3
    assert 0 < loss < 10
    assert all(np.isfinite(values).all() for values in alone.weights().values())
    accuracy = [1 - mistakes / steps for steps, mistakes, _ in seen]
    losses = [loss for *_, loss in seen]
    assert all(steps == sum(2 * len(each) + 1 for each in examples) for steps, _, _ in seen)
    assert losses[0] > 1.2 > 0.2 > losses[-1] > 0
    assert accuracy[0] < 0.7 < 0.95 < accuracy[-1]
