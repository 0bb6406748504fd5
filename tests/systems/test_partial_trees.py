"""Costs with regard to parts of trees: what is not known costs nothing, and the rest is exact."""

from itertools import product

import numpy as np
import pytest
from samples.variants import DYNAMIC, Variant

from dodona.research.system import GoldTree
from dodona.research.verification import explore
from dodona.transitions import derivations
from dodona.transitions.moves import NONE

Part = tuple[int | None, ...]


def parts(variant: Variant, n: int) -> list[Part]:
    found = {
        tuple(h if known else None for h, known in zip(tree, mask, strict=True))
        for tree in variant.trees(n)
        for mask in product((False, True), repeat=n)
    }
    return sorted(found, key=str)


@pytest.mark.parametrize("variant", DYNAMIC, ids=str)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_cost_is_the_exhaustive_loss_difference_of_what_is_known(variant: Variant, n: int) -> None:
    system = variant.make()
    graph = explore(system, n)
    golds = parts(variant, n)
    loss = np.zeros((len(graph.configurations), len(golds)), dtype=int)
    for i in range(len(graph.configurations) - 1, -1, -1):
        following = sorted(set(graph.successors[i].values()))
        if following:
            loss[i] = loss[following].min(axis=0)
        else:
            heads = graph.configurations[i].heads
            loss[i] = [sum(g is not None and g != h for g, h in zip(gold, heads, strict=True)) for gold in golds]
    assert not loss[0].any()
    for g, gold in enumerate(golds):
        core = derivations.gold_tree([NONE if h is None else h for h in gold], [NONE] * n)
        tree = GoldTree(core, tuple(system._label_names), True)
        for i, c in enumerate(graph.configurations):
            costs = system.costs(c, tree, approximate=True) if graph.successors[i] else {}
            for (transition, _), j in graph.successors[i].items():
                assert costs[transition] == loss[j, g] - loss[i, g], (c, gold, transition)
