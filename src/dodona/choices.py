"""What people may choose when they make a transition system: labels and options, checked."""

from collections.abc import Sequence
from typing import Any

from dodona.errors import OptionError
from dodona.systems import Entry

__all__ = ["checked_labels", "checked_options", "some"]


def checked_labels(labels: Sequence[str] | None) -> tuple[str, ...]:
    if labels is None:
        return ()
    if isinstance(labels, str):
        raise OptionError(f"labels must be a list of names, not the string {labels!r}")
    checked = tuple(labels)
    for label in checked:
        if not isinstance(label, str) or not label or checked.count(label) > 1:
            raise OptionError(f"labels must be different, non-empty names; got {label!r} in {list(checked)}")
    return checked


def checked_options(name: str, entry: Entry, options: dict[str, Any]) -> dict[str, Any]:
    """All options of the system, defaults filled in; an error lists what would be valid."""
    checked: dict[str, Any] = {key: values[0] for key, values in entry.options.items()}
    checked["single_root"] = False
    takes_root_label = name == "covington" or (name == "arc-eager" and options.get("root") in ("first", "attach"))
    if takes_root_label:
        checked["root_label"] = "root"
    for key, value in options.items():
        if key not in checked:
            only = " (root_label goes with root='first' or 'attach')" if name == "arc-eager" else ""
            raise OptionError(f"{name} has no option {key!r}; it has: {', '.join(checked)}{only}")
        if key in entry.options and value not in entry.options[key]:
            raise OptionError(f"{key}={value!r}: expected one of {', '.join(map(repr, entry.options[key]))}")
        if key == "single_root" and not isinstance(value, bool):
            raise OptionError(f"single_root={value!r}: expected True or False")
        if key == "root_label" and (not isinstance(value, str) or not value):
            raise OptionError(f"root_label={value!r}: expected a label")
        checked[key] = value
    return checked


def some(names: Sequence[str]) -> str:
    """A list for an error message, cut to a readable length."""
    return ", ".join(names[:12]) + (f", … ({len(names)} in all)" if len(names) > 12 else "")
