"""Sentences in lanes: how a batch for the network is laid out, so that few shapes have to be compiled.

Sentences lie one after the other in lanes of the same length. What rollouts recorded goes into the loss in parts of
the same size.
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dodona.neural.network import Batch, Steps
from dodona.neural.scorer import Contributions
from dodona.transitions.gold import Gold

__all__ = [
    "Example", "Lanes", "Tables", "fill_batches", "lane_length", "lay_out", "pad_rows", "split_records",
]  # fmt: skip

LANE = 64  # words; longer sentences have longer lanes


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


def lane_length(n: int) -> int:
    """Return the length of the lanes for a sentence of n words."""
    length = LANE
    while length < n:
        length *= 2
    return length


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


def fill_batches(
    examples: Sequence[Example], words: int, generator: np.random.Generator
) -> Iterator[tuple[Lanes, list[Example]]]:
    """Yield batches of about so many words in random order, each with the places of its sentences."""
    batches: list[tuple[Lanes, list[Example]]] = []
    filling: dict[int, int] = {}  # by the length of the lanes: the batch that is being filled
    for i in generator.permutation(len(examples)):
        example = examples[i]
        length = lane_length(len(example))
        if length not in filling or not batches[filling[length]][0].add(len(example)):
            filling[length] = len(batches)
            batches.append((Lanes(length, max(1, words // length)), []))
            batches[-1][0].add(len(example))
        batches[filling[length]][1].append(example)
    for i in generator.permutation(len(batches)):
        yield batches[i]


def lay_out(tables: Tables, examples: Sequence[Example], lanes: Lanes) -> Batch:
    """Return the sentences that the lanes have places for as one batch."""
    form, tag = np.zeros((2, lanes.length, lanes.count), np.int32)
    first, last = np.ones((2, lanes.length, lanes.count), np.float32)
    gold = np.full((len(examples[0].gold_tags), lanes.length, lanes.count), -1, np.int32)
    for example, (time, lane) in zip(examples, lanes.places, strict=True):
        here = slice(time, time + len(example)), lane
        form[here], tag[here], gold[:, *here] = example.forms, example.tags, example.gold_tags
        first[time + 1 : time + len(example), lane] = 0
        last[time : time + max(1, len(example)) - 1, lane] = 0
    forms, form_at = np.unique(form, return_inverse=True)
    tags, tag_at = np.unique(tag, return_inverse=True)
    return Batch(
        pad_rows(tables.forms[forms], form.size * 3 // 4, form.size),
        pad_rows(tables.frequency[forms], form.size * 3 // 4, form.size),
        pad_rows(tables.tags[tags], form.size // 4, form.size),
        form_at.reshape(form.shape).astype(np.int32),
        tag_at.reshape(tag.shape).astype(np.int32),
        first,
        last,
        gold,
    )


def pad_rows(values: NDArray[Any], usual: int, most: int) -> NDArray[Any]:
    """Return the rows padded to one of two numbers, so that few shapes are compiled."""
    wanted = usual if len(values) <= usual else most
    return np.concatenate([values, np.zeros((wanted - len(values), *values.shape[1:]), values.dtype)])


def split_records(records: Any, room: int) -> Iterator[Steps]:
    """Yield the rows, `room` at a time, padded with rows that do not count. The sites of a configuration stay
    together, unless there are more than `room`."""
    words, labels, verdicts, step_of = records
    begin = 0
    while True:
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
