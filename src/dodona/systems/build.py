"""From the name of a system, labels and options to the compiled system: everything checked once, here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dodona.errors import OptionError
from dodona.systems.registry import Entry, entry_of
from dodona.transitions.system import TransitionSystem

__all__ = ["BUDGET", "BuiltSystem", "build", "some"]

BUDGET = 10_000_000
"""Transitions that the MINIMAL oracle may take on one sentence before LAZY is used: about half a second."""


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
    own = _checked_labels(labels)
    checked = _checked_options(entry, options)
    names = list(own)
    given = dict(checked)
    if "root_label" in given:
        if given["root_label"] not in names and own:
            names.append(given["root_label"])
        given["root_label"] = names.index(given["root_label"]) if own else 0
        if entry.late_roots(checked) == "output":
            names = list(own)
    core = entry.make(max(1, len(own)), **given)
    return BuiltSystem(entry, core, checked, own, tuple(names))


MOST_LABELS = 65_535


def _checked_labels(labels: Sequence[str] | None) -> tuple[str, ...]:
    if labels is None:
        return ()
    if isinstance(labels, str):
        raise OptionError(f"labels must be a list of names, not the string {labels!r}")
    checked = tuple(labels)
    if len(checked) > MOST_LABELS:
        raise OptionError(f"{len(checked)} labels; expected at most {MOST_LABELS}")
    seen: set[str] = set()
    for label in checked:
        if not isinstance(label, str) or not label or label in seen:
            raise OptionError(
                f"labels must be different, non-empty names; got {label!r} in {some(list(map(str, checked)))}"
            )
        seen.add(label)
    return checked


def _checked_options(entry: Entry, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return all options of the system, defaults filled in; an error lists the valid values."""
    checked: dict[str, Any] = {key: values[0] for key, values in entry.options.items()}
    checked["single_root"] = False
    if entry.late_roots(options) is not None:
        checked["root_label"] = "root"
    for key, value in options.items():
        if key not in checked:
            raise OptionError(f"{entry.name} has no option {key!r}; it has: {', '.join(checked)}{_only(entry, key)}")
        if key in entry.options and value not in entry.options[key]:
            raise OptionError(f"{key}={value!r}: expected one of {', '.join(map(repr, entry.options[key]))}")
        if key == "single_root" and not isinstance(value, bool):
            raise OptionError(f"single_root={value!r}: expected True or False")
        if key == "root_label" and (not isinstance(value, str) or not value):
            raise OptionError(f"root_label={value!r}: expected a label")
        checked[key] = value
    return checked


def _only(entry: Entry, key: str) -> str:
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


def some(names: Sequence[str]) -> str:
    """Return a list for an error message, truncated to a readable length."""
    return ", ".join(names[:12]) + (f", … ({len(names)} in all)" if len(names) > 12 else "")
