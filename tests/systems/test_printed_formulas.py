"""The papers' formulas as printed, kept as data that must fail: the exhaustive check is known to bite.

Each printed formula is compared with the truth on all trees and configurations of up to three words. It must be wrong
somewhere, at the smallest case named in docs/errata.md among others; the corrected cost must be right everywhere.
"""

from collections.abc import Callable
from typing import NamedTuple

import pytest

from dodona import Configuration, system
from dodona.research.verification import (
    ConfigurationGraph,
    Tree,
    all_trees,
    compute_losses,
    explore,
    projective_trees,
)

Formula = Callable[[Configuration, Tree], int]


def parts(c: Configuration, gold: Tree) -> tuple[list[int], int, int, list[int], dict[int, int]]:
    """σ (without the top), s, b, β and the gold heads; -1 where there is no s or b."""
    s = c.stack[-1] if c.stack else -1
    b = c.buffer[0] if c.buffer else -1
    return c.stack[:-1], s, b, c.buffer[1:], dict(enumerate(gold, start=1))


def headless(c: Configuration, k: int) -> bool:
    return k != 0 and c.heads[k - 1] is None


def e1_right(c: Configuration, gold: Tree) -> int:
    """2013: dependents of b are lost in σ only."""
    σ, _, b, β, gh = parts(c, gold)
    return (gh[b] in σ + β) + sum(headless(c, k) and gh[k] == b for k in σ if k)


def e2_left(c: Configuration, gold: Tree) -> int:
    """2013: dependents of s are lost in β only."""
    _, s, _, β, gh = parts(c, gold)
    return (gh[s] in β) + sum(gh[k] == s for k in β if k)


def e3_shift(c: Configuration, gold: Tree) -> int:
    """2012: dependents of b are lost also if they have a head already."""
    σ, s, b, _, gh = parts(c, gold)
    return (gh[b] in [*σ, s]) + sum(gh[k] == b for k in [*σ, s] if k > 0)


def e4_shift(c: Configuration, gold: Tree) -> int:
    """2012: the loss is said to be the same if headless words are attached to ROOT afterwards."""
    σ, s, b, _, gh = parts(c, gold)
    return (gh[b] in [*σ, s]) + sum(headless(c, k) and gh[k] == b for k in [*σ, s] if k > 0)


def e5_reduce(c: Configuration, gold: Tree) -> int:
    """Non-monotonic, NM-D: REDUCE costs what it costs without repairs."""
    _, s, b, β, gh = parts(c, gold)
    return sum(gh[k] == s for k in [b, *β] if k)


def e6_left(c: Configuration, gold: Tree) -> int:
    """Non-monotonic, NM-L: the monotonic cost, and again for a head in β if s has another head."""
    _, s, b, β, gh = parts(c, gold)
    cost = (gh[s] in β) + sum(gh[k] == s for k in [b, *β] if k)
    if not headless(c, s):
        cost += c.heads[s - 1] == gh[s] or gh[s] in β
    return cost


class Erratum(NamedTuple):
    number: str
    name: str
    options: dict[str, str]
    transition: str
    printed: Formula
    gold: Tree
    history: str
    prints: int
    true: int


ERRATA = [
    Erratum("E1", "arc-eager", {}, "RIGHT", e1_right, (2, 0), "SHIFT", 1, 2),
    Erratum("E2", "arc-eager", {}, "LEFT", e2_left, (0, 1), "SHIFT", 1, 2),
    Erratum("E3", "arc-eager", {"root": "first"}, "SHIFT", e3_shift, (2, 0), "RIGHT", 2, 1),
    Erratum("E4", "arc-eager", {"root": "attach"}, "SHIFT", e4_shift, (0,), "", 1, 0),
    Erratum("E5", "nonmonotonic", {"moves": "reduce"}, "REDUCE", e5_reduce, (0, 0), "SHIFT SHIFT", 0, 1),
    Erratum("E6", "nonmonotonic", {"moves": "left"}, "LEFT", e6_left, (0, 0, 0), "SHIFT RIGHT", 2, 1),
]


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda erratum: erratum.number)
def test_smallest_case(erratum: Erratum) -> None:
    chosen = system(erratum.name, **erratum.options)
    c = chosen.initial(len(erratum.gold))
    for transition in erratum.history.split():
        chosen.apply(c, transition)
    assert erratum.printed(c, erratum.gold) == erratum.prints
    assert chosen.costs(c, erratum.gold)[erratum.transition] == erratum.true


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda erratum: erratum.number)
def test_exhaustive_check_finds_the_printed_formula_wrong(erratum: Erratum) -> None:
    chosen = system(erratum.name, **erratum.options)
    compared = wrong = 0
    for n in (1, 2, 3):
        graph = explore(chosen, n)
        golds = projective_trees(n)
        table = compute_losses(graph, [(gold, None) for gold in golds])
        for i, c in enumerate(graph.configurations):
            j = graph.successors[i].get((erratum.transition, None))
            if j is not None:
                for g, gold in enumerate(golds):
                    compared += 1
                    wrong += erratum.printed(c, gold) != table[j, g] - table[i, g]
    assert 0 < wrong < compared


