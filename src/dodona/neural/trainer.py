"""Training the network with JAX: gradients of batches, and averaged weights."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from dodona.neural.batching import Example, Lanes, Tables, fill_batches, lay_out, split_records
from dodona.neural.encoder import trains_in_16_bits
from dodona.neural.learner import AVERAGE, BETAS, CLIP, TAG_WEIGHT, NetworkLearner, SilverExamples
from dodona.neural.network import (
    Batch,
    DataSizes,
    Dropout,
    Parameters,
    encode,
    initial_weights,
    make_moments,
    step_loss,
)
from dodona.neural.options import NetworkOptions
from dodona.neural.positions import Positions
from dodona.neural.scorer import HiddenLayer
from dodona.transitions.policy import Policy

__all__ = ["NeuralLearner", "pack_state", "unpack_state", "update_by_adam"]

Array = Any
TabledBatch = tuple[Tables, Lanes, list[Example]]
HEAD = ("hidden.bias", "labels", "actions", "actions.bias")
WARMUP = 200  # updates during which the rate rises, a fifth of all at most
EPSILON = 1e-8


class NeuralLearner(NetworkLearner[TabledBatch]):
    """A network that learns with JAX; `options.batch` must be a number."""

    def __init__(
        self, options: NetworkOptions, sizes: DataSizes, positions: Positions, policy: Policy, tables: Tables,
        examples: Sequence[Example], *, iterations: int, seed: int = 1, random_choice: bool = False,
        silver: SilverExamples | None = None, longest: int = 0,
        pretrained: Mapping[str, NDArray[np.float32]] | None = None, pretrained_rate: float = 1.0,
    ) -> None:  # fmt: skip
        assert options.batch is not None
        self.options, self.positions, self.tables, self.examples = options, positions, tables, examples
        self.batch, self.seed, self.silver = options.batch, seed, silver
        self.parameters = initial_weights(options, sizes, seed) | jax.tree.map(jnp.asarray, dict(pretrained or {}))
        shares = dict.fromkeys(pretrained or {}, pretrained_rate)
        self.averaged = {name: jnp.asarray(np.array(values)) for name, values in self.parameters.items()}
        self.moments = make_moments(self.parameters)
        self.updates = 0
        self.vectors = None if tables.vectors is None else jnp.asarray(tables.vectors)
        self._prepare(policy, iterations, random_choice, longest)
        self._forward, self._head, self._backward = _compile_gradient(options, trains_in_16_bits())
        self._update = _compile_update(options.rate, self.planned, tuple(shares.items()))

    def batches(self, generator: np.random.Generator) -> Iterator[TabledBatch]:
        return ((self.tables, *batch) for batch in fill_batches(self.examples, self.batch, generator))

    def silver_batches(self, number: int, examples: Iterator[tuple[Tables, list[Example]]]) -> Iterator[TabledBatch]:
        generator = np.random.default_rng([self.seed, number, 1])
        return ((tables, *batch) for tables, own in examples for batch in fill_batches(own, self.batch, generator))

    def examples_of(self, batch: TabledBatch) -> list[Example]:
        return batch[2]

    @contextmanager
    def _draw(self, generator: np.random.Generator) -> Iterator[None]:
        self._key = jax.random.key(int(generator.integers(1 << 31)), impl="rbg")
        self.rollouts.reseed(int(generator.integers(1 << 31)))
        yield

    def _learn(self, batch: TabledBatch, explore: float) -> tuple[float, tuple[int, int]]:
        tables, lanes, examples = batch
        self._key, now = jax.random.split(self._key)
        first, second = jax.random.split(now)
        laid_out = lay_out(tables, examples, lanes)
        (rows, _), backward = self._forward(self.parameters, laid_out, self.vectors, first)
        self.rollouts.rescore(self._layer())
        seen = np.asarray(rows)
        for example, (time, lane) in zip(examples, lanes.places, strict=True):
            words = lanes.sentence(len(example), seen, time, lane)
            self.rollouts.follow(words, example.gold, example.moves, explore)
        counted = self.rollouts.count()
        head = {name: self.parameters[name] for name in HEAD}
        loss, d_head, d_rows = 0.0, None, None
        for number, steps in enumerate(split_records(self.rollouts.records(), 2 * lanes.length * lanes.count)):
            drop = jax.random.fold_in(second, number)
            value, (more_head, more_rows) = self._head(head, rows, steps, self.options.dropout, drop)
            loss += value
            d_head = more_head if d_head is None else jax.tree.map(jnp.add, d_head, more_head)
            d_rows = more_rows if d_rows is None else d_rows + more_rows
        self.updates += 1
        gradient = self._backward(backward, d_rows, d_head, max(1, counted[0]))
        self.parameters, self.moments, self.averaged = self._update(
            self.parameters, self.moments, self.averaged, gradient, self.updates
        )
        return float(loss), counted

    def _layer(self) -> HiddenLayer:
        labels, bias, weights, action_bias = (
            np.array(self.parameters[name], np.float32) for name in ("labels", "hidden.bias", "actions", "actions.bias")
        )
        return HiddenLayer(self.positions, labels, bias, weights, action_bias)

    def state(self, number: int) -> dict[str, NDArray[Any]]:
        """Return everything that training continues from after iteration `number`."""
        first, second = self.moments
        arrays = pack_state(weights=self.parameters, first=first, second=second, averaged=self.averaged)
        return arrays | {"progress": np.array([number, self.updates], dtype=np.int32)}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> int:
        """Continue from a state; returns the number of its iteration."""
        parts = ("weights", "first", "second", "averaged")
        self.parameters, *moments, self.averaged = unpack_state(state, parts, self.parameters, "network")
        self.moments = moments[0], moments[1]
        number, self.updates = map(int, state["progress"])
        return number

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Return the averaged weights."""
        return {name: np.array(values, np.float32) for name, values in self.averaged.items()}


