"""Training the network: batches of sentences, rollouts by the compiled core, gradients, averaged weights.

For each batch the encoder computes what every word contributes, rollouts walk through the sentences with it, and the
gradient of the recorded configurations flows back into the encoder. The encoder runs forward once for both.
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from dodona.learning.network import Batch, Dropout, Steps, encode, initial, step_loss
from dodona.learning.rollouts import Rollouts
from dodona.learning.sizes import Sizes
from dodona.oracles.policy import Policy
from dodona.scoring.neural.positions import Positions
from dodona.scoring.neural.scorer import Contributions, HiddenLayer
from dodona.transitions.gold import Gold

__all__ = ["Course", "Example", "NeuralLearner", "Tables"]

Array = Any
HEAD = ("hidden.bias", "labels", "actions", "actions.bias")
LANE = 64  # words; longer sentences have longer lanes
CLIP = 5.0
BETAS = 0.9, 0.95
EPSILON = 1e-8


@dataclass(frozen=True)
class Course:
    """How long and how fast the network learns."""

    epochs: int = 40
    batch: int = 2000  # words
    rate: float = 2e-3
    warmup: int = 200  # steps
    dropout: float = 0.4
    tag_weight: float = 0.3
    average: float = 0.999  # how much of the averaged weights a step keeps
    seed: int = 1


@dataclass(frozen=True)
class Tables:
    """What words refer to: forms, tags, pretrained vectors (row 0 is nothing)."""

    forms: NDArray[np.int32]
    frequency: NDArray[np.int32]
    tags: NDArray[np.int32]
    vectors: NDArray[np.float32] | None = None


@dataclass(frozen=True)
class Example:
    """A sentence as numbers, with its gold tree."""

    forms: NDArray[np.int32]
    tags: NDArray[np.int32]
    gold_tags: NDArray[np.int32]  # [kinds, words]
    gold: Gold
    moves: "array[int]"

    def __len__(self) -> int:
        return len(self.forms)


class NeuralLearner:
    """A network during training. `epoch` goes once over all examples."""

    def __init__(
        self, sizes: Sizes, course: Course, positions: Positions, policy: Policy, tables: Tables,
        examples: Sequence[Example], *, random_choice: bool = False,
    ) -> None:  # fmt: skip
        self.sizes, self.course, self.positions, self.tables = sizes, course, positions, tables
        self.examples = examples
        self.generator = np.random.default_rng(course.seed)
        self.key = jax.random.key(course.seed, impl="rbg")
        self.parameters = initial(sizes, course.seed)
        self.averaged = jax.tree.map(jnp.copy, self.parameters)
        self.moments = jax.tree.map(jnp.zeros_like, (self.parameters, self.parameters))
        self.step = 0
        self.planned = course.epochs * sum(1 for _ in self.batches())
        self.generator = np.random.default_rng(course.seed)
        self.vectors = None if tables.vectors is None else jnp.asarray(tables.vectors)
        longest = max((len(example) for example in examples), default=0)
        self.rollouts = Rollouts(policy, self._layer(), random_choice=random_choice, longest=longest, seed=course.seed)
        self.policy = policy
        dropout = Dropout(course.dropout)
        self._forward = jax.jit(partial(_forward, sizes=sizes, dropout=dropout))
        self._head = jax.jit(jax.value_and_grad(step_loss, argnums=(0, 1)), static_argnums=3)
        self._backward = jax.jit(partial(_backward, course=course))
        self._update = jax.jit(partial(_update, course=course, planned=self.planned), donate_argnums=(1, 2, 3))

    def epoch(self, explore: float) -> tuple[int, int, float]:
        """Learn from every example once; returns steps, mistakes and the mean loss of a step."""
        total = 0.0
        steps = mistakes = 0
        for lanes, examples in self.batches():
            loss, counted = self._learn(lanes, examples, explore)
            total += loss
            steps += counted[0]
            mistakes += counted[1]
        return steps, mistakes, total / max(1, steps)

    def batches(self) -> Iterator[tuple["Lanes", list[Example]]]:
        """Yield batches of sentences in random order, each with the places of its sentences."""
        found: list[tuple[Lanes, list[Example]]] = []
        filling: dict[int, int] = {}  # by the length of the lanes: the batch that is being filled
        for i in self.generator.permutation(len(self.examples)):
            example = self.examples[i]
            length = LANE
            while length < len(example):
                length *= 2
            if length not in filling or not found[filling[length]][0].add(len(example)):
                filling[length] = len(found)
                found.append((Lanes(length, max(1, self.course.batch // length)), []))
                found[-1][0].add(len(example))
            found[filling[length]][1].append(example)
        for i in self.generator.permutation(len(found)):
            yield found[i]

    def _learn(self, lanes: "Lanes", examples: list[Example], explore: float) -> tuple[float, tuple[int, int]]:
        batch = batch_of(self.tables, examples, lanes, len(self.sizes.tag_kinds))
        self.key, first, second = jax.random.split(self.key, 3)
        (rows, _), backward = self._forward(self.parameters, batch, self.vectors, first)
        self.rollouts.rescore(self._layer())
        seen = np.asarray(rows)
        for example, (time, lane) in zip(examples, lanes.places, strict=True):
            words = lanes.sentence(len(example), seen, time, lane)
            self.rollouts.follow(words, example.gold, example.moves, explore)
        counted = self.rollouts.count()
        head = {name: self.parameters[name] for name in HEAD}
        loss, d_head, d_rows = 0.0, None, None
        for number, steps in enumerate(_chunks(self.rollouts.records(), 2 * lanes.length * lanes.count)):
            key = jax.random.fold_in(second, number)
            value, (more_head, more_rows) = self._head(head, rows, steps, self.course.dropout, key)
            loss += value
            d_head = more_head if d_head is None else jax.tree.map(jnp.add, d_head, more_head)
            d_rows = more_rows if d_rows is None else d_rows + more_rows
        self.step += 1
        gradient = self._backward(backward, d_rows, d_head, max(1, counted[0]))
        self.parameters, self.moments, self.averaged = self._update(
            self.parameters, self.moments, self.averaged, gradient, self.step
        )
        return float(loss), counted

    def _layer(self) -> HiddenLayer:
        labels, bias, weights, action_bias = (
            np.array(self.parameters[name], np.float32) for name in ("labels", "hidden.bias", "actions", "actions.bias")
        )
        return HiddenLayer(self.positions, labels, bias, weights, action_bias)

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Return the averaged weights."""
        return {name: np.array(values, np.float32) for name, values in self.averaged.items()}


