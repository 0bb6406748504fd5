"""The hidden layer and the scores of a network, position by position, from a naive view of the configuration.

The order of the additions is part of the definition: numbers of single precision, one after the other.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from reference.features import View, lines

Floats = NDArray[np.float32]


def node_at(view: View, address: str) -> int | None:
    """The node of an address such as S0 or S0.lc; None for nobody."""
    place, _, step = address.partition(".")
    node = view.place(place)
    return view.step(node, step) if node is not None and step else node


def words_at(view: View, text: str) -> list[int | None]:
    """The nodes at the positions that show words, in the order of the lines."""
    return [node_at(view, line) for line in lines(text) if not line.endswith(".l")]


def labels_at(view: View, text: str) -> list[int]:
    """The labels at the positions that show labels: 0 for no label or nobody, then 1 for the first."""
    nodes = [node_at(view, line.removesuffix(".l")) for line in lines(text) if line.endswith(".l")]
    return [0 if node is None else view.label_number(node) for node in nodes]


@dataclass
class Layer:
    """The parts of a network that follow the encoder."""

    text: str  # the positions
    label_rows: Floats  # [positions of labels, labels and none, units]
    bias: Floats
    weights: Floats  # [units, actions]
    action_bias: Floats

    def scores(self, view: View, rows: Floats, row_of: Callable[[int | None], int]) -> list[float]:
        """`rows` are [nodes, positions × units]; `row_of` tells the row of a node."""
        units = len(self.bias)
        hidden = self.bias
        for i, node in enumerate(words_at(view, self.text)):
            hidden = hidden + rows[row_of(node)].reshape(-1, units)[i]
        for i, label in enumerate(labels_at(view, self.text)):
            if label < self.label_rows.shape[1]:
                hidden = hidden + self.label_rows[i][label]
        scores = self.action_bias
        for unit, row in zip(hidden, self.weights, strict=True):
            if unit > 0:
                scores = scores + unit * row
        assert scores.dtype == np.float32
        return [float(score) for score in scores]


def random_layer(chance: np.random.Generator, text: str, labels: int, units: int, actions: int) -> Layer:
    """Random weights; `labels` without the row for none."""

    def random(*shape: int) -> Floats:
        return chance.normal(size=shape).astype(np.float32)

    shown = sum(line.endswith(".l") for line in lines(text))
    return Layer(text, random(shown, labels + 1, units), random(units), random(units, actions), random(actions))


def rows_of(n: int, first: int, root: int, nobody: int, stride: int) -> Callable[[int | None], int]:
    """Where the words, ROOT and nobody of a sentence lie among the rows."""
    places: Sequence[int] = [root, *(first + k * stride for k in range(n))]
    return lambda node: nobody if node is None else places[node]
