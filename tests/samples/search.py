"""Exhaustive search through the research door: every configuration, every parse, the true loss of each.

Knows nothing about how an oracle works. Loss is counted on finished parses and handed back through the graph
of configurations; the cost of a transition is then a difference of two numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from dodona import Configuration, System

Tree = tuple[int, ...]
Gold = tuple[Tree, tuple[str, ...] | None]  # heads and, unless unlabelled, labels
Step = tuple[str, str | None]  # a transition and, for SHIFT, what it remembers


def all_trees(n: int) -> list[Tree]:
    """Every dependency tree over n words, with any number of root words."""
    return [heads for heads in product(range(n + 1), repeat=n) if _is_tree(heads)]


def _is_tree(heads: Tree) -> bool:
    for k in range(1, len(heads) + 1):
        seen = set()
        while k != 0:
            if k in seen:
                return False
            seen.add(k)
            k = heads[k - 1]
    return True


def is_projective(heads: Tree) -> bool:
    """Every word between a head and its dependent descends from the head: the definition, word for word."""

    def descends(k: int, h: int) -> bool:
        while k not in (h, 0):
            k = heads[k - 1]
        return k == h

    return all(descends(k, h) for d, h in enumerate(heads, start=1) for k in range(min(h, d) + 1, max(h, d)))


def projective_trees(n: int) -> list[Tree]:
    return [heads for heads in all_trees(n) if is_projective(heads)]


def single_rooted(trees: list[Tree]) -> list[Tree]:
    """The sentence without words has no root, and nothing is wrong with that."""
    return [heads for heads in trees if heads.count(0) == 1 or not heads]


@dataclass
class Graph:
    """All configurations reachable from the start, in an order in which successors come later."""

    configurations: list[Configuration]
    successors: list[dict[Step, int]]

    def terminals(self) -> list[int]:
        return [i for i, following in enumerate(self.successors) if not following]


def steps(system: System, c: Configuration) -> Iterator[Step]:
    remembers = system.options.get("reduce_label") == "remembered" and system.labels
    for transition in system.legal(c):
        if transition == "SHIFT" and remembers:
            yield from ((transition, label) for label in system.labels)
        else:
            yield transition, None


def after(system: System, c: Configuration, step: Step) -> Configuration:
    following = c.copy()
    system.apply(following, step[0], remembered=step[1])
    return following


def explore(system: System, n: int) -> Graph:
    """Depth first from the initial configuration; a dead end is an assertion error."""
    found: dict[tuple[object, ...], int] = {}
    configurations: list[Configuration] = []
    successors: list[dict[Step, int]] = []

    def visit(c: Configuration) -> int:
        key = c.key
        if key not in found:
            following = {step: visit(after(system, c, step)) for step in steps(system, c)}
            assert following or system.is_terminal(c), f"dead end: {c!r}"
            found[key] = len(configurations)
            configurations.append(c)
            successors.append(following)
        return found[key]

    visit(system.initial(n))
    last = len(configurations) - 1  # visited in postorder; turn it round
    return Graph(
        configurations[::-1],
        [{step: last - i for step, i in following.items()} for following in successors[::-1]],
    )


def losses(graph: Graph, golds: list[Gold]) -> NDArray[np.int32]:
    """loss[c, g]: the least Hamming loss of any parse reachable from configuration c, for each gold tree g.

    A word counts as lost if its head differs or, where gold labels are given, its label does; a word that is
    headless in the finished configuration is always lost (the loss over the forest).
    """
    table = np.zeros((len(graph.configurations), len(golds)), dtype=np.int32)
    for i in range(len(graph.configurations) - 1, -1, -1):
        following = set(graph.successors[i].values())
        if following:
            table[i] = table[sorted(following)].min(axis=0)
        else:
            c = graph.configurations[i]
            for g, (heads, labels) in enumerate(golds):
                gold_labels = labels if labels is not None else c.labels
                table[i, g] = sum(
                    h != gold_h or l != gold_l
                    for h, gold_h, l, gold_l in zip(c.heads, heads, c.labels, gold_labels, strict=True)
                )
    return table


@dataclass
class Comparison:
    """How many costs were compared, and those that differ: configuration, tree, step, given, true."""

    compared: int
    wrong: list[tuple[Configuration, Tree, tuple[str, ...] | None, Step, int, int]]


def compare_costs(system: System, n: int, golds: list[Gold], graph: Graph | None = None) -> Comparison:
    """Ask for the costs of every step in every configuration for every gold tree, and check each."""
    graph = graph or explore(system, n)
    table = losses(graph, golds)
    prepared = [system.gold(heads, labels) for heads, labels in golds]
    result = Comparison(0, [])
    for i, c in enumerate(graph.configurations):
        following = graph.successors[i]
        remembered = {label for _, label in following}
        for g, gold in enumerate(prepared):
            for label in remembered:
                costs = system.costs(c, gold, remembered=label)
                for step, j in following.items():
                    if step[1] == label:
                        result.compared += 1
                        true = int(table[j, g] - table[i, g])
                        if costs[step[0]] != true:
                            result.wrong.append((c, *golds[g], step, costs[step[0]], true))
    return result
