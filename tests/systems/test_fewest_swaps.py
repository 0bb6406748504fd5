"""MINIMAL on longer sentences, against a search that knows no bounds and forgets nothing."""

import random
from functools import cache

from dodona import system
from dodona.research.verification import Tree

# reached twice with the same words on stack and buffer, first with more swaps: what is remembered must not hide that
REACHED_TWICE = (0, 1, 8, 1, 3, 9, 2, 2, 3)


def projective_order(heads: Tree) -> list[int]:
    """The place of every node in an inorder traversal."""

    def traverse(h: int) -> list[int]:
        dependents = [d for d, head in enumerate(heads, start=1) if head == h]
        left = [k for d in dependents if d < h for k in traverse(d)]
        return [*left, h, *(k for d in dependents if d > h for k in traverse(d))]

    nodes = traverse(0)
    return sorted(range(len(nodes)), key=nodes.__getitem__)


def fewest_swaps(heads: Tree) -> int:
    """The least number over all derivations that take an arc as soon as they can and swap towards projective order."""
    order = projective_order(heads)
    never = len(heads) ** 2

    def is_whole(k: int, present: set[int]) -> bool:
        return not any(h == k and d in present for d, h in enumerate(heads, start=1))

    @cache
    def search(stack: tuple[int, ...], buffer: tuple[int, ...]) -> int:
        if stack == (0,) and not buffer:
            return 0
        present = {*stack, *buffer}
        found = never
        if len(stack) > 1:
            *_, s1, s0 = stack
            if s1 and heads[s1 - 1] == s0 and is_whole(s1, present):
                return search((*stack[:-2], s0), buffer)
            if heads[s0 - 1] == s1 and is_whole(s0, present):
                return search(stack[:-1], buffer)
            if 0 < s1 < s0 and order[s0] < order[s1]:
                found = 1 + search((*stack[:-2], s0), (s1, *buffer))
        if buffer:
            found = min(found, search((*stack, buffer[0]), buffer[1:]))
        return found

    return search((0,), tuple(range(1, len(heads) + 1)))


def random_tree(n: int, chance: random.Random) -> Tree:
    """Each word hangs on one before it, in a random order of the words."""
    order = chance.sample(range(1, n + 1), n)
    heads = [0] * n
    for i, d in enumerate(order[1:], start=1):
        heads[d - 1] = chance.choice(order[:i])
    return tuple(heads)


def test_minimal_is_the_minimum_in_longer_sentences() -> None:
    chosen = system("swap-standard")
    chance = random.Random(1)
    for tree in [REACHED_TWICE, *(random_tree(chance.randint(7, 9), chance) for _ in range(300))]:
        assert chosen.static(tree, oracle="minimal").count("SWAP") == fewest_swaps(tree), tree
