"""SwapStandard's oracles against every derivation there is, by a search that knows nothing of the compiled core."""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

import pytest
from reference.swapping import Derivations, Place, initial, is_terminal, moves

from dodona import system
from dodona.research.verification import Tree, all_trees
from dodona.systems.swap_standard import SwapStandard
from dodona.transitions import derivations
from dodona.transitions.moves import LEFT, NAMES, NONE, RIGHT, SHIFT, SWAP
from dodona.transitions.policy import Policy
from dodona.transitions.state import State

MOVES = {"SHIFT": SHIFT, "SWAP": SWAP, "LEFT": LEFT, "RIGHT": RIGHT}
ACTIONS = list(MOVES)  # in the order of their numbers: plain moves, then those with labels, of which there is one
CORE = SwapStandard(1)
Part = tuple[int, ...]  # heads, NONE where not known


def state_after(n: int, way: list[str]) -> State:
    s = derivations.start(CORE, n)
    for name in way:
        CORE.apply(s, MOVES[name], 0, 0)
    return s


def correct(c: State, tree: Tree) -> list[str]:
    """ND-ALL."""
    gold = derivations.gold_tree(list(tree), [0] * len(tree))
    return sorted(NAMES[move] for move in derivations.correct_moves(CORE, c, gold, True))


def test_actions_are_numbered_as_here() -> None:
    assert [NAMES[move] for move, _ in derivations.actions(CORE)] == ACTIONS


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_nd_all_is_the_truth_in_projective_order(n: int) -> None:
    """All trees, and all configurations that derivations of this kind go through."""
    for tree in all_trees(n):
        ordered = Derivations(tree, ordered=True)
        for c, way in ordered.places().items():
            assert correct(state_after(n, way), tree) == sorted(ordered.correct(c))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_what_nd_all_allows_keeps_the_tree_in_reach_of_any_derivation(n: int) -> None:
    """With five words every fifteenth tree."""
    for tree in all_trees(n)[:: 15 if n == 5 else 1]:
        free = Derivations(tree, ordered=False)
        for c, way in Derivations(tree, ordered=True).places().items():
            assert set(correct(state_after(n, way), tree)) <= set(free.correct(c))


@pytest.mark.parametrize("n", [2, 3, 4])
def test_nd_all_after_swaps_away_from_the_projective_order(n: int) -> None:
    """In all configurations from which the tree is within reach: not all may be told, but nothing wrong."""
    for tree in all_trees(n):
        free = Derivations(tree, ordered=False)
        for c, way in free.places().items():
            assert set(correct(state_after(n, way), tree)) <= set(free.correct(c))