class Lanes:
    """Where the sentences of a batch lie: in `count` lanes of `length` words, one after the other."""

    def __init__(self, length: int, count: int) -> None:
        self.length, self.count = length, count
        self.places: list[tuple[int, int]] = []  # (time, lane) of the first word of each sentence
        self._filled = [0] * count

    def add(self, n: int) -> bool:
        """Find a place for a sentence of n words: in the fullest lane that has room. Returns whether there is one."""
        lanes = [lane for lane, filled in enumerate(self._filled) if filled + n <= self.length]
        if not lanes:
            return False
        lane = max(lanes, key=self._filled.__getitem__)
        self.places.append((self._filled[lane], lane))
        self._filled[lane] += n
        return True

    def sentence(self, n: int, rows: NDArray[np.float32], time: int, lane: int) -> Contributions:
        """Return the contributions of a sentence of n words; ROOT and nobody are the last two rows."""
        root = self.length * self.count
        return Contributions(n, rows, time * self.count + lane, root, root + 1, self.count)


def batch_of(tables: Tables, examples: Sequence[Example], lanes: Lanes, kinds: int) -> Batch:
    """Return sentences as one batch."""
    form, tag = np.zeros((2, lanes.length, lanes.count), np.int32)
    first, last = np.ones((2, lanes.length, lanes.count), np.float32)
    gold = np.full((kinds, lanes.length, lanes.count), -1, np.int32)
    for example, (time, lane) in zip(examples, lanes.places, strict=True):
        here = slice(time, time + len(example)), lane
        form[here], tag[here], gold[:, *here] = example.forms, example.tags, example.gold_tags
        first[time + 1 : time + len(example), lane] = 0
        last[time : time + len(example) - 1, lane] = 0
    forms, form_at = np.unique(form, return_inverse=True)
    tags, tag_at = np.unique(tag, return_inverse=True)
    return Batch(
        _padded(tables.forms[forms], form.size),
        _padded(tables.frequency[forms], form.size),
        _padded(tables.tags[tags], tag.size),
        form_at.reshape(form.shape).astype(np.int32),
        tag_at.reshape(tag.shape).astype(np.int32),
        first,
        last,
        gold,
    )


