"""Training the network: batches, gradients, steps; and that it learns, the same with the same seed."""

from array import array
from dataclasses import replace
from typing import Any

import jax
import numpy as np
import pytest
from reference.adam import Adam
from samples.examples import KINDS, TABLES, examples_of
from samples.random_parses import built
from samples.treebank import treebank

from dodona.neural import trainer as neural
from dodona.neural.batching import Example, Tables, split_records
from dodona.neural.learner import TAG_WEIGHT
from dodona.neural.network import DataSizes, Dropout, encode, step_loss
from dodona.neural.options import NetworkOptions
from dodona.neural.positions import Positions
from dodona.neural.trainer import NeuralLearner
from dodona.systems.registry import BuiltSystem
from dodona.transitions import derivations
from dodona.transitions.policy import Policy

OPTIONS = NetworkOptions(
    layers=1, width=6, units=16, inputs=10, embedding=6, tag_embedding=4, subwords=12, batch=128, rate=0.02, dropout=0.1
)
ITERATIONS = 40


def learner(
    system: BuiltSystem, examples: list[Example], options: NetworkOptions = OPTIONS, *,
    like: NeuralLearner | None = None, **others: Any,
) -> NeuralLearner:  # fmt: skip
    """A small one. `like`: compiled for the same sizes already."""
    policy = Policy(system.core, "dynamic", longest=max(map(len, examples)))
    positions = Positions.load(system.entry.templates)
    tables = others.pop("tables", TABLES)
    sizes = DataSizes(
        words=12, tags=6, labels=len(system.label_names), actions=system.core.actions, positions=len(positions.words),
        label_positions=len(positions.labels), tag_kinds=KINDS,
        vector=0 if tables.vectors is None else tables.vectors.shape[1],
    )  # fmt: skip
    made = NeuralLearner(options, sizes, positions, policy, tables, examples, iterations=ITERATIONS, **others)
    if like is not None:
        made._forward, made._head = like._forward, like._head
        made._backward, made._update = like._backward, like._update
    return made


# Batches