@lru_cache(maxsize=8)
def _compile_gradient(options: NetworkOptions, in_16_bits: bool) -> tuple[Any, Any, Any]:
    """Return what computes gradients. It is compiled when it is called, and once for all trainings of a process that
    have the same options, as folds and seeds do; how many bits there are is asked while it is compiled."""
    return (
        jax.jit(partial(_forward, options=options, dropout=Dropout(options.dropout))),
        jax.jit(jax.value_and_grad(step_loss, argnums=(0, 1)), static_argnums=3),
        jax.jit(_backward),
    )


@lru_cache(maxsize=8)
def _compile_update(rate: float, planned: int, shares: tuple[tuple[str, float], ...]) -> Any:
    return jax.jit(partial(_update, rate=rate, planned=planned, shares=dict(shares)), donate_argnums=(1, 2, 3))


def _forward(
    parameters: Any, batch: Batch, vectors: Array, key: Array, options: NetworkOptions, dropout: Dropout
) -> Any:
    return jax.vjp(lambda p: encode(p, batch, vectors, options, dropout, key)[:2], parameters)


def _backward(backward: Any, d_rows: Array, d_head: Any, count: Array) -> Any:
    """Return the gradient of the mean loss of a step and the losses of the tags."""
    (gradient,) = backward((d_rows / count, jnp.float32(TAG_WEIGHT)))
    return gradient | {name: gradient[name] + values / count for name, values in d_head.items()}


def pack_state(**parts: Parameters) -> dict[str, NDArray[Any]]:
    """Return weights and moments as the arrays of a checkpoint."""
    return {f"{part}.{name}": np.asarray(v).reshape(-1) for part, own in parts.items() for name, v in own.items()}


def unpack_state(
    state: Mapping[str, NDArray[Any]], parts: Sequence[str], like: Parameters, what: str
) -> list[Parameters]:
    """Return these parts of a state, each like the weights of `what`, an encoder or a network; a ValueError if they are
    those of another."""
    unpacked = []
    for part in parts:
        own = {}
        for name, weights in like.items():
            values = state.get(f"{part}.{name}")
            if values is None or values.dtype != np.float32 or values.size != weights.size:
                raise ValueError(f"the state of another {what}: {part}.{name} is missing or of another size")
            own[name] = jnp.asarray(values).reshape(weights.shape)
        unpacked.append(own)
    return unpacked


def _update(
    parameters: Any, moments: Any, averaged: Any, gradient: Any, number: Array, *, rate: Array, planned: int,
    warmup: int = WARMUP, average: float = AVERAGE, shares: Mapping[str, float] | None = None,
) -> Any:  # fmt: skip
    """Return weights, moments and averages after an update by Adam; its rate rises, then falls like a cosine."""
    progress = jnp.minimum(1, number / planned)
    rate = (
        rate
        * jnp.minimum(1, number / max(1, min(warmup, planned // 5)))
        * (0.5 * (1 + jnp.cos(jnp.pi * progress)) + 0.01)
    )
    parameters, moments = update_by_adam(parameters, moments, gradient, number, rate, shares=shares)
    kept = jnp.minimum(average, (1 + number) / (10 + number))
    averaged = jax.tree.map(lambda a, p: kept * a + (1 - kept) * p, averaged, parameters)
    return parameters, moments, averaged


def update_by_adam(
    parameters: Any, moments: Any, gradient: Any, number: Array, rate: Array, *, clip: float = CLIP,
    betas: tuple[float, float] = BETAS, decay: float = 0.0, shares: Mapping[str, float] | None = None,
) -> Any:  # fmt: skip
    """Return weights and moments after update `number` by Adam, with a gradient of at most a certain length.

    `shares` are the parts of the rate that some of the weights learn at.
    """
    norm = jnp.sqrt(sum(jnp.vdot(g, g) for g in jax.tree.leaves(gradient)))
    gradient = jax.tree.map(lambda g: g * jnp.minimum(1, clip / jnp.maximum(norm, 1e-12)), gradient)
    first, second = moments
    first = jax.tree.map(lambda m, g: betas[0] * m + (1 - betas[0]) * g, first, gradient)
    second = jax.tree.map(lambda m, g: betas[1] * m + (1 - betas[1]) * g * g, second, gradient)
    corrected = rate * jnp.sqrt(1 - betas[1] ** number) / (1 - betas[0] ** number)
    after = {}
    for name, p in parameters.items():
        share = (shares or {}).get(name, 1.0)
        change = corrected * share * first[name] / (jnp.sqrt(second[name]) + EPSILON)
        after[name] = p * (1 - rate * share * decay) - change if decay else p - change
    return after, (first, second)
