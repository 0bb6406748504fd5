"""The options of transition systems on the command line: one for each that the registry knows."""

from collections.abc import Callable
from typing import Any

import click

from dodona.systems.registry import SYSTEMS

__all__ = ["given_options", "option_names", "system_options"]

EXPLAINED = {
    "root": "where ROOT stands",
    "moves": "what may be repaired",
    "reduce_label": "the label of a repairing REDUCE",
}

Command = Callable[..., Any]


def _choices() -> dict[str, tuple[list[str], list[str]]]:
    """For each option the systems that have it, and its values."""
    found: dict[str, tuple[list[str], list[str]]] = {}
    for name, entry in SYSTEMS.items():
        for key, values in entry.options.items():
            systems, known = found.setdefault(key, ([], []))
            systems.append(name)
            known += [value for value in values if value not in known]
    return found


def option_names() -> list[str]:
    """The names of all options of systems."""
    return list(_choices())


def system_options(command: Command) -> Command:
    """A decorator: one option for each that any system has."""
    for key, (systems, values) in reversed(_choices().items()):
        told = f"{', '.join(systems)}: {EXPLAINED.get(key, key)}"
        option = click.option(f"--{key.replace('_', '-')}", key, help=f"{told}: {', '.join(values)}.")
        command = option(command)
    return command


def given_options(options: dict[str, Any]) -> dict[str, Any]:
    """Those of the system options that were given, taken out of all options of a command."""
    return {key: value for key in _choices() if (value := options.pop(key, None)) is not None}