def test_every_example_is_in_one_batch() -> None:
    system = built("arc-hybrid")
    lengths = (3, 64, 65, 1, 20, 130, 128, 64, 10, 30, 30, 30, 2, 90)
    made = learner(system, examples_of(system, *lengths))
    orders = []
    for seed in (1, 1, 2):
        seen = []
        for _, lanes, examples in made.batches(np.random.default_rng(seed)):
            assert len(lanes.places) == len(examples)
            assert lanes.count == max(1, 128 // lanes.length)
            longest, shortest = max(map(len, examples)), min(map(len, examples))
            assert longest <= lanes.length in (64, 128, 256)
            assert lanes.length == 64 or shortest > lanes.length // 2
            assert all(time + len(each) <= lanes.length for each, (time, _) in zip(examples, lanes.places, strict=True))
            seen += [next(i for i, one in enumerate(made.examples) if one is each) for each in examples]
        assert sorted(seen) == list(range(len(lengths)))
        orders.append(seen)
    assert orders[0] == orders[1] != orders[2]
    assert made.planned > 0
    assert made.planned % ITERATIONS == 0


# A step


@pytest.mark.parametrize("warmup", [3, 100])
@pytest.mark.parametrize("size", [0.3, 40.0])
def test_steps_against_adam_by_the_book(size: float, warmup: int) -> None:
    """Also with gradients that are clipped, and beyond the planned steps; the rate rises for a fifth of all at most."""
    chance = np.random.default_rng(1)
    weights = {"a": chance.normal(size=3), "b": chance.normal(size=2)}
    naive = Adam({name: values.tolist() for name, values in weights.items()}, 0.1, 3, 15, 0.7)
    parameters = {name: values.astype(np.float32) for name, values in weights.items()}
    averaged = parameters
    moments: Any = jax.tree.map(np.zeros_like, (parameters, parameters))
    update = jax.jit(lambda *state: neural._update(*state, rate=0.1, planned=15, warmup=warmup, average=0.7))
    for step in range(1, 18):
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
    update = jax.jit(lambda *state: neural._update(*state, rate=0.02, planned=5))
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
    options = replace(OPTIONS, batch=64, dropout=0.0)
    tables = replace(TABLES, vectors=np.random.default_rng(3).normal(size=(12, 3)).astype(np.float32))
    made = learner(system, examples_of(system, 66, 70), options, tables=tables)
    recorder: Any = Recorder(made.rollouts)
    made.rollouts = recorder
    forward, update = made._forward, made._update
    given: list[Any] = []
    gradients: list[Any] = []

    def forwarded(*arguments: Any) -> Any:
        given.append(arguments)
        return forward(*arguments)

    def updated(parameters: Any, moments: Any, averaged: Any, gradient: Any, step: Any) -> Any:
        gradients.append(jax.tree.map(np.array, gradient))
        return update(parameters, moments, averaged, gradient, step)

    monkeypatch.setattr(made, "_forward", forwarded)
    monkeypatch.setattr(made, "_update", updated)
    steps, mistakes, mean = made.iterate(1, 0.0)
    assert all(batch.form.shape == (128, 1) for _, batch, *_ in given)
    assert all(len(words) > 5 * 256 for words, *_ in recorder.kept)
    assert mistakes > 10

    def loss(p: Any, batch: Any, first: Any, steps: Any, count: Any) -> Any:
        rows, tags, _ = encode(p, batch, made.vectors, options, Dropout(0.0), first)
        total = step_loss(p, rows, steps, 0.0, first)
        return total / count + TAG_WEIGHT * tags, total

    derived = jax.jit(jax.grad(loss, has_aux=True))
    room = 3000
    losses = []
    for (before, batch, _, key), records, gradient in zip(given, recorder.kept, gradients, strict=True):
        (whole,) = split_records(records, room)
        wanted, total = derived(before, batch, key, whole, int(records[3][-1]) + 1)
        losses.append(float(total))
        for name, values in gradient.items():
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
        examples.append(Example(*numbers, kinds, derivations.gold_tree(*tree), array("i")))
    forms = np.array([[i % 12, 0, i % 11 + 1, i % 7 + 1, 0] for i in range(len(words))], np.int32)
    parts = np.array([[i % 6, 0] for i in range(len(tags))], np.int32)
    tables = Tables(forms, np.full(len(words), 50, np.int32), parts)
    return built("arc-hybrid", tuple(labels)), examples, tables


@pytest.fixture(scope="module")
def studied() -> tuple[NeuralLearner, list[dict[str, Any]], list[tuple[int, int, float]]]:
    """A learner after all iterations, its weights at the start and after the first ones, and what each one returned."""
    system, examples, tables = learnable()
    made = learner(system, examples, tables=tables)
    weights, seen = [made.weights()], []
    for number in range(1, ITERATIONS + 1):
        seen.append(made.iterate(number, explored(number)))
        if number <= 3:
            weights.append(made.weights())
            assert all((np.asarray(made.parameters[name]) != values).any() for name, values in weights[-1].items())
    return made, weights, seen


def explored(number: int) -> float:
    return 0.5 if number > 1 else 0.0


def like(first: NeuralLearner, seed: int = 1) -> NeuralLearner:
    system, examples, tables = learnable()
    return learner(system, examples, tables=tables, like=first, seed=seed)


def test_it_learns(studied: Any) -> None:
    made, _, seen = studied
    assert abs(made.updates - made.planned) < ITERATIONS
    accuracy = [1 - mistakes / steps for steps, mistakes, _ in seen]
    losses = [loss for *_, loss in seen]
    assert all(steps == sum(2 * len(each) + 1 for each in made.examples) for steps, _, _ in seen)
    assert losses[0] > 1.2 > 0.2 > losses[-1] > 0
    assert accuracy[0] < 0.7 < 0.95 < accuracy[-1]


def test_the_seed_decides(studied: Any) -> None:
    """Two learners of one seed have the same bytes after each iteration; another seed has others."""
    first, kept, seen = studied
    same, other = like(first), like(first, seed=2)
    for number in (1, 2):
        assert same.iterate(number, explored(number)) == seen[number - 1] != other.iterate(number, explored(number))
        others = other.weights()
        for name, values in same.weights().items():
            assert values.dtype == np.float32
            assert values.tobytes() == kept[number][name].tobytes(), name
            assert values.tobytes() != kept[0][name].tobytes(), name
            assert values.tobytes() != others[name].tobytes(), name


def test_training_goes_on_from_a_state(studied: Any) -> None:
    """With the weights that it would have had; the state is that of its iteration, also when the learner learns on."""
    first, kept, seen = studied
    before, after = like(first), like(first)
    for number in (1, 2):
        before.iterate(number, explored(number))
    state = before.state(2)
    assert all(values.ndim == 1 for values in state.values())
    before.iterate(3, explored(3))
    assert after.restore(state) == 2
    assert after.iterate(3, explored(3)) == seen[2]
    for name, values in after.weights().items():
        assert values.tobytes() == kept[3][name].tobytes(), name
    again = after.state(3)
    assert again.keys() == state.keys()
    assert all(values.tobytes() == again[name].tobytes() for name, values in before.state(3).items())


def test_the_state_of_another_network(studied: Any) -> None:
    made = like(studied[0])
    state = made.state(1)
    for name in ("weights.root", "first.actions", "second.labels", "averaged.layer0.forward.bias"):
        for wrong in ({name: state[name][:-1]}, {name: np.append(state[name], state[name][:1])}):
            with pytest.raises(ValueError, match=f"another network: {name} is missing or of another size"):
                made.restore(state | wrong)
        with pytest.raises(ValueError, match=f"another network: {name} is missing"):
            made.restore({key: values for key, values in state.items() if key != name})


def test_a_batch_with_a_single_word(studied: Any) -> None:
    system, _, _ = learnable()
    alone = learner(system, examples_of(system, 1), like=studied[0])
    steps, _, loss = alone.iterate(1, 0.0)
    assert steps == 3
    assert 0 < loss < 10
    assert all(np.isfinite(values).all() for values in alone.weights().values())
