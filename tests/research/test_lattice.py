"""Lattices against derivations that are enumerated one by one, closed formulas, and the figures of the paper."""

from collections import Counter
from math import prod

import pytest
from reference.derivations import complete, derivations
from samples.variants import VARIANTS, Variant

from dodona import Configuration, OptionError, TreeError, system
from dodona.research.lattice import Derivations, Lattice, TooMany, lattice_oracles
from dodona.research.verification import Tree, all_trees
from dodona.systems.registry import SYSTEMS

FIGURE_2 = (2, 0, 2)  # John likes Mary
FIGURE_3 = (2, 0, 2, 1, 4)  # Ausgelöst wurde sie durch Intel
SAMPLED = {0: 1, 1: 1, 2: 1, 3: 3, 4: 29, 5: 401}  # every how many trees of that length


def sampled(variant: Variant, n: int) -> list[Tree]:
    step = SAMPLED[n] * (4 if variant.name == "nonmonotonic" else 1)  # it has the most legal derivations
    return variant.trees(n)[::step]


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_counts_are_those_of_all_legal_derivations_that_end_in_the_tree(variant: Variant) -> None:
    made = variant.make()
    for n in range(6):
        for tree in sampled(variant, n):
            expected = complete(made, tree)
            ways = Derivations(made, tree)
            counts = ways.count()
            assert (counts.shortest, counts.longest) == (min(expected), max(expected)), tree
            assert counts.derivations == expected.total(), tree
            lattice = ways.lattice()
            assert lattice.by_length() == dict(sorted(expected.items())), tree
            assert (len(lattice.nodes), len(lattice.edges)) == (counts.configurations, counts.transitions)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_oracle_against_its_paths(name: str) -> None:
    made = system(name)
    for oracle in lattice_oracles(made):
        for tree in (t for t in all_trees(4)[::47] if not SYSTEMS[name].projective or made_for(name, t)):
            ways = Derivations(made, tree, oracle=oracle)
            paths = list(derivations(made, ways.start(), ways.list_allowed))
            assert ways.count().derivations == len(paths)
            seen = {c.key for path in paths for c in configurations(ways, path)}
            lattice = ways.lattice()
            assert {node.configuration.key for node in lattice.nodes} == seen
            assert len(lattice.nodes) == len(seen)
            for node in lattice.nodes:
                through = sum(node.configuration.key in {c.key for c in configurations(ways, path)} for path in paths)
                assert node.derivations == through


def made_for(name: str, tree: Tree) -> bool:
    try:
        system(name).gold(tree)
    except TreeError:
        return False
    return True


def configurations(ways: Derivations, path: list[str]) -> list[Configuration]:
    found = [ways.start()]
    for transition in path:
        found.append(ways.after(found[-1], transition))
    return found


def test_oracles_that_allow_several_transitions() -> None:
    assert {name: lattice_oracles(system(name)) for name in SYSTEMS} == {
        "arc-eager": ("dynamic",),
        "arc-standard": ("dynamic",),
        "arc-hybrid": ("dynamic",),
        "easy-first": ("dynamic",),
        "nonmonotonic": ("dynamic", "joint"),
        "covington": ("dynamic",),
        "swap-standard": ("nd-all", "nd-sw"),
    }


def test_figure_2_has_two_derivations_with_nine_transitions() -> None:
    """The figure has the labels SH four times, LA twice and RA three times."""
    lattice = Derivations(system("swap-standard"), FIGURE_2).lattice()
    assert lattice.by_length() == {6: 2}
    assert Counter(edge.transition for edge in lattice.edges) == {"SHIFT": 4, "LEFT": 2, "RIGHT": 3}
    fork = next(i for i, node in enumerate(lattice.nodes) if node.configuration.stack == [0, 1, 2])
    assert sorted(edge.transition for edge in lattice.edges if edge.source == fork) == ["LEFT", "SHIFT"]


def test_figure_4_begins_with_the_ambiguity_that_its_box_shows() -> None:
    """After three SHIFTs, RIGHT may wait, at the price of more SWAPs."""
    ways = Derivations(system("swap-standard"), FIGURE_3)
    lattice = ways.lattice()
    forks = [node for i, node in enumerate(lattice.nodes) if sum(edge.source == i for edge in lattice.edges) > 1]
    assert forks[0].configuration.stack == [0, 1, 2, 3]
    assert sorted(ways.list_allowed(forks[0].configuration)) == ["RIGHT", "SHIFT"]
    assert lattice.by_length() == {12: 1, 14: 3, 16: 3, 18: 2}
    assert lattice.lengths == {"eager": 14, "lazy": 12, "minimal": 12}