def _padded(values: NDArray[Any], most: int) -> NDArray[Any]:
    """Return the rows padded to half of `most` or to `most`, so that few shapes are compiled."""
    wanted = most // 2 if len(values) <= most // 2 else most
    return np.concatenate([values, np.zeros((wanted - len(values), *values.shape[1:]), values.dtype)])


def _chunks(records: Any, room: int) -> Iterator[Steps]:
    """Yield the rows, `room` at a time, padded with rows that do not count. The sites of a configuration stay
    together, unless there are more than `room`."""
    words, labels, verdicts, step_of = records
    begin = 0
    while begin < len(words) or begin == 0:
        end = min(len(words), begin + room)
        if end < len(words) and step_of[end] == step_of[end - 1] and step_of[begin] != step_of[end]:
            end = int(np.searchsorted(step_of, step_of[end]))
        more = room - (end - begin)
        steps = step_of[begin:end]
        numbers = np.cumsum(np.diff(steps, prepend=steps[:1]) != 0).astype(np.int32)
        last = numbers[-1] + 1 if len(numbers) else 0
        yield Steps(
            np.pad(words[begin:end], ((0, more), (0, 0))),
            np.pad(labels[begin:end], ((0, more), (0, 0))),
            np.pad(verdicts[begin:end], ((0, more), (0, 0)), constant_values=-1),
            np.pad(numbers, (0, more), constant_values=min(last, room - 1)),
        )
        begin = end
        if begin >= len(words):
            return


def _forward(parameters: Any, batch: Batch, vectors: Array, key: Array, sizes: Sizes, dropout: Dropout) -> Any:
    return jax.vjp(lambda p: encode(p, batch, vectors, sizes, dropout, key)[:2], parameters)


def _backward(backward: Any, d_rows: Array, d_head: Any, count: Array, course: Course) -> Any:
    """Return the gradient of the mean loss of a step and the losses of the tags."""
    (gradient,) = backward((d_rows / count, jnp.float32(course.tag_weight)))
    return gradient | {name: gradient[name] + values / count for name, values in d_head.items()}


def _update(
    parameters: Any, moments: Any, averaged: Any, gradient: Any, step: Array, *, course: Course, planned: int
) -> Any:
    """One step of Adam with a learning rate that rises, then falls like a cosine; and the average of all weights."""
    norm = jnp.sqrt(sum(jnp.vdot(g, g) for g in jax.tree.leaves(gradient)))
    gradient = jax.tree.map(lambda g: g * jnp.minimum(1, CLIP / jnp.maximum(norm, 1e-12)), gradient)
    progress = jnp.minimum(1, step / planned)
    rate = course.rate * jnp.minimum(1, step / course.warmup) * (0.5 * (1 + jnp.cos(jnp.pi * progress)) + 0.01)
    first, second = moments
    first = jax.tree.map(lambda m, g: BETAS[0] * m + (1 - BETAS[0]) * g, first, gradient)
    second = jax.tree.map(lambda m, g: BETAS[1] * m + (1 - BETAS[1]) * g * g, second, gradient)
    corrected = rate * jnp.sqrt(1 - BETAS[1] ** step) / (1 - BETAS[0] ** step)
    parameters = jax.tree.map(lambda p, m, v: p - corrected * m / (jnp.sqrt(v) + EPSILON), parameters, first, second)
    kept = jnp.minimum(course.average, (1 + step) / (10 + step))
    averaged = jax.tree.map(lambda a, p: kept * a + (1 - kept) * p, averaged, parameters)
    return parameters, (first, second), averaged