def covington_loss_as_printed(c: Configuration, gold: Tree) -> int:
    """Algorithm 1 with lines 6 and 7 applied to ROOT's arcs as well (E7)."""
    n = len(gold)
    i = c.left[-1] if c.left else 0
    j = c.buffer[0] if c.buffer else n + 1
    heads = dict(enumerate(c.heads, start=1))
    if not c.buffer:  # finished: the arcs from ROOT have been filled in, they are not in A
        heads = {y: (z if z != 0 else None) for y, z in heads.items()}

    def connected(x: int, y: int) -> bool:
        def top(k: int) -> int:
            while heads.get(k) is not None:
                k = heads[k] or 0
            return k

        return top(x) == top(y)

    lost = set()
    for y, x in enumerate(gold, start=1):
        left, right = min(x, y), max(x, y)
        other = heads[y] is not None and heads[y] != x
        if heads[y] != x and (j > right or (j == right and i < left) or other or connected(x, y)):
            lost.add(y)
    graph = {y: heads[y] if heads[y] is not None else (0 if y in lost else x) for y, x in enumerate(gold, start=1)}
    cyclic = set()
    for y in graph:
        path: list[int] = []
        k: int | None = y
        while k and k not in path:
            path.append(k)
            k = graph[k]
        if k:
            cyclic.add(min(path[path.index(k) :]))
    return len(lost) + len(cyclic)


def test_e7_covington_as_printed() -> None:
    chosen = system("covington")
    c = chosen.initial(1)
    following = c.copy()
    chosen.apply(following, "SHIFT")
    assert covington_loss_as_printed(following, (0,)) - covington_loss_as_printed(c, (0,)) == 1
    assert chosen.costs(c, (0,)) == {"SHIFT": 0}
    graph: ConfigurationGraph = explore(chosen, 3)
    golds = all_trees(3)
    table = compute_losses(graph, [(gold, None) for gold in golds])
    wrong = sum(
        covington_loss_as_printed(c, gold) != table[i, g]
        for i, c in enumerate(graph.configurations)
        for g, gold in enumerate(golds)
    )
    assert 0 < wrong < len(graph.configurations) * len(golds)


def test_e9_without_a_label_term_the_cost_is_wrong() -> None:
    for name in ("arc-eager", "arc-standard", "arc-hybrid", "easy-first", "nonmonotonic"):
        chosen = system(name, ["right", "wrong"])
        c = chosen.initial(1)
        while all("wrong" not in transition for transition in chosen.legal(c)):
            chosen.apply(c, "SHIFT")
        labelled, unlabelled = chosen.costs(c, [0], ["right"]), chosen.costs(c, [0])
        for transition in labelled:
            assert unlabelled[transition] == 0
            assert labelled[transition] == (1 if "wrong" in transition else 0)


def test_arc_standard_is_not_arc_decomposable() -> None:
    """Two arcs in reach one by one, [0 → 1] and [0 → 2] from the stack 0 1 2: no way to have both."""
    chosen = system("arc-standard")
    c = chosen.initial(2)
    for _ in range(3):
        chosen.apply(c, "SHIFT")
    assert c.stack == [0, 1, 2]
    assert chosen.costs(c, [0, 0]) == {"LEFT": 0, "RIGHT": 0}  # the loss, 1, is paid already
    before = chosen.initial(2)
    chosen.apply(before, "SHIFT")
    chosen.apply(before, "SHIFT")
    assert chosen.costs(before, [0, 0]) == {"SHIFT": 1, "RIGHT": 0}