def by_formula(heads: list[int]) -> int:
    """Covington: once j has its links, SHIFT may come at once or after any number of words to the left of them."""
    words = range(1, len(heads) + 1)
    links = {frozenset((d, heads[d - 1])) for d in words if heads[d - 1]}
    return prod(min((i for i in range(1, j) if {i, j} in links), default=j) for j in words)


@pytest.mark.parametrize("heads", [[2, 0, 2, 1, 4], [0] * 30, [*range(2, 60), 0], [0, *[1] * 40], [25, *[1] * 23, 0]])
def test_large_numbers_are_exact(heads: list[int]) -> None:
    counts = Derivations(system("covington"), heads).count()
    assert counts.derivations == by_formula(heads)


def test_more_than_a_machine_word() -> None:
    counts = Derivations(system("covington"), [0] * 30).count()
    assert counts.derivations == 265252859812191058636308480000000  # 30!
    assert (counts.configurations, counts.shortest, counts.longest) == (466, 30, 465)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_layers_and_static_derivations(variant: Variant) -> None:
    made = variant.make()
    for tree in variant.trees(4)[::29]:
        lattice = Derivations(made, tree).lattice()
        for target, node in enumerate(lattice.nodes):
            above = [lattice.nodes[edge.source].layer for edge in lattice.edges if edge.target == target]
            assert node.layer == max(above, default=-1) + 1
        assert list(lattice.lengths) == list(made.entry.static_oracles)
        for oracle, length in lattice.lengths.items():
            derivation = made.static(tree, oracle=oracle)
            assert length == len(derivation)
            assert followed(lattice, oracle) == derivation


def followed(lattice: Lattice, oracle: str) -> list[str]:
    """The transitions on the marked path from the start to the end."""
    at, found = 0, []
    while not lattice.nodes[at].is_end:
        (edge,) = [edge for edge in lattice.edges if edge.source == at and oracle in edge.static]
        found.append(edge.transition)
        at = edge.target
    return found


def test_labels_and_what_is_remembered() -> None:
    labels = ["nsubj", "root", "obj"]
    for name, options in (("arc-eager", {}), ("nonmonotonic", {"reduce_label": "remembered"})):
        labelled = Derivations(system(name, ["nsubj", "obj", "root"], **options), [2, 0, 2], labels).lattice()
        plain = Derivations(system(name, **options), [2, 0, 2]).lattice()
        assert labelled.by_length() == plain.by_length()
        assert all(node.configuration.labels == labels for node in labelled.nodes if node.is_end)
    either = Derivations(system("arc-eager", ["a", "b"]), [2, 0, 2]).lattice()
    assert sum(node.is_end for node in either.nodes) == 2**3
    assert either.by_length() == {6: 2**3}


def test_a_static_oracle_that_gives_up_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    made = system("swap-standard")
    assert not Derivations(made, FIGURE_3).lattice().gave_up
    static = made.static

    def given_up(*arguments: object, oracle: str) -> list[str]:
        made.fallbacks += oracle == "minimal"
        return static(FIGURE_3, oracle="lazy" if oracle == "minimal" else oracle)

    monkeypatch.setattr(made, "static", given_up)
    assert Derivations(made, FIGURE_3).lattice().gave_up


def test_bounds_and_errors() -> None:
    ways = Derivations(system("swap-standard"), FIGURE_2)
    assert ways.count(9).configurations == len(ways.lattice(9).nodes) == 9
    with pytest.raises(TooMany, match="more than 8 configurations"):
        ways.count(8)
    with pytest.raises(TooMany, match="more than 8 configurations"):
        ways.lattice(8)
    with pytest.raises(OptionError, match="no non-deterministic oracle 'nd-all'; it has: dynamic"):
        Derivations(system("arc-eager"), FIGURE_2, oracle="nd-all")
    with pytest.raises(TreeError, match="not projective"):
        Derivations(system("arc-eager"), FIGURE_3)
