"""A layout in rows for graphs whose edges all lead downwards, after Sugiyama, Tagawa and Toda (1981).

Nodes stand in the rows 0, 2, 4, …. The label of an edge has a place of its own in the row below the edge's source, and
in every further row that the edge crosses there is a gap for it. Lines bend only between two rows. So no line crosses a
label or a node, and no two labels overlap.
"""

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

__all__ = ["Layout", "Place", "laid_out", "nearest"]

SWEEPS = 24  # how often the order of the rows is improved, alternately downwards and upwards
ROUNDS = 12  # the same for the positions in the rows
GAP = 14.0  # between two neighbours in a row
STRAIGHT = 4.0  # how much more a gap of an edge is drawn to its neighbours than a node is


@dataclass
class Place:
    """A place in a row: a node, the label of an edge, or a gap; `x` is its centre."""

    row: int
    width: float
    weight: float = 1.0
    x: float = 0.0
    above: list["Place"] = field(default_factory=list, repr=False)
    below: list["Place"] = field(default_factory=list, repr=False)


@dataclass
class Layout:
    nodes: list[Place]
    chains: list[list[Place]]  # for each edge the source, the label, the gaps and the target
    rows: list[list[Place]]
    width: float


def laid_out(layers: Sequence[int], widths: Sequence[float], edges: Sequence[tuple[int, int, float]]) -> Layout:
    """Return places for nodes, given by layer and width, and for edges: source, target and width of the label."""
    nodes = [Place(2 * layer, width) for layer, width in zip(layers, widths, strict=True)]
    rows: list[list[Place]] = [[] for _ in range(2 * max(layers, default=0) + 1)]
    for node in nodes:
        rows[node.row].append(node)
    chains = [_chain(nodes[source], nodes[target], width, rows) for source, target, width in edges]
    _order(rows)
    _position(rows)
    left = min((place.x - place.width / 2 for row in rows for place in row), default=0.0)
    for row in rows:
        for place in row:
            place.x -= left
    return Layout(nodes, chains, rows, max((place.x + place.width / 2 for row in rows for place in row), default=0.0))


def _chain(source: Place, target: Place, width: float, rows: list[list[Place]]) -> list[Place]:
    if source.row >= target.row:
        raise ValueError(f"an edge from row {source.row} to row {target.row}; expected one downwards")
    label = Place(source.row + 1, width)
    gaps = [Place(row, 0.0, STRAIGHT) for row in range(source.row + 2, target.row)]
    chain = [source, label, *gaps, target]
    for place in chain[1:-1]:
        rows[place.row].append(place)
    for one, other in pairwise(chain):
        one.below.append(other)
        other.above.append(one)
    return chain


def _order(rows: list[list[Place]]) -> None:
    """Sort each row by the medians of its neighbours in the row before; keep the order with the fewest crossings."""
    best, fewest = [list(row) for row in rows], _crossings(rows)
    for sweep in range(SWEEPS):
        if fewest == 0:
            break
        downwards = sweep % 2 == 0
        for row, neighbours in zip(*_neighbours(rows, downwards), strict=True):
            at = {id(place): i for i, place in enumerate(neighbours)}
            medians = {}
            for i, place in enumerate(row):
                seen = sorted(at[id(other)] for other in (place.above if downwards else place.below))
                medians[id(place)] = _median(seen) if seen else float(i)
            row.sort(key=lambda place, medians=medians: medians[id(place)])  # type: ignore[misc]
        crossings = _crossings(rows)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    rows[:] = best


def _neighbours(rows: list[list[Place]], downwards: bool) -> tuple[list[list[Place]], list[list[Place]]]:
    """The rows in the order in which they are looked at, and for each the row that has been looked at before."""
    return (rows[1:], rows[:-1]) if downwards else (rows[-2::-1], rows[:0:-1])


def _median(values: Sequence[int]) -> float:
    middle = len(values) // 2
    return float(values[middle]) if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def _crossings(rows: list[list[Place]]) -> int:
    """How many pairs of lines cross: inversions between the order of their upper ends and that of their lower ends."""
    count = 0
    for upper, lower in pairwise(rows):
        at = {id(place): i for i, place in enumerate(lower)}
        seen: list[int] = []
        for place in upper:
            ends = sorted(at[id(other)] for other in place.below)
            for end in ends:
                count += len(seen) - bisect_left(seen, end + 1)
            for end in ends:
                insort(seen, end)
    return count


def _position(rows: list[list[Place]]) -> None:
    """Move each place near the mean of its neighbours, in the order that is fixed and without overlap."""
    for row in rows:
        _arrange(row, [0.0] * len(row))
    for turn in range(ROUNDS):
        for row, _ in zip(*_neighbours(rows, turn % 2 == 0), strict=True):
            wanted = []
            for place in row:
                near = (place.above if turn % 2 == 0 else place.below) or [place]
                wanted.append(sum(other.x for other in near) / len(near))
            _arrange(row, wanted)


def _arrange(row: Sequence[Place], wanted: Sequence[float]) -> None:
    offsets = [0.0]
    for one, other in pairwise(row):
        offsets.append(offsets[-1] + one.width / 2 + GAP + other.width / 2)
    moved = nearest([x - offset for x, offset in zip(wanted, offsets, strict=False)], [place.weight for place in row])
    for place, x, offset in zip(row, moved, offsets, strict=False):
        place.x = x + offset


def nearest(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the non-decreasing numbers with the least weighted squared distance to `values`.

    Neighbours in the wrong order are pooled into their mean, as long as there are any (isotonic regression).
    """
    pools: list[tuple[float, float, int]] = []  # mean, weight, number of values
    for value, weight in zip(values, weights, strict=True):
        pool = (value, weight, 1)
        while pools and pools[-1][0] > pool[0]:
            mean, mass, size = pools.pop()
            total = mass + pool[1]
            pool = ((mean * mass + pool[0] * pool[1]) / total, total, size + pool[2])
        pools.append(pool)
    return [mean for mean, _, size in pools for _ in range(size)]
