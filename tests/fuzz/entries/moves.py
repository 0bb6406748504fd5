"""The research API: any system with any options, driven by the bytes of an input through legal and illegal transitions.

The first bytes choose the system, its labels and the length. Then come the transitions that build a gold tree, then the
heads of any other tree, then the transitions that are tried, a byte each.
"""

import random
from collections.abc import Iterator

from samples.variants import VARIANTS

from dodona import Configuration, System, TransitionError, TreeError
from dodona.data.trees import check_tree
from dodona.research.system import GoldTree

LONGEST = 10  # words
LABELS = (None, ("a",), ("a", "root"), ("x", "a:b", "root"))
WRONG = (
    "",
    "SHIFT",
    "LEFT",
    "RIGHT:",
    "LEFT:nothing",
    "REDUCE",
    "SWAP:a",
    "NOARC",
    "LEFT:0",
    "LEFT:99:a",
    "shift",
    "é\0",
)


def seeds() -> list[bytes]:
    """One for each system with each of its options."""
    chance = random.Random(1)
    return [bytes([number, *chance.randbytes(80)]) for number in range(len(VARIANTS))]


def mutate(seeds: list[bytes], chance: random.Random) -> bytes:
    """Another system, another tree and another way to go."""
    return bytes([chance.randrange(len(VARIANTS)), *chance.randbytes(chance.randrange(150))])


def target(data: bytes) -> None:
    choices = iter(data)
    variant = VARIANTS[next(choices, 0) % len(VARIANTS)]
    system = variant.make(LABELS[next(choices, 0) % len(LABELS)])
    n = next(choices, 3) % (LONGEST + 1)
    heads, labels = _tree(system, _walked(system, n, choices))
    gold = system.gold(heads, [str(label) for label in labels] if system.labels else None)
    other = _any_tree(system, [next(choices, 0) % (n + 1) for _ in range(n)])
    c = system.initial(n)
    for _ in range(_most_steps(n)):
        legal = system.legal(c)
        if not legal:
            break
        _check_oracle(system, c, gold, other, legal)
        step = next(choices, 0)
        if step % 8 == 7:
            _try_wrong(system, c, WRONG[step // 8 % len(WRONG)], legal)
        system.apply(c, legal[step // 8 % len(legal)])
    _tree(system, c)
    _check_static(system, gold, heads, labels)


def _most_steps(n: int) -> int:
    """No system takes more transitions than this: each pair of words meets, and is swapped, once."""
    return 3 * (n + 2) ** 2


def _walked(system: System, n: int, choices: Iterator[int]) -> Configuration:
    c = system.initial(n)
    for _ in range(_most_steps(n)):
        legal = system.legal(c)
        if not legal:
            break
        system.apply(c, legal[next(choices, 0) % len(legal)])
    return c


def _tree(system: System, c: Configuration) -> tuple[list[int], list[str | None]]:
    """The tree of a terminal configuration, checked."""
    assert system.is_terminal(c), f"the derivation does not end: {c}"
    heads, labels = system.tree(c)
    try:
        check_tree(heads)
    except TreeError as error:
        raise AssertionError(f"no tree: {error}") from error
    assert len(heads) == len(labels) == len(c)
    assert not system.options["single_root"] or not heads or heads.count(0) == 1, heads
    assert not system.labels or None not in labels, labels
    return heads, labels


def _any_tree(system: System, heads: list[int]) -> GoldTree | None:
    """A tree that the system may not be able to build, for which costs are approximate; None if it is no tree."""
    try:
        return system.gold(heads, approximate=True)
    except TreeError:
        return None


def _check_oracle(system: System, c: Configuration, gold: GoldTree, other: GoldTree | None, legal: list[str]) -> None:
    before = c.key
    if "dynamic" in system.entry.oracles:
        costs = system.costs(c, gold)
        assert list(costs) == legal, "costs of other transitions than the legal ones"
        assert min(costs.values()) == 0, f"no transition of zero cost: {costs}"
        if other is not None:
            assert list(system.costs(c, other)) == legal
    for oracle in system.entry.set_oracles:
        assert set(system.correct(c, gold, oracle=oracle)) <= set(legal)
    assert c.key == before, "an oracle has changed the configuration"


def _try_wrong(system: System, c: Configuration, name: str, legal: list[str]) -> None:
    """A transition that is not legal is refused, and changes nothing."""
    if name in legal:
        return
    before = c.key
    try:
        system.apply(c, name)
    except TransitionError:
        assert c.key == before
        return
    raise AssertionError(f"{name!r} was taken, and legal were {legal}")


def _check_static(system: System, gold: GoldTree, heads: list[int], labels: list[str | None]) -> None:
    """Each static oracle leads to the gold tree."""
    for oracle in system.entry.static_oracles:
        c = system.initial(len(heads))
        for name in system.static(gold, oracle=oracle, budget=10_000):
            system.apply(c, name)
        assert _tree(system, c) == (heads, labels), f"{oracle} leads to another tree"
