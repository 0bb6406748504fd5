"""Every system with every combination of its options, as the exhaustive tests run over them."""

from itertools import product
from typing import Any, NamedTuple

from samples.search import Tree, all_trees, projective_trees, single_rooted

from dodona import System, system
from dodona.systems.registry import SYSTEMS

LABELS = ("a", "root")


class Variant(NamedTuple):
    name: str
    options: tuple[tuple[str, Any], ...]

    def __str__(self) -> str:
        return " ".join([self.name, *(f"{key}={value}" for key, value in self.options)])

    def make(self, labels: tuple[str, ...] | None = None) -> System:
        return system(self.name, labels, **dict(self.options))

    def trees(self, n: int) -> list[Tree]:
        """The trees that the system is meant to build, and no others."""
        trees = projective_trees(n) if SYSTEMS[self.name].projective else all_trees(n)
        return single_rooted(trees) if dict(self.options)["single_root"] else trees


def _variants() -> list[Variant]:
    found = []
    for name, entry in SYSTEMS.items():
        choices = {**entry.options, "single_root": (False, True)}
        for values in product(*choices.values()):
            found.append(Variant(name, tuple(zip(choices, values, strict=True))))
    return found


VARIANTS = _variants()
DYNAMIC = [variant for variant in VARIANTS if "dynamic" in SYSTEMS[variant.name].oracles]