@pytest.mark.parametrize("oracle", ["eager", "lazy", "minimal"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_static_derivations_rebuild_the_tree(oracle: str, n: int) -> None:
    """Followed move by move here; a swap always goes towards the projective order."""
    chosen = system("swap-standard")
    for tree in all_trees(n):
        ordered = Derivations(tree, ordered=True)
        c = initial(n)
        for name in chosen.static(tree, oracle=oracle):
            c = ordered.following(c)[name]
        assert is_terminal(c)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_minimal_has_the_fewest_swaps_in_projective_order(n: int) -> None:
    chosen = system("swap-standard")
    for tree in all_trees(n):
        least = Derivations(tree, ordered=True).fewest_swaps(initial(n))
        assert chosen.static(tree, oracle="minimal").count("SWAP") == least


def test_another_order_can_need_fewer_swaps_than_minimal() -> None:
    """The inorder traversal is one projective order; for a few trees words are nearer to another."""
    better = {}
    for tree in all_trees(4):
        free, ordered = (Derivations(tree, kind).fewest_swaps(initial(4)) for kind in (False, True))
        assert free <= ordered
        if free < ordered:
            better[tree] = int(free), int(ordered)
    assert better == dict.fromkeys([(0, 0, 1, 1), (2, 0, 1, 1), (3, 0, 0, 2), (4, 4, 0, 0), (4, 4, 0, 3)], (1, 2))


class Node(NamedTuple):
    """A configuration with the compiled state that shows it, what follows, and the trees within reach, as bits."""

    state: State
    following: dict[str, tuple[Place, Part]]
    trees: int


@cache
def graph(n: int, single_root: bool) -> dict[tuple[Place, Part], Node]:
    """Every configuration there is."""
    core = SwapStandard(1, single_root)
    number = {tree: i for i, tree in enumerate(all_trees(n))}
    found: dict[tuple[Place, Part], Node] = {}

    def visit(c: Place, heads: Part, s: State) -> int:
        if (c, heads) not in found:
            following, trees = {}, 0
            if is_terminal(c):
                trees = 1 << number[heads]
            else:
                assert {NAMES[m] for m in derivations.legal_moves(core, s, 0)} == {
                    m for m, _, _ in moves(c, single_root)
                }
                for name, after, arc in moves(c, single_root):
                    known = tuple(arc[0] if arc and arc[1] == d else h for d, h in enumerate(heads, start=1))
                    other = derivations.copy(s)
                    core.apply(other, MOVES[name], 0, 0)
                    trees |= visit(after, known, other)
                    following[name] = after, known
            found[c, heads] = Node(s, following, trees)
        return found[c, heads].trees

    visit(initial(n), (NONE,) * n, derivations.start(core, n))
    return found


def parts(n: int, single_root: bool) -> dict[Part, int]:
    """All parts of trees, each with the trees that it is a part of."""
    found: dict[Part, int] = {}
    for i, tree in enumerate(all_trees(n)):
        if not single_root or tree.count(0) == 1:
            for known in product((False, True), repeat=n):
                part = tuple(h if k else NONE for h, k in zip(tree, known, strict=True))
                found[part] = found.get(part, 0) | 1 << i
    return found


def allowed(policy: Policy, node: Node, part: Part) -> set[str]:
    costs = policy.list_costs(node.state, derivations.gold_tree(list(part), [NONE] * len(part)))
    assert {name for name, cost in zip(ACTIONS, costs, strict=True) if cost != NONE} == set(node.following)
    return {name for name, cost in zip(ACTIONS, costs, strict=True) if cost == 0}


def compared(n: int, single_root: bool, step: int) -> Iterator[tuple[set[str], set[str]]]:
    """What is allowed and what is right, in all configurations from which the arcs of every step-th part can be had."""
    nodes = graph(n, single_root)
    policy = Policy(SwapStandard(1, single_root), "constraints", longest=n)
    for part, trees in sorted(parts(n, single_root).items())[::step]:
        for node in nodes.values():
            if node.following and node.trees & trees:
                right = {name for name, after in node.following.items() if nodes[after].trees & trees}
                yield allowed(policy, node, part), right


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_what_keeps_given_arcs_is_told_exactly(n: int, single_root: bool) -> None:
    """All parts of all trees, in every configuration, however it was reached."""
    for found, right in compared(n, single_root, 1):
        assert found == right


@pytest.mark.slow
@pytest.mark.parametrize(("single_root", "total", "refused"), [(False, 74_335, 9), (True, 49_578, 7)])
def test_with_five_words_few_right_actions_are_refused(single_root: bool, total: int, refused: int) -> None:
    """Every hundredth part. Nothing wrong is allowed, and the number of what is refused may only fall."""
    pairs = list(compared(5, single_root, 100))
    assert all(found <= right for found, right in pairs)
    assert sum(len(right) for _, right in pairs) == total
    assert sum(len(right - found) for found, right in pairs) == refused


@pytest.mark.parametrize("single_root", [False, True])
def test_there_is_a_way_to_the_given_arcs(single_root: bool) -> None:
    """From the start on, whichever of the transitions that cost nothing is taken, until the end, which has the arcs."""
    nodes = graph(5, single_root)
    policy = Policy(SwapStandard(1, single_root), "constraints", longest=5)
    for part, trees in sorted(parts(5, single_root).items())[7::100]:
        todo: list[tuple[Place, Part]] = [(initial(5), (NONE,) * 5)]
        met = set()
        while todo:
            place = todo.pop()
            if place not in met:
                met.add(place)
                node = nodes[place]
                following = [node.following[name] for name in allowed(policy, node, part)] if node.following else []
                assert following or (not node.following and node.trees & trees)
                todo += following
