"""The figures of Björkelund and Nivre (2015), and their oracles against exhaustive search in projective order."""

from functools import cache

import pytest

from dodona import Configuration, OptionError, System, system
from dodona.research.verification import Tree, all_trees, follow, steps
from dodona.systems.swap_standard import SwapStandard

FIGURE_1 = (2, 0, 6, 5, 2, 5)  # That 's what they 're after
FIGURE_2 = (2, 0, 2)  # John likes Mary
FIGURE_3 = (2, 0, 2, 1, 4)  # Ausgelöst wurde sie durch Intel
FIGURE_4_DERIVATIONS = 9


def projective_order(heads: Tree) -> dict[int, int]:
    """The place of every node in an inorder traversal, by its definition."""

    def traverse(h: int) -> list[int]:
        dependents = [d for d, head in enumerate(heads, start=1) if head == h]
        left = [k for d in dependents if d < h for k in traverse(d)]
        return [*left, h, *(k for d in dependents if d > h for k in traverse(d))]

    return {k: place for place, k in enumerate(traverse(0))}


class Lattice:
    """All ways to derive a tree that swap two words only towards the projective order, by exhaustive search."""

    def __init__(self, heads: Tree) -> None:
        self.system: System = system("swap-standard")
        self.heads = heads
        self.order = projective_order(heads)
        self._best: dict[tuple[object, ...], int | None] = {}
        self._count: dict[tuple[object, ...], int] = {}

    def following(self, c: Configuration) -> dict[str, Configuration]:
        found = {}
        for step in steps(self.system, c):
            if step[0] != "SWAP" or self.order[c.stack[-1]] < self.order[c.stack[-2]]:
                found[step[0]] = follow(self.system, c, step)
        return found

    def fewest_swaps(self, c: Configuration) -> int | None:
        """None if the tree is out of reach."""
        if c.key not in self._best:
            if self.system.is_terminal(c):
                self._best[c.key] = 0 if tuple(c.heads) == self.heads else None
            else:
                found = [
                    swaps + (transition == "SWAP")
                    for transition, d in self.following(c).items()
                    if (swaps := self.fewest_swaps(d)) is not None
                ]
                self._best[c.key] = min(found, default=None)
        return self._best[c.key]

    def correct(self, c: Configuration) -> list[str]:
        return [t for t, d in self.following(c).items() if self.fewest_swaps(d) is not None]

    def derivations(self, c: Configuration) -> int:
        if c.key not in self._count:
            if self.system.is_terminal(c):
                self._count[c.key] = tuple(c.heads) == self.heads
            else:
                self._count[c.key] = sum(self.derivations(d) for d in self.following(c).values())
        return self._count[c.key]

    def in_reach(self) -> list[Configuration]:
        """Every configuration, not terminal, that some derivation of the tree goes through."""
        found: dict[tuple[object, ...], Configuration] = {}
        todo = [self.system.initial(len(self.heads))]
        while todo:
            c = todo.pop()
            if c.key not in found and not self.system.is_terminal(c) and self.fewest_swaps(c) is not None:
                found[c.key] = c
                todo += self.following(c).values()
        return list(found.values())


def swaps(tree: Tree, oracle: str) -> int:
    return system("swap-standard").static(tree, oracle=oracle).count("SWAP")


@cache
def total_swaps(n: int, oracle: str) -> int:
    return sum(swaps(tree, oracle) for tree in all_trees(n))


