"""Oracles compared with exhaustive search: every configuration, every parse, the true loss of each.

Nothing here depends on how an oracle works. Loss is counted on finished parses and handed back through the graph of
configurations; the cost of a transition is then a difference of two numbers. `verify` compares all oracles of a system
with this, for all trees of some length; `dodona oracle --verify` prints what differs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from numpy.typing import NDArray

from dodona.data.trees import find_cycle
from dodona.errors import TransitionError, TreeError
from dodona.research.configuration import Configuration
from dodona.research.system import System

__all__ = [
    "ConfigurationGraph", "Tree", "TreeAndLabels", "Verification", "WrongCost", "all_trees", "compare_costs",
    "compute_losses", "explore", "follow", "is_projective", "keep_single_rooted", "projective_trees", "steps",
    "trees_of", "verify",
]  # fmt: skip

Tree = tuple[int, ...]
TreeAndLabels = tuple[Tree, tuple[str, ...] | None]  # heads and, unless unlabelled, labels
Named = tuple[str, str | None]  # a transition and, for SHIFT, what it remembers


# Trees


def all_trees(n: int) -> list[Tree]:
    """Return every dependency tree over n words, with any number of root words."""
    return [heads for heads in product(range(n + 1), repeat=n) if find_cycle(heads) is None]


def is_projective(heads: Tree) -> bool:
    """Return whether every word between a head and its dependent descends from the head: the definition itself."""

    def descends(k: int, h: int) -> bool:
        while k not in (h, 0):
            k = heads[k - 1]
        return k == h

    return all(descends(k, h) for d, h in enumerate(heads, start=1) for k in range(min(h, d) + 1, max(h, d)))


def projective_trees(n: int) -> list[Tree]:
    return [heads for heads in all_trees(n) if is_projective(heads)]


def keep_single_rooted(trees: list[Tree]) -> list[Tree]:
    """Return the trees with one root word. The sentence without words has none, and nothing is wrong with that."""
    return [heads for heads in trees if heads.count(0) == 1 or not heads]


def trees_of(system: System, n: int) -> list[Tree]:
    """Return the trees over n words that the system is meant to build, and no others."""
    trees = projective_trees(n) if system.entry.projective else all_trees(n)
    return keep_single_rooted(trees) if system.options["single_root"] else trees


# Search


@dataclass
class ConfigurationGraph:
    """All configurations reachable from the start, in an order in which successors come later."""

    configurations: list[Configuration]
    successors: list[dict[Named, int]]

    def terminals(self) -> list[int]:
        return [i for i, following in enumerate(self.successors) if not following]

    def history(self, i: int) -> list[str]:
        """Return the transitions of a shortest way to a configuration; labels that SHIFT remembers are left out."""
        ways: dict[int, list[str]] = {0: []}
        todo = [0]
        for place in todo:  # grows while it is walked through
            for (transition, _), j in self.successors[place].items():
                if j not in ways:
                    ways[j] = [*ways[place], transition]
                    todo.append(j)
            if i in ways:
                break
        return ways[i]


def steps(system: System, c: Configuration) -> Iterator[Named]:
    """Yield the legal transitions, SHIFT once for each label that it can remember."""
    for transition in system.legal(c):
        if transition == "SHIFT" and system.carries_labels and system.labels:
            yield from ((transition, label) for label in system.labels)
        else:
            yield transition, None


def follow(system: System, c: Configuration, step: Named) -> Configuration:
    following = c.copy()
    system.apply(following, step[0], remembered=step[1])
    return following


def explore(system: System, n: int, report: Callable[[int], None] | None = None) -> ConfigurationGraph:
    """Find all configurations for n words, depth first. A dead end, or a way back, is a TransitionError.

    `report` is called with the number of configurations so far.
    """
    numbers: dict[tuple[object, ...], int | None] = {}  # None: on the way to here
    configurations: list[Configuration] = []
    successors: list[dict[Named, int]] = []

    def visit(c: Configuration) -> int:
        key = c.key
        if key not in numbers:
            numbers[key] = None
            following = {step: visit(follow(system, c, step)) for step in steps(system, c)}
            if not following and not system.is_terminal(c):
                raise TransitionError(f"{system.name} has no legal transition in {c}, which is not terminal")
            numbers[key] = len(configurations)
            configurations.append(c)
            successors.append(following)
            if report is not None:
                report(len(configurations))
        number = numbers[key]
        if number is None:
            raise TransitionError(f"{system.name} comes back to {c}, so derivations need not end")
        return number

    visit(system.initial(n))
    last = len(configurations) - 1  # visited in postorder; turn it round
    return ConfigurationGraph(
        configurations[::-1],
        [{step: last - i for step, i in following.items()} for following in successors[::-1]],
    )


def compute_losses(graph: ConfigurationGraph, golds: list[TreeAndLabels]) -> NDArray[np.int32]:
    """Return loss[c, g]: the least Hamming loss of any parse reachable from configuration c, for each gold tree g.

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


# Comparison


