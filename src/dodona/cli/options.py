"""Options: the kinds that many commands have; those of transition systems; and help that shows options in groups."""

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import click

from dodona.errors import OptionError

__all__ = [
    "IMPORTED", "Decorator", "GroupedCommand", "amount", "choice", "flag", "import_option", "integer", "option",
    "option_names", "system_options",
]  # fmt: skip

IMPORTED = "dodona.imported"  # where the context has the modules of --import, for commands that start processes

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]


def option(names: str, help: str, *, name: str | None = None, default: object = None, **settings: Any) -> Decorator:
    """An option with its names and the name of its value as help shows them: `-o, --output FILE`. `name` is that of the
    parameter, if it is another one. Help shows the default, unless its text does."""
    *flags, metavar = names.replace(",", "").split()
    if metavar.startswith("-"):
        flags.append(metavar)
    else:
        settings["metavar"] = metavar
    if default is not None:
        settings |= {"default": default, "show_default": "[default:" not in help}
    return click.option(*flags, *([] if name is None else [name]), help=help, **settings)


def flag(names: str, help: str, *, name: str | None = None) -> Decorator:
    """An option without a value."""
    return option(names, help, name=name, is_flag=True)


def integer(names: str, help: str, *, least: int = 1, most: int | None = None, **settings: Any) -> Decorator:
    """An option with an integer from `least` to `most`."""
    named = names if names.split()[-1].isupper() else f"{names} N"
    return option(named, help, type=click.IntRange(least, most), **settings)


def amount(names: str, help: str, **settings: Any) -> Decorator:
    """An option with a number above 0."""
    return option(names, help, type=click.FloatRange(0, min_open=True), **settings)


def choice(names: str, help: str, *, values: Iterable[str], default: str | None = None, **settings: Any) -> Decorator:
    """An option with one of several values; unless another is the default, it is the first."""
    offered = list(values)
    return option(names, help, default=default or offered[0], type=click.Choice(offered), **settings)


def _import_modules(context: click.Context, parameter: click.Parameter, modules: tuple[str, ...]) -> None:
    """Import modules before any command is looked up, so that it knows the systems that they register."""
    context.meta[IMPORTED] = (*context.meta.get(IMPORTED, ()), *modules)
    if modules and "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # as with `python -m`; processes that are started look there, too
    for name in modules:
        try:
            import_module(name)
        except Exception as error:  # whatever a module of the user's does while it is imported
            kind = "" if isinstance(error, ImportError) else f"{type(error).__name__}: "
            raise OptionError(f"--import {name}: {kind}{error}") from error


import_option = partial(
    click.option,
    "--import",
    metavar="MODULE",
    multiple=True,
    callback=_import_modules,
    expose_value=False,
    help="Import a Python module first, also from the current folder: one that registers a system of your own.",
)


class GroupedCommand(click.Command):
    """A command whose help shows its options under titles; those that no group names come under the first title.

    `groups` has the names of options, as the function has them, under each title. An option that two of them name comes
    under the first, and one that the command does not have is left out.
    """

    def __init__(self, *arguments: Any, groups: Mapping[str, Sequence[str]], **others: Any) -> None:
        super().__init__(*arguments, **others)
        self.groups = groups

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        options = {option.name: option for option in self.get_params(ctx) if isinstance(option, click.Option)}
        named = {name for names in self.groups.values() for name in names}
        others = [name for name in options if name not in named]
        for title, names in self.groups.items():
            shown = [options.pop(name) for name in (*names, *others) if name in options]
            records = [record for option in shown if (record := option.get_help_record(ctx)) is not None]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
            others = []


MEANINGS = {
    "root": "where ROOT stands",
    "moves": "what may be repaired",
    "reduce_label": "the label of a repairing REDUCE",
}


def option_names() -> list[str]:
    from dodona.systems.registry import SYSTEMS  # only for commands that have such options: it imports all systems

    return list(dict.fromkeys(key for entry in SYSTEMS.values() for key in entry.options))


def system_options(command: Command) -> Command:
    """A decorator: one option for each that any system has."""
    from dodona.systems.registry import SYSTEMS

    for key in reversed(option_names()):
        having = {name: entry.options[key] for name, entry in SYSTEMS.items() if key in entry.options}
        values = dict.fromkeys(value for offered in having.values() for value in offered)
        text = f"{', '.join(having)}: {MEANINGS.get(key, key)}: {', '.join(values)}."
        command = click.option(f"--{key.replace('_', '-')}", key, help=text)(command)
    return command
