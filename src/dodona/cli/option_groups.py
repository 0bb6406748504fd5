"""The help of a command with many options, in groups."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

__all__ = ["GroupedCommand"]


class GroupedCommand(click.Command):
    """A command whose help shows its options under titles; those that no group names come under the first title.

    `groups` has the names of the options, as the function has them, under each title.
    """

    def __init__(self, *arguments: Any, groups: Mapping[str, Sequence[str]], **others: Any) -> None:
        super().__init__(*arguments, **others)
        self.groups = groups

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        options = {option.name: option for option in self.get_params(ctx) if isinstance(option, click.Option)}
        named = {name for names in self.groups.values() for name in names}
        others = [name for name in options if name not in named]
        for title, names in self.groups.items():
            records = [options[name].get_help_record(ctx) for name in (*names, *others)]
            with formatter.section(title):
                formatter.write_dl([record for record in records if record is not None])
            others = []