@dataclass(frozen=True)
class WrongCost:
    """A cost that is not the difference of the losses."""

    graph: ConfigurationGraph
    place: int  # of the configuration in the graph
    heads: Tree
    labels: tuple[str, ...] | None
    transition: str
    remembered: str | None
    cost: int
    true: int

    @property
    def configuration(self) -> Configuration:
        return self.graph.configurations[self.place]

    @property
    def history(self) -> list[str]:
        return self.graph.history(self.place)


@dataclass
class Verification:
    """What was compared with search for sentences of one length, and what differs."""

    system: System
    words: int
    configurations: int = 0
    trees: int = 0
    comparisons: int = 0
    wrong: list[WrongCost] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    """What else is wrong, in words: trees that cannot be built or should not, derivations of other trees."""


def compare_costs(
    system: System,
    n: int,
    golds: list[TreeAndLabels],
    graph: ConfigurationGraph | None = None,
    report: Callable[[int], None] | None = None,
) -> Verification:
    """Compare the costs of every step in every configuration for every gold tree with search.

    `report` is called with the number of configurations so far.
    """
    graph = graph or explore(system, n)
    table = compute_losses(graph, golds)
    prepared = [system.gold(heads, labels) for heads, labels in golds]
    result = Verification(system, n, len(graph.configurations), len(golds))
    for i, c in enumerate(graph.configurations):
        following = graph.successors[i]
        remembered = {label for _, label in following}
        for g, gold in enumerate(prepared):
            for label in remembered:
                costs = system.costs(c, gold, remembered=label)
                for (transition, carried), j in following.items():
                    if carried == label:
                        result.comparisons += 1
                        true = int(table[j, g] - table[i, g])
                        if costs[transition] != true:
                            cost = costs[transition]
                            result.wrong.append(WrongCost(graph, i, *golds[g], transition, label, cost, true))
        if report is not None:
            report(i + 1)
    return result


def verify(system: System, n: int, report: Callable[[int], None] | None = None) -> Verification:
    """Compare a system and all its oracles with search: every configuration and every tree over n words.

    With labels, every tree is looked at with every combination of them.

    - The parses are the trees that the system is meant to build, all of them and no others.
    - Every cost of the dynamic oracle is the true one.
    - Every static oracle derives every tree.
    - After a transition of a non-deterministic oracle, the tree can still be built.
    """
    graph = explore(system, n, report)
    parses = {tuple(system.tree(graph.configurations[i])[0]) for i in graph.terminals()}
    intended = trees_of(system, n)
    golds = list(_golds(system, [tree for tree in intended if tree in parses]))
    if "dynamic" in system.entry.oracles:
        result = compare_costs(system, n, golds, graph, report)
    else:
        result = Verification(system, n, len(graph.configurations), len(golds))
    for what, trees in (
        ("cannot be built", [tree for tree in intended if tree not in parses]),
        ("should not be built, and can be", sorted(parses - set(intended))),
    ):
        if trees:
            shown = "; ".join(" ".join(map(str, tree)) for tree in trees[:3]) + ("; …" if len(trees) > 3 else "")
            result.faults.append(f"{len(trees)} of {len(intended)} trees {what}: heads {shown}")
    for oracle in system.entry.static_oracles:
        result.faults += _compare_derivations(system, golds, oracle)
    if system.entry.set_oracles:
        table = compute_losses(graph, golds)
        for oracle in system.entry.set_oracles:
            result.faults += _compare_sets(system, golds, oracle, graph, table)
    return result


def _golds(system: System, trees: list[Tree]) -> Iterator[TreeAndLabels]:
    """Yield the trees with all combinations of labels that the system can build."""
    for tree in trees:
        for labels in product(system.labels, repeat=len(tree)) if system.labels else [None]:
            try:
                system.gold(tree, labels)
            except TreeError:
                continue
            yield tree, labels


def _compare_derivations(system: System, golds: list[TreeAndLabels], oracle: str) -> Iterator[str]:
    for tree, labels in golds:
        c = system.initial(len(tree))
        taken = []
        try:
            for transition in system.static(tree, labels, oracle=oracle):
                taken.append(transition)
                system.apply(c, transition)
            parse = tuple(system.tree(c)[0])
        except (TransitionError, NotImplementedError) as error:
            yield f"{oracle} does not derive {_show(tree, labels)}: after {' '.join(taken) or 'nothing'}: {error}"
            continue
        if parse != tree:
            yield f"{oracle} derives {_show(parse, None)}, not {_show(tree, labels)}: {' '.join(taken)}"


def _compare_sets(
    system: System, golds: list[TreeAndLabels], oracle: str, graph: ConfigurationGraph, table: NDArray[np.int32]
) -> Iterator[str]:
    for g, (tree, labels) in enumerate(golds):
        gold = system.gold(tree, labels)
        for i, c in enumerate(graph.configurations):
            if table[i, g] == 0:
                for transition in system.correct(c, gold, oracle=oracle):
                    if table[graph.successors[i][transition, None], g] > 0:
                        way = " ".join(graph.history(i))
                        yield f"{oracle} allows {transition} after {way}, but it loses {_show(tree, labels)}"


def _show(tree: Tree, labels: tuple[str, ...] | None) -> str:
    words = zip(tree, labels, strict=True) if labels else ((h, None) for h in tree)
    return f"the tree with heads {' '.join(f'{h}:{label}' if label else str(h) for h, label in words)}"
