"""Every system with every combination of its options, as the exhaustive tests run over them."""

from typing import Any, NamedTuple

from dodona import System, system
from dodona.research.verification import Tree, trees_of
from dodona.systems.check import variants
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
        return trees_of(self.make(), n)


VARIANTS = [Variant(name, tuple(options.items())) for name, entry in SYSTEMS.items() for options in variants(entry)]
DYNAMIC = [variant for variant in VARIANTS if "dynamic" in SYSTEMS[variant.name].oracles]