@pytest.mark.parametrize("n", [1, 2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_nd_all_is_everything_that_respects_the_projective_order(n: int) -> None:
    for tree in all_trees(n):
        lattice = Lattice(tree)
        for c in lattice.in_reach():
            assert sorted(lattice.system.correct(c, tree)) == sorted(lattice.correct(c))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_nd_sw_leaves_only_the_choice_between_shift_and_swap(n: int) -> None:
    for tree in all_trees(n):
        lattice = Lattice(tree)
        for c in lattice.in_reach():
            true = lattice.correct(c)
            arcs = [t for t in true if t in ("LEFT", "RIGHT")]
            assert sorted(lattice.system.correct(c, tree, oracle="nd-sw")) == sorted(arcs or true)


@pytest.mark.parametrize("n", [1, 2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_minimal_is_the_true_minimum(n: int) -> None:
    for tree in all_trees(n):
        lattice = Lattice(tree)
        assert swaps(tree, "minimal") == lattice.fewest_swaps(lattice.system.initial(n))


@pytest.mark.parametrize("n", [1, 2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_a_unique_derivation_is_the_only_one(n: int) -> None:
    core = SwapStandard(1)
    for tree in all_trees(n):
        lattice = Lattice(tree)
        assert core.is_unique(lattice.system.gold(tree).core) == (lattice.derivations(lattice.system.initial(n)) == 1)


def test_out_of_reach_there_is_no_correct_transition() -> None:
    chosen = system("swap-standard")
    c = chosen.initial(2)
    for transition in ["SHIFT", "SHIFT", "RIGHT"]:
        chosen.apply(c, transition)
    assert chosen.correct(c, [2, 0]) == []


def test_a_wrong_label_puts_the_tree_out_of_reach() -> None:
    chosen = system("swap-standard", ["a", "b"])
    c = chosen.initial(2)
    for transition in ["SHIFT", "SHIFT", "LEFT:a"]:
        chosen.apply(c, transition)
    assert chosen.correct(c, [2, 0], ["a", "a"]) == ["RIGHT:a"]
    assert chosen.correct(c, [2, 0], ["b", "a"]) == []
    assert chosen.correct(c, [2, 0]) == ["RIGHT:a", "RIGHT:b"]


@pytest.mark.slow
def test_swap_totals() -> None:
    """Over all trees with six words."""
    assert [total_swaps(6, oracle) for oracle in ("eager", "lazy", "minimal")] == [41_350, 36_860, 34_767]


def test_each_oracle_swaps_no_more_than_the_one_before() -> None:
    for tree in all_trees(5):
        assert swaps(tree, "eager") >= swaps(tree, "lazy") >= swaps(tree, "minimal")


def test_first_trees_that_tell_the_oracles_apart() -> None:
    assert [swaps((2, 0, 1, 3), oracle) for oracle in ("eager", "lazy")] == [2, 1]
    assert [swaps((2, 0, 1, 1, 3), oracle) for oracle in ("lazy", "minimal")] == [4, 3]


def test_figure_1() -> None:
    order = projective_order(FIGURE_1)
    assert sorted(order, key=order.__getitem__) == [0, 1, 2, 4, 5, 3, 6]
    eager = system("swap-standard").static(FIGURE_1, oracle="eager")
    lazy = system("swap-standard").static(FIGURE_1, oracle="lazy")
    assert (eager.count("SWAP"), lazy.count("SWAP")) == (2, 1)
    # eager swaps as soon as `they` is on the stack; lazy first shifts 're and attaches `they` to it
    assert eager[:7] == ["SHIFT", "SHIFT", "LEFT", "SHIFT", "SHIFT", "SWAP", "SHIFT"]
    assert lazy[:7] == ["SHIFT", "SHIFT", "LEFT", "SHIFT", "SHIFT", "SHIFT", "LEFT"]


def lazy_as_printed(tree: Tree) -> int:
    """E8: SWAP unless s0 and s1 are in the same maximal projective component. The number of swaps."""
    chosen = system("swap-standard")
    order = projective_order(tree)

    def can_link(c: Configuration) -> str | None:
        if len(c.stack) < 2:
            return None
        s1, s0 = c.stack[-2:]
        for move, head, dependent in (("LEFT", s0, s1), ("RIGHT", s1, s0)):
            whole = all(c.heads[d - 1] == dependent for d, h in enumerate(tree, start=1) if h == dependent)
            if dependent and tree[dependent - 1] == head and whole:
                return move
        return None

    c = chosen.initial(len(tree))
    while (move := can_link(c) or ("SHIFT" if c.buffer else None)) is not None:
        chosen.apply(c, move)

    def component(k: int) -> int:
        while k and (h := c.heads[k - 1]) is not None:
            k = h
        return k

    parts = {k: component(k) for k in range(len(tree) + 1)}
    count = 0
    c = chosen.initial(len(tree))
    while not chosen.is_terminal(c):
        move = can_link(c)
        if move is None:
            s1, s0 = c.stack[-2:] if len(c.stack) > 1 else (0, 0)
            move = "SWAP" if s1 and order[s0] < order[s1] and parts[s0] != parts[s1] else "SHIFT"
        count += move == "SWAP"
        chosen.apply(c, move)
    return count


def test_e8_lazy_as_printed_is_eager() -> None:
    assert lazy_as_printed(FIGURE_1) == 2
    for tree in all_trees(4):
        assert lazy_as_printed(tree) == swaps(tree, "eager")
    assert total_swaps(4, "lazy") < total_swaps(4, "eager")


def test_derivations_of_figures_2_and_4_counted_by_search() -> None:
    def count(tree: Tree, oracle: str) -> int:
        """The derivations an oracle allows, following its sets."""
        chosen = system("swap-standard")

        def paths(c: Configuration) -> int:
            if chosen.is_terminal(c):
                return 1
            return sum(paths(follow(chosen, c, (t, None))) for t in chosen.correct(c, tree, oracle=oracle))

        return paths(chosen.initial(len(tree)))

    for tree, derivations in ((FIGURE_2, 2), (FIGURE_3, FIGURE_4_DERIVATIONS)):
        lattice = Lattice(tree)
        assert lattice.derivations(lattice.system.initial(len(tree))) == derivations
        assert count(tree, "nd-all") == derivations
    assert count(FIGURE_2, "nd-sw") == 1
    assert 1 < count(FIGURE_3, "nd-sw") < FIGURE_4_DERIVATIONS


def test_figure_3_has_the_shift_right_ambiguity() -> None:
    order = projective_order(FIGURE_3)
    assert sorted(order, key=order.__getitem__) == [0, 1, 4, 5, 2, 3]
    chosen = system("swap-standard")
    c = chosen.initial(5)
    for _ in range(3):
        chosen.apply(c, "SHIFT")
    assert chosen.correct(c, FIGURE_3) == ["SHIFT", "RIGHT"]
    assert chosen.correct(c, FIGURE_3, oracle="nd-sw") == ["RIGHT"]


def test_minimal_falls_back_to_lazy_when_its_budget_runs_out() -> None:
    tree = (2, 0, 1, 1, 3)
    chosen = system("swap-standard")
    assert chosen.static(tree, oracle="minimal", budget=3) == chosen.static(tree, oracle="lazy")
    assert chosen.fallbacks == 1
    assert chosen.static(tree, oracle="minimal").count("SWAP") == 3
    assert chosen.fallbacks == 1


def test_swap_standard_has_no_dynamic_cost() -> None:
    chosen = system("swap-standard")
    with pytest.raises(OptionError, match="eager, lazy, minimal, nd-sw, nd-all"):
        chosen.costs(chosen.initial(1), [0])
