"""What a state keeps beside its arcs, against the arcs: arities, outermost dependents, siblings, sets of labels."""

import random

import pytest

from dodona.transitions.derivations import copy
from dodona.transitions.moves import BUFFER, GONE, NONE, STACK
from dodona.transitions.state import State

LABELS = 40  # more than a set has bits
ROWS = ("head", "label", "left_arity", "right_arity", "leftmost", "rightmost", "left_set", "right_set", "place")


def side_of(s: State, h: int, left: bool) -> list[int]:
    """The dependents of h on one side, outermost first, by the heads alone."""
    found = [d for d in range(1, s.n + 1) if s.head[d] == h and (d < h) == left]
    return found if left else found[::-1]


def chain(s: State, k: int) -> list[int]:
    """From an outermost dependent inwards."""
    found = []
    while k <= s.n:
        found.append(k)
        k = s.inner[k]
    return found


def check(s: State) -> None:
    for h in range(s.n + 1):
        left, right = side_of(s, h, True), side_of(s, h, False)
        assert (chain(s, s.leftmost[h]), chain(s, s.rightmost[h])) == (left, right)
        assert (s.left_arity[h], s.right_arity[h], s.arity(h)) == (len(left), len(right), len(left) + len(right))
        for side, bits in ((left, s.left_set[h]), (right, s.right_set[h])):
            assert bits == sum(1 << bit for bit in {(s.label[d] + 1) % 31 for d in side})
    assert s.arcs == sum(s.head[d] != NONE for d in range(1, s.n + 1))


def filled(s: State, n: int, chance: random.Random) -> None:
    """Arcs in any order, as covington adds them; the one that came last to its side may be taken back."""
    s.reset(n)
    for d in chance.sample(range(1, n + 1), n):
        h = chance.choice([k for k in range(n + 1) if k != d])
        outermost = all(abs(k - h) < abs(d - h) for k in side_of(s, h, d < h))
        s.add_arc(h, d, chance.randrange(-1, LABELS))
        check(s)
        if outermost and chance.random() < 0.5:
            s.remove_arc(d)
            assert (s.head[d], s.label[d]) == (NONE, NONE)
            check(s)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_kept_is_what_the_arcs_say(seed: int) -> None:
    chance = random.Random(seed)
    s = State(12)
    for n in (12, 5, 12):
        filled(s, n, chance)


@pytest.mark.parametrize("n", [0, 1, 7])
def test_reset_leaves_nothing_of_the_sentence_before(n: int) -> None:
    used, fresh = State(12), State(12)
    filled(used, 12, random.Random(1))
    for k in range(1, 13):
        used.enqueue(k)
    used.shift()
    used.shift()
    used.pop()
    used.reset(n)
    fresh.reset(n)
    for row in ROWS:
        assert list(getattr(used, row)[: n + 2]) == list(getattr(fresh, row)[: n + 2]), row
    assert (used.n, used.depth, used.front, used.end, used.arcs) == (n, 0, 0, 0, 0)


def test_a_copy_is_equal_and_stands_alone() -> None:
    s = State(20)
    filled(s, 9, random.Random(2))
    twin = copy(s)
    for row in ROWS:
        assert list(getattr(twin, row)[:11]) == list(getattr(s, row)[:11]), row
    s.reset(3)
    check(twin)


def test_places_and_ends_of_stack_and_buffer() -> None:
    s = State(3)
    s.reset(3)
    nobody = 4
    assert (s.s0(), s.s1(), s.b0()) == (nobody, nobody, nobody)
    for k in (1, 2, 3):
        s.enqueue(k)
    s.shift()
    assert (s.s0(), s.s1(), s.b0()) == (1, nobody, 2)
    s.shift()
    assert (s.s0(), s.s1(), s.b0()) == (2, 1, 3)
    s.pop()
    assert [s.place[k] for k in (1, 2, 3, nobody)] == [STACK, GONE, BUFFER, GONE]
