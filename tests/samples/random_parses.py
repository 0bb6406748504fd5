"""Random sentences, random ways through a transition system, and the trees they end with."""

import random
from collections.abc import Iterator
from typing import Any

from dodona import Sentence
from dodona.systems.registry import BuiltSystem, build
from dodona.transitions import derivations
from dodona.transitions.moves import NONE
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem

LABELS = ("a", "b", "root")
FORMS = ("a", "oak", "oaks", "Dodona", "δωδώνη", "Zeus", "rustling", "e", "42", "\U00010083x")
TAGS = ("NOUN", "VERB", "ADP", "_")
FEATURES = ("_", "Case=Nom", "Case=Acc|Number=Sing")


OPTIONS: dict[str, list[dict[str, Any]]] = {
    "arc-eager": [{"root": "last"}, {"root": "first", "single_root": True}, {"root": "attach"}],
    "arc-standard": [{}, {"single_root": True}],
    "arc-hybrid": [{}, {"single_root": True}],
    "easy-first": [{}, {"single_root": True}],
    "nonmonotonic": [{"single_root": True}, {"reduce_label": "remembered"}, {"moves": "left"}],
    "covington": [{}, {"single_root": True}],
    "swap-standard": [{}, {"single_root": True}],
}
"""Some options for each system, chosen so that each value comes with some system."""


def built(name: str, labels: tuple[str, ...] = LABELS, **options: object) -> BuiltSystem:
    return build(name, labels, options)


def random_sentence(chance: random.Random, n: int) -> Sentence:
    """Few different words, so that features come again."""
    return Sentence.from_words(
        chance.choices(FORMS, k=n),
        chance.choices(TAGS, k=n),
        xpos=chance.choices(("x", "y"), k=n),
        feats=chance.choices(FEATURES, k=n),
    )


def random_walk(core: TransitionSystem, n: int, chance: random.Random) -> Iterator[State]:
    """All configurations of a random derivation, the same state each time. Moves first, so that labels have no say."""
    s = derivations.start(core, n)
    yield s
    while not core.is_terminal(s):
        site, move = chance.choice(
            [(site, move) for site in derivations.sites(core, s) for move in derivations.legal_moves(core, s, site)]
        )
        core.apply(s, move, site, chance.randrange(core.labels))
        yield s


def random_tree(core: TransitionSystem, n: int, chance: random.Random) -> tuple[list[int], list[int]]:
    """Heads and labels of a tree that the system can build; headless words are attached to ROOT."""
    *_, end = random_walk(core, n, chance)
    heads = [max(0, h) for h in end.head[1 : n + 1]]
    return heads, list(end.label[1 : n + 1])


def random_part(tree: tuple[list[int], list[int]], chance: random.Random) -> tuple[list[int], list[int]]:
    """The tree with some heads and some labels forgotten."""
    heads = [NONE if chance.random() < 0.3 else h for h in tree[0]]
    return heads, [NONE if h == NONE or chance.random() < 0.2 else l for h, l in zip(heads, tree[1], strict=True)]
