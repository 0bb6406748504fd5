"""The registry: a description of every transition system, and systems made from names, labels and options.

A new system needs a file and an entry here, or `register`. No other code tests the name of a system: its properties are
fields of its entry, or methods of the system.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dodona.errors import OptionError
from dodona.systems import arc_eager, arc_hybrid, arc_standard, covington, easy_first, nonmonotonic, swap_standard
from dodona.transitions.gold import Gold
from dodona.transitions.moves import NAMES
from dodona.transitions.state import State
from dodona.transitions.system import TransitionSystem

__all__ = ["BUDGET", "SYSTEMS", "BuiltSystem", "Entry", "abbreviate", "build", "entry_of", "register"]

Options = Mapping[str, Any]
ListOf = Callable[[State], list[int]]

BUDGET = 10_000_000
"""Transitions that the MINIMAL oracle may take on one sentence before LAZY is used: about half a second."""

MAX_LABELS = 65_535


# The data structures of a configuration besides its arcs, as named lists of nodes, for display and research


def stack_of(s: State) -> list[int]:
    """Return the stack, top last."""
    return list(s.stack[: s.depth])


def buffer_of(s: State) -> list[int]:
    """Return the buffer, front first."""
    return list(s.queue[s.front : s.end])


def right_list_of(s: State) -> list[int]:
    """Covington's λ2: the words that the current focus has already been compared with."""
    return list(s.stack[s.depth : s.front])


def list_of(s: State) -> list[int]:
    """Easy-first's list, from ROOT on."""
    nodes = [0]
    while s.after[nodes[-1]] <= s.n:
        nodes.append(s.after[nodes[-1]])
    return nodes


STACK_AND_BUFFER: dict[str, ListOf] = {"stack": stack_of, "buffer": buffer_of}
TWO_LISTS_AND_BUFFER: dict[str, ListOf] = {"left": stack_of, "right": right_list_of, "buffer": buffer_of}
ONE_LIST: dict[str, ListOf] = {"list": list_of}


# functions with names, because entries go to other processes
def _no_plan(system: Any, gold: Gold, oracle: str, budget: int) -> list[int] | None:
    return None


def _no_late_roots(options: Options) -> str | None:
    return None


def _at_the_end(options: Options) -> str | None:
    return "parse"


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
    lists: Mapping[str, ListOf] = field(default_factory=lambda: STACK_AND_BUFFER)  # what a configuration shows;
    # the sites of a system that has them are nodes of the first list
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
            lists=ONE_LIST,
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
            lists=TWO_LISTS_AND_BUFFER,
        ),
        Entry(
            name="swap-standard",
            paper="Björkelund & Nivre 2015",
            make=swap_standard.SwapStandard,
            rules=swap_standard.RULES,
            projective=False,
            oracles=("eager", "lazy", "minimal", "nd-sw", "nd-all"),
            plan=swap_standard.plan,
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

    It is checked first: all parses of up to three words are followed to their ends, and an `OptionError` says what is
    wrong with them (`check_entry`).

    Dodona never imports a module named in a model file, so no model file can make it run code. Import the module that
    registers a system before you use it.
    """
    if entry.name in SYSTEMS and SYSTEMS[entry.name] is not entry:
        raise OptionError(f"there is a system {entry.name!r} already; expected another name")
    from dodona.systems.check import check_entry

    check_entry(entry)
    SYSTEMS[entry.name] = entry


@dataclass(frozen=True)
class BuiltSystem:
    """A compiled system with the names of its labels."""

    entry: Entry
    core: TransitionSystem
    options: Mapping[str, Any]  # all of them, defaults filled in
    labels: tuple[str, ...]  # those that transitions can assign
    label_names: tuple[str, ...]  # the same, and possibly the label of arcs that are added at the end

    def with_options(self, **others: Any) -> "BuiltSystem":
        """Return the same system with other options."""
        return build(self.entry.name, self.labels, dict(self.options) | others)


def build(name: str, labels: Sequence[str] | None, options: Mapping[str, Any]) -> BuiltSystem:
    """Return the system of that name for these labels; without labels it has one label without a name."""
    entry = entry_of(name)
    own = _check_labels(labels)
    resolved = _resolve_options(entry, options)
    names = list(own)
    arguments = dict(resolved)
    if "root_label" in arguments:
        if arguments["root_label"] not in names and own:
            names.append(arguments["root_label"])
        arguments["root_label"] = names.index(arguments["root_label"]) if own else 0
        if entry.late_roots(resolved) == "output":
            names = list(own)
    core = entry.make(max(1, len(own)), **arguments)
    return BuiltSystem(entry, core, resolved, own, tuple(names))


def _check_labels(labels: Sequence[str] | None) -> tuple[str, ...]:
    if labels is None:
        return ()
    if isinstance(labels, str):
        raise OptionError(f"labels must be a list of names, not the string {labels!r}")
    checked = tuple(labels)
    if len(checked) > MAX_LABELS:
        raise OptionError(f"{len(checked)} labels; expected at most {MAX_LABELS}")
    seen: set[str] = set()
    for label in checked:
        if not isinstance(label, str) or not label or label in seen:
            raise OptionError(
                f"labels must be different, non-empty names; got {label!r} in {abbreviate(list(map(str, checked)))}"
            )
        seen.add(label)
    return checked


def _resolve_options(entry: Entry, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return all options of the system, defaults filled in; an error lists the valid values."""
    checked: dict[str, Any] = {key: values[0] for key, values in entry.options.items()}
    checked["single_root"] = False
    if entry.late_roots(options) is not None:
        checked["root_label"] = "root"
    for key, value in options.items():
        if key not in checked:
            raise OptionError(f"{entry.name} has no option {key!r}; it has: {', '.join(checked)}{_hint(entry, key)}")
        if key in entry.options and value not in entry.options[key]:
            raise OptionError(f"{key}={value!r}: expected one of {', '.join(map(repr, entry.options[key]))}")
        if key == "single_root" and not isinstance(value, bool):
            raise OptionError(f"single_root={value!r}: expected True or False")
        if key == "root_label" and (not isinstance(value, str) or not value):
            raise OptionError(f"root_label={value!r}: expected a label")
        checked[key] = value
    return checked


def _hint(entry: Entry, key: str) -> str:
    """Return a hint: the options that `root_label` can be combined with."""
    if key != "root_label":
        return ""
    fitting = [
        f"{name}={value!r}"
        for name, values in entry.options.items()
        for value in values
        if entry.late_roots({name: value})
    ]
    return f" (root_label goes with {' or '.join(fitting)})" if fitting else ""


def abbreviate(names: Sequence[str]) -> str:
    """Return a list for an error message, truncated to a readable length."""
    return ", ".join(names[:12]) + (f", … ({len(names)} in all)" if len(names) > 12 else "")
