"""The network in floating point, for training: from words and tags to the loss of recorded configurations.

    word         word embedding, mean of subword embeddings, pretrained vector, sum of tag embeddings → a linear layer
    sentence     layers of bidirectional LSTM; on the first one, heads that predict the tags (only to learn from)
    positions    what each word contributes to the hidden layer at each position
    action       ReLU of the contributions of words and labels, then a score for each action

The loss of a configuration is minus the logarithm of the probability of all correct actions together.

Where the processor is faster with them, factors of large products are rounded to 16 bits (bfloat16); sums, and all
else, have 32.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dodona.neural.encoder import trains_in_16_bits
from dodona.neural.learner import OutputSizes
from dodona.neural.options import NetworkOptions

__all__ = [
    "Batch", "DataSizes", "Dropout", "Steps", "encode", "initial_weights", "make_moments", "multiply",
    "multiply_by_rows", "run_layers", "step_loss",
]  # fmt: skip

Array = Any
Parameters = dict[str, Array]
Weights = tuple[Array, Array, Array]
Saved = tuple[Array, Array, Array, Array, Array]

LOW = -1e9


@dataclass(frozen=True)
class DataSizes(OutputSizes):
    """How many of everything there are in the data. Words and tags are rows of tables, in which row 0 is nothing."""

    words: int
    tags: int
    vector: int = 0  # dimensions of pretrained vectors


@dataclass(frozen=True)
class Dropout:
    """Probabilities of dropping out: units, and whole words; a rare word is dropped more often than a frequent one."""

    units: float
    rare: float = 0.25
    words: float = 0.05


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Batch:
    """Sentences as numbers, one after the other in lanes. Words refer to a list of forms and one of tags."""

    forms: Array  # [forms, 2 + subwords]: vocabulary, vector, subwords; 0 is none
    frequency: Array  # [forms]: in the training data
    tags: Array  # [tags, parts]; 0 is none
    form: Array  # [time, lanes]
    tag: Array  # [time, lanes]
    first: Array  # [time, lanes]: 1 where a sentence begins, else 0
    last: Array  # [time, lanes]: 1 where it ends
    gold: Array  # [kinds of tags, time, lanes]; -1 is unknown


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Steps:
    """Recorded configurations, one row for each site; padded with rows without a legal action."""

    words: Array  # [rows, positions]
    labels: Array  # [rows, positions]
    verdicts: Array  # [rows, actions]: 1 correct, 0 wrong, -1 not legal
    step_of: Array  # [rows]: the configuration, counted from 0


def initial_weights(options: NetworkOptions, sizes: DataSizes, seed: int) -> Parameters:
    """Return random weights. They are made by numpy: JAX would compile a program for each of their sizes."""
    generator = np.random.default_rng(seed)

    def normal(deviation: float, *shape: int) -> Array:
        return generator.normal(0, deviation, shape)

    def uniform(width: int, *shape: int) -> Array:
        bound = width**-0.5
        return generator.uniform(-bound, bound, shape)

    read = 2 * options.embedding + options.tag_embedding + sizes.vector  # by the first linear layer, for a word
    weights = {
        "word": normal(0.1, sizes.words, options.embedding),
        "subword": normal(0.2, options.subwords, options.embedding),
        "tag": normal(0.1, sizes.tags, options.tag_embedding),
        "input.word": uniform(read, options.embedding, options.inputs),
        "input.subword": uniform(read, options.embedding, options.inputs),
        "input.tag": uniform(read, options.tag_embedding, options.inputs),
        "input.bias": np.zeros(options.inputs),
        "root": normal(0.1, 2 * options.width),
        "nobody": normal(0.1, 2 * options.width),
        "positions": normal((6 * options.width) ** -0.5, 2 * options.width, sizes.positions * options.units),
        "labels": normal(0.05, sizes.label_positions, sizes.labels + 1, options.units),
        "hidden.bias": np.zeros(options.units),
        "actions": uniform(options.units, options.units, sizes.actions),
        "actions.bias": np.zeros(sizes.actions),
    }
    if sizes.vector:
        weights["input.vector"] = uniform(read, sizes.vector, options.inputs)
    for layer in range(options.layers):
        inputs = 2 * options.width if layer else options.inputs
        for direction in ("forward", "backward"):
            name = f"layer{layer}.{direction}"
            weights[f"{name}.input"] = uniform(options.width, inputs, 4 * options.width)
            weights[f"{name}.recurrent"] = uniform(options.width, options.width, 4 * options.width)
            weights[f"{name}.bias"] = uniform(options.width, 4 * options.width)
    for kind, count in enumerate(sizes.tag_kinds):
        weights[f"head{kind}"] = uniform(2 * options.width, 2 * options.width, count)
        weights[f"head{kind}.bias"] = np.zeros(count)
    return {name: jnp.asarray(values.astype(np.float32)) for name, values in weights.items()}


def make_moments(parameters: Parameters) -> tuple[Parameters, Parameters]:
    """Return the moments that Adam begins with."""
    first, second = (
        {name: jnp.asarray(np.zeros(p.shape, np.float32)) for name, p in parameters.items()} for _ in range(2)
    )
    return first, second


def multiply(x: Array, weights: Array) -> Array:
    """Return x [..., inputs] times weights [inputs, outputs]."""
    return _multiply(x.reshape(-1, x.shape[-1]), weights).reshape(*x.shape[:-1], weights.shape[1])


@jax.custom_vjp
def _multiply(x: Array, weights: Array) -> Array:
    return _dot(x, weights)


def _multiply_forward(x: Array, weights: Array) -> tuple[Array, tuple[Array, Array]]:
    x, weights = round_factor(x), round_factor(weights)
    return _dot(x, weights), (x, weights)


def _multiply_backward(saved: tuple[Array, Array], d: Array) -> tuple[Array, Array]:
    x, weights = saved
    return _dot(d, _transpose(weights)), _dot(_transpose(x), d)


_multiply.defvjp(_multiply_forward, _multiply_backward)


@jax.custom_vjp
def multiply_by_rows(x: Array, rows: Array) -> Array:
    """Return x [n, inputs] times the transpose of rows [outputs, inputs]."""
    return _dot(x, _transpose(rows))


def _multiply_by_rows_forward(x: Array, rows: Array) -> tuple[Array, tuple[Array, Array]]:
    x, rows = round_factor(x), round_factor(rows)
    return _dot(x, _transpose(rows)), (x, rows)


def _multiply_by_rows_backward(saved: tuple[Array, Array], d: Array) -> tuple[Array, Array]:
    x, rows = saved
    return _dot(d, rows), _dot(_transpose(d), x)


multiply_by_rows.defvjp(_multiply_by_rows_forward, _multiply_by_rows_backward)


def _dot(a: Array, b: Array) -> Array:
    a, b = round_factor(a), round_factor(b)
    return jax.lax.dot(a, b, preferred_element_type=jnp.promote_types(a.dtype, jnp.float32))


def _transpose(x: Array) -> Array:
    """Return the transpose of a factor, with its numbers in their new order: XLA would leave them where they are, and
    then has no product of 16 bits on a CPU, or one that is as slow as that of 32."""
    rounded = round_factor(x)
    moved = jax.lax.optimization_barrier(rounded.T.reshape(-1))  # type: ignore[no-untyped-call]
    return moved.reshape(rounded.shape[::-1])


def round_factor(x: Array) -> Array:
    """Return a factor of a product with the bits that this processor multiplies fastest."""
    return x.astype(jnp.bfloat16) if trains_in_16_bits() else x


def word_inputs(p: Parameters, batch: Batch, vectors: Array | None, dropout: Dropout, key: Array) -> Array:
    """Return x [time, lanes, inputs]: what the first layer reads."""
    keys = jax.random.split(key, 5)
    word = p["word"][batch.forms[:, 0]]
    subwords = batch.forms[:, 2:]
    some = (subwords > 0)[..., None]
    subword = (p["subword"][subwords] * some).sum(1) / jnp.maximum(some.sum(1), 1)
    word, subword = word[batch.form], subword[batch.form]
    chance = dropout.rare / (dropout.rare + batch.frequency[batch.form])
    drop = jax.random.uniform(keys[0], batch.form.shape) < chance + dropout.words
    word = jnp.where(drop[..., None], p["word"][0], word)
    x = multiply(drop_out(dropout.units, word, keys[1]), p["input.word"])
    x = x + multiply(drop_out(dropout.units, subword, keys[2]), p["input.subword"])
    if "tag" in p:  # not while words are learned from raw text
        tag = (p["tag"][batch.tags] * (batch.tags > 0)[..., None]).sum(1)[batch.tag]
        x = x + multiply(drop_out(dropout.units, tag, keys[3]), p["input.tag"])
    x = x + p["input.bias"]
    if vectors is not None:
        vector = drop_out(dropout.units, vectors[batch.forms[:, 1]][batch.form], keys[4])
        x = x + multiply(vector, p["input.vector"])
    return x


def encode(
    p: Parameters, batch: Batch, vectors: Array | None, options: NetworkOptions, dropout: Dropout, key: Array
) -> tuple[Array, Array, list[Array]]:
    """Return the contributions of all nodes, one row a node, the loss of the tag heads, and their scores.

    The rows are the words, lane by lane in each step of time, and at the end ROOT and nobody.
    """
    key, first = jax.random.split(key)
    x = word_inputs(p, batch, vectors, dropout, first)
    heads = []
    for layer, (x, key) in enumerate(run_layers(p, x, batch, options, dropout, key)):  # noqa: B020
        if layer == options.tag_layer:
            seen = drop_out(dropout.units, x, jax.random.fold_in(key, 1))
            heads = [multiply(seen, p[f"head{kind}"]) + p[f"head{kind}.bias"] for kind in range(len(batch.gold))]
    key, drop = jax.random.split(key)
    x = drop_out(dropout.units, x, drop)
    ends = jnp.tanh(jnp.stack([p["root"], p["nobody"]]))
    rows = multiply(jnp.concatenate([x.reshape(-1, 2 * options.width), ends]), p["positions"])
    return rows, tag_loss(heads, batch.gold), heads


def run_layers(
    p: Parameters, x: Array, batch: Batch, options: NetworkOptions, dropout: Dropout, key: Array
) -> Iterator[tuple[Array, Array]]:
    """Yield the states of each layer [time, lanes, 2 × width], and the key that is random from there on."""
    for layer in range(options.layers):
        key, drop = jax.random.split(key)
        x = drop_out(dropout.units, x, drop)
        first_way, second_way = (
            tuple(p[f"layer{layer}.{way}.{part}"] for part in ("input", "recurrent", "bias"))
            for way in ("forward", "backward")
        )
        x = run_both_ways(x, batch.first, batch.last, (first_way, second_way))
        yield x, key


def run_both_ways(x: Array, first: Array, last: Array, weights: tuple[Weights, Weights]) -> Array:
    """Encode x [time, lanes, inputs]; the result is [time, lanes, 2 × width], forward first.

    `first` and `last` [time, lanes] are 1 where a sentence begins and where it ends, else 0. `weights` are (input,
    recurrent, bias) of each direction; gates are in the order input, forget, candidate, output.
    """
    outputs = []
    for reverse, edge, (inputs, recurrent, bias) in zip((False, True), (first, last), weights, strict=True):
        outputs.append(run_lstm(multiply(x, inputs) + bias, (1 - edge)[..., None], recurrent, reverse))
    return jnp.concatenate(outputs, axis=-1)


@partial(jax.custom_vjp, nondiff_argnums=(3,))
def run_lstm(z: Array, keep: Array, recurrent: Array, reverse: bool) -> Array:
    """Return the states h [time, lanes, width] of an LSTM with inputs z [time, lanes, 4 × width].

    `keep` [time, lanes, 1] is 0 where the state of the step before is forgotten; `reverse`: from the last step to the
    first.
    """
    return _run_forward(z, keep, recurrent, reverse)[0]


def _run_forward(z: Array, keep: Array, recurrent: Array, reverse: bool) -> tuple[Array, Saved]:
    recurrent = round_factor(recurrent)

    def step(carry: tuple[Array, Array], now: tuple[Array, Array]) -> Any:
        inputs, kept = now
        h, c = carry[0] * kept, carry[1] * kept
        i, f, g, o = jnp.split(inputs + _dot(h, recurrent), 4, axis=-1)
        i, f, g, o = jax.nn.sigmoid(i), jax.nn.sigmoid(f), jnp.tanh(g), jax.nn.sigmoid(o)
        after = f * c + i * g
        return (o * jnp.tanh(after), after), (o * jnp.tanh(after), c, h, jnp.concatenate([i, f, g, o], axis=-1))

    zero = jnp.zeros((z.shape[1], recurrent.shape[0]), z.dtype)
    _, (hs, before, h_before, gates) = jax.lax.scan(step, (zero, zero), (z, keep), reverse=reverse)
    return hs, (before, h_before, gates, keep, recurrent)


def _run_backward(reverse: bool, saved: Saved, dhs: Array) -> tuple[Array, None, Array]:
    before, h_before, gates, keep, recurrent = saved
    zero, back = jnp.zeros_like(before[0]), _transpose(recurrent)

    def step(carry: tuple[Array, Array], now: tuple[Array, Array, Array, Array]) -> Any:
        above, c, gate, kept = now
        i, f, g, o = jnp.split(gate, 4, axis=-1)
        t = jnp.tanh(f * c + i * g)
        dh = carry[0] + above
        dc = carry[1] + dh * o * (1 - t * t)
        dz = jnp.concatenate(
            [dc * g * i * (1 - i), dc * c * f * (1 - f), dc * i * (1 - g * g), dh * t * o * (1 - o)], axis=-1
        )
        return (_dot(dz, back) * kept, dc * f * kept), dz

    _, dzs = jax.lax.scan(step, (zero, zero), (dhs, before, gates, keep), reverse=not reverse)
    width = before.shape[-1]
    return dzs, None, _dot(_transpose(h_before.reshape(-1, width)), dzs.reshape(-1, 4 * width))


run_lstm.defvjp(_run_forward, _run_backward)


def tag_loss(heads: list[Array], gold: Array) -> Array:
    """Return the sum over the kinds of tags of the mean loss of a word."""
    total = jnp.zeros(())
    for scores, right in zip(heads, gold, strict=True):
        known = right >= 0
        logs = jax.nn.log_softmax(scores)
        of_right = jnp.take_along_axis(logs, jnp.maximum(right, 0)[..., None], axis=-1)[..., 0]
        total -= (of_right * known).sum() / jnp.maximum(known.sum(), 1)
    return total


def step_loss(p: Parameters, rows: Array, steps: Steps, units: float, key: Array) -> Array:
    """Return the sum of the losses of all configurations."""
    positions = steps.words.shape[1]
    by_position = rows.reshape(rows.shape[0] * positions, -1)
    hidden = p["hidden.bias"] + by_position[steps.words * positions + jnp.arange(positions)].sum(1)
    hidden += p["labels"][jnp.arange(steps.labels.shape[1]), steps.labels].sum(1)
    hidden = jax.nn.relu(hidden)
    scores = drop_out(units, hidden, key) @ p["actions"] + p["actions.bias"]
    legal = _mass(jnp.where(steps.verdicts >= 0, scores, LOW), steps.step_of)
    correct = _mass(jnp.where(steps.verdicts == 1, scores, LOW), steps.step_of)
    return jnp.where(legal > LOW / 2, legal - correct, 0).sum()


def _mass(scores: Array, step_of: Array) -> Array:
    """Return the logarithm of the sum of exp(score) over all sites of each configuration."""
    of_row = jax.nn.logsumexp(scores, axis=-1)
    count = step_of.shape[0]
    most = jax.lax.stop_gradient(jax.ops.segment_max(of_row, step_of, count, indices_are_sorted=True))
    most = jnp.maximum(most, LOW)
    total = jax.ops.segment_sum(jnp.exp(of_row - most[step_of]), step_of, count, indices_are_sorted=True)
    return jnp.where(total > 0, jnp.log(jnp.maximum(total, 1e-30)), LOW) + most


def drop_out(rate: float, x: Array, key: Array) -> Array:
    """Set a part of the values to zero and scale the others up. Each is decided by 8 random bits, because making these
    takes longer than all the rest; so the part is a multiple of 1/256."""
    kept = round(256 * (1 - rate))
    if kept >= 256:
        return x
    bits = jax.random.bits(key, (-(-x.size // 4),), jnp.uint32)
    chance = jax.lax.bitcast_convert_type(bits, jnp.uint8).reshape(-1)[: x.size].reshape(x.shape)
    return jnp.where(chance < kept, x * (256 / kept), 0)
