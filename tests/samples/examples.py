"""Sentences as numbers for a network: any words, for random trees."""

import random
from array import array

import numpy as np
from samples.random_parses import random_tree

from dodona.neural.batching import Example, Tables
from dodona.systems.registry import BuiltSystem
from dodona.transitions import derivations

FORMS, TAGS, KINDS = 9, 4, (4, 2)
TABLES = Tables(
    forms=np.random.default_rng(1).integers(0, 12, (FORMS, 5)).astype(np.int32),
    frequency=np.arange(FORMS, dtype=np.int32),
    tags=np.random.default_rng(2).integers(0, 6, (TAGS, 2)).astype(np.int32),
)


def example(tree: tuple[list[int], list[int]], chance: random.Random) -> Example:
    """Any words for a tree."""
    n = len(tree[0])
    return Example(
        np.array(chance.choices(range(FORMS), k=n), np.int32),
        np.array(chance.choices(range(TAGS), k=n), np.int32),
        np.array([chance.choices(range(-1, count), k=n) for count in KINDS], np.int32).reshape(len(KINDS), n),
        derivations.gold_tree(*tree),
        array("i"),
    )


def examples_of(system: BuiltSystem, *lengths: int) -> list[Example]:
    chance = random.Random(1)
    return [example(random_tree(system.core, n, chance), chance) for n in lengths]
