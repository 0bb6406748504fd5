"""An entry: a place where input from outside comes in, with inputs to begin with and with what must hold for any input.

A file in `fuzz/entries/` is an entry. It has

    seeds()        valid inputs, as bytes; generated, never taken from a treebank
    target(data)   returns if the input was taken and all is well, raises a DodonaError if it was refused; anything else
                   that is raised is a fault, and so are a crash and an input that takes longer than ten seconds
    TOKENS         optional: words of the format
    mutate(…)      optional: changes that keep an input valid enough to get past the first checks
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType

from fuzz.mutations import mutated

__all__ = ["Entry", "all_entries"]

HOME = "fuzz.entries"


@dataclass(frozen=True)
class Entry:
    """By its name: that of a module in `fuzz/entries/`, or with dots that of any module."""

    name: str

    @cached_property
    def _module(self) -> ModuleType:
        return import_module(self.name if "." in self.name else f"{HOME}.{self.name}")

    @cached_property
    def seeds(self) -> Sequence[bytes]:
        found: Sequence[bytes] = self._module.seeds()
        return found

    @property
    def target(self) -> Callable[[bytes], None]:
        found: Callable[[bytes], None] = self._module.target
        return found

    def case(self, seed: int, number: int) -> bytes:
        """The input of this number: the same for the same seed, whatever was tried before. The first are the seeds."""
        if number < len(self.seeds):
            return self.seeds[number]
        chance = random.Random(f"{seed} {self.name} {number}")
        tokens: Sequence[bytes] = getattr(self._module, "TOKENS", ())
        mutate = getattr(self._module, "mutate", None)
        if mutate is not None and chance.random() < 0.75:
            found: bytes = mutate(self.seeds, chance)
            return found
        return mutated(self.seeds, tokens, chance)


def all_entries() -> list[str]:
    return sorted(path.stem for path in (Path(__file__).parent / "entries").glob("*.py"))
