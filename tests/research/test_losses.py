"""The arcs that a transition loses, against exhaustive search: an arc is reachable if some way to go on builds it."""

import pytest
from samples.variants import DYNAMIC, Variant

from dodona import system
from dodona.research.derivation import certainly_lost, lost_arcs
from dodona.research.verification import ConfigurationGraph, explore

Arcs = set[tuple[int, int | None, str | None]]


def reachable(graph: ConfigurationGraph) -> list[Arcs]:
    """For each configuration all arcs (dependent, head, label) of the parses that it can lead to."""
    found: list[Arcs] = [set() for _ in graph.configurations]
    for i in range(len(found) - 1, -1, -1):
        c = graph.configurations[i]
        if not graph.successors[i]:
            found[i] = set(zip(range(1, len(c) + 1), c.heads, c.labels, strict=True))
        for j in graph.successors[i].values():
            found[i] |= found[j]
    return found


@pytest.mark.parametrize("variant", DYNAMIC, ids=str)
def test_an_arc_is_lost_when_nothing_leads_to_it_any_more(variant: Variant) -> None:
    made = variant.make()
    graph = explore(made, 3)
    arcs = reachable(graph)
    for tree in variant.trees(3):
        gold = made.gold(tree)
        for i, c in enumerate(graph.configurations):
            lost = lost_arcs(made, c, gold)
            for (transition, _), j in graph.successors[i].items():
                expected = [d for d, h in enumerate(tree, start=1) if (d, h, None) in arcs[i] - arcs[j]]
                assert lost[transition] == expected, (c, tree, transition)


def test_labels_belong_to_arcs() -> None:
    made = system("arc-hybrid", ["det", "obj", "root"])
    gold = made.gold([2, 0], ["det", "root"])
    c = made.initial(2)
    for transition in ("SHIFT", "SHIFT"):
        made.apply(c, transition)
    lost = lost_arcs(made, c, gold)
    assert lost["LEFT:det"] == []
    assert lost["LEFT:obj"] == [1]
    assert lost["RIGHT:root"] == [1]
    assert lost_arcs(made, c, gold, words=[2])["LEFT:obj"] == []


def test_what_can_be_seen_without_an_oracle() -> None:
    made = system("swap-standard", ["a", "b"])
    c = made.initial(3)
    heads, labels = [2, 0, 1], ["a", "a", "a"]
    assert certainly_lost(c, heads, labels) == []
    for transition in ("SHIFT", "SHIFT", "LEFT:b"):
        made.apply(c, transition)
    assert certainly_lost(c, heads) == [3], "word 1 has its head, and can have no dependents any more"
    assert certainly_lost(c, heads, labels) == [1, 3]
