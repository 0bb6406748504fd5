"""The registry: a description of every transition system. A new system needs a file and an entry here, or `register`.

No other code tests the name of a system: its properties are fields of its entry, or methods of the system.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dodona.errors import OptionError
from dodona.systems import (
    arc_eager,
    arc_hybrid,
    arc_standard,
    covington,
    easy_first,
    lists,
    nonmonotonic,
    swap_search,
    swap_standard,
)
from dodona.systems.lists import ListOf
from dodona.transitions.gold import Gold
from dodona.transitions.moves import NAMES
from dodona.transitions.system import TransitionSystem

__all__ = ["SYSTEMS", "Entry", "entry_of", "register"]

Options = Mapping[str, Any]


def _no_plan(system: Any, gold: Gold, oracle: str, budget: int) -> list[int] | None:
    return None


def _no_late_roots(options: Options) -> str | None:
    return None


@dataclass(frozen=True)
class Entry:
    """The description of a system; every system also has the option `single_root`."""

    name: str
    paper: str
    make: Callable[..., TransitionSystem]
    rules: Mapping[str, str]  # the precondition of each transition, in words
    projective: bool  # builds projective trees only
    oracles: tuple[str, ...] = ("static", "dynamic")
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # valid values, the default first
    late_roots: Callable[[Options], str | None] = _no_late_roots
    """Whether headless words are attached to ROOT at the end, with the option `root_label`: "parse" if these arcs are
    part of the parse, "output" if they are added only when the tree is written, None if there are no headless words."""
    plan: Callable[[Any, Gold, str, int], list[int] | None] = _no_plan
    """Prepares a gold tree for a static oracle, within a budget of transitions; returns the moves of the derivation if
    the system's `canonical` cannot compute them one by one."""
    templates: str = "stack"  # the feature templates that suit it
    positions: tuple[str, ...] = ("S0", "S1", "S2", "S3", "N0", "N1", "N2", "N3")  # that templates may name
    lists: Mapping[str, ListOf] = field(default_factory=lambda: lists.STACK_AND_BUFFER)  # what a configuration shows
    move_names: Mapping[int, str] = field(default_factory=dict)  # of moves that no other system has
    has_beam: bool = True  # derivations can be compared step by step
    iterations: int = 15  # passes over the training data that suit it

    @property
    def builds(self) -> str:
        """The class of trees that the system builds, in words."""
        return "projective trees" if self.projective else "all trees"

    @property
    def static_oracles(self) -> tuple[str, ...]:
        return tuple(name for name in self.oracles if name != "dynamic" and not name.startswith("nd-"))

    @property
    def set_oracles(self) -> tuple[str, ...]:
        """The non-deterministic oracles that return a set of moves and no costs."""
        return tuple(name for name in self.oracles if name.startswith("nd-"))

    @property
    def training_oracles(self) -> tuple[str, ...]:
        """The oracles that a parser can be trained with, the best one last."""
        if "dynamic" not in self.oracles:
            return self.oracles
        others = tuple(name for name in self.oracles if name != "dynamic")
        return (*others, "nondeterministic", "dynamic")

    def move_name(self, move: int) -> str:
        if move not in self.move_names and move >= len(NAMES):
            raise OptionError(f"{self.name}: move {move} has no name; expected one in the entry's move_names")
        return self.move_names[move] if move in self.move_names else NAMES[move]


def _after_the_buffer(options: Options) -> str | None:
    return {"first": "output", "attach": "parse"}.get(str(options.get("root")))


def _at_the_end(options: Options) -> str | None:
    return "parse"


SYSTEMS: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            name="arc-eager",
            paper="Goldberg & Nivre 2012, 2013",
            make=arc_eager.ArcEager,
            rules=arc_eager.RULES,
            projective=True,
            options={"root": ("last", "first", "attach")},
            late_roots=_after_the_buffer,
        ),
        Entry(
            name="arc-standard",
            paper="Nivre 2004; Goldberg, Sartorio & Satta 2014",
            make=arc_standard.ArcStandard,
            rules=arc_standard.RULES,
            projective=True,
            templates="standard",
        ),
        Entry(
            name="arc-hybrid",
            paper="Goldberg & Nivre 2013",
            make=arc_hybrid.ArcHybrid,
            rules=arc_hybrid.RULES,
            projective=True,
            templates="hybrid",
        ),
        Entry(
            name="easy-first",
            paper="Goldberg & Nivre 2013",
            make=easy_first.EasyFirst,
            rules=easy_first.RULES,
            projective=True,
            templates="easy-first",
            positions=("P0", "L1", "L2", "L3", "R1", "R2", "R3"),
            lists=lists.ONE_LIST,
            has_beam=False,  # actions have no fixed order in which hypotheses could be compared
            iterations=20,
        ),
        Entry(
            name="nonmonotonic",
            paper="Honnibal, Goldberg & Johnson 2013",
            make=nonmonotonic.NonMonotonic,
            rules=nonmonotonic.RULES,
            projective=True,
            options={"moves": ("both", "left", "reduce"), "reduce_label": ("predicted", "remembered")},
        ),
        Entry(
            name="covington",
            paper="Gómez-Rodríguez & Fernández-González 2015",
            make=covington.Covington,
            rules=covington.RULES,
            projective=False,
            late_roots=_at_the_end,
            templates="covington",
            positions=("S0", "S1", "S2", "S3", "N0", "N1", "N2", "N3", "CL", "CR"),
            lists=lists.TWO_LISTS_AND_BUFFER,
        ),
        Entry(
            name="swap-standard",
            paper="Björkelund & Nivre 2015",
            make=swap_standard.SwapStandard,
            rules=swap_standard.RULES,
            projective=False,
            oracles=("eager", "lazy", "minimal", "nd-sw", "nd-all"),
            plan=swap_search.plan,
            templates="standard",
        ),
    )
}


def entry_of(name: str) -> Entry:
    """Return the entry of that name; the error lists the systems if there is none."""
    if name not in SYSTEMS:
        hint = "one of your own is known once the module that registers it is imported (dodona --import MODULE)"
        raise OptionError(f"unknown system {name!r}; the systems are: {', '.join(SYSTEMS)}; {hint}")
    return SYSTEMS[name]


def register(entry: Entry) -> None:
    """Add a system of your own. From then on it can be used by its name, like the others.

    Dodona never imports a module named in a model file, so no model file can make it run code. Import the module that
    registers a system before you use it.
    """
    if entry.name in SYSTEMS and SYSTEMS[entry.name] is not entry:
        raise OptionError(f"there is a system {entry.name!r} already; expected another name")
    SYSTEMS[entry.name] = entry
