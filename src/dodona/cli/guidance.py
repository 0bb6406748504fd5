"""Help for people who type: a command that is probably meant, and completion by the shell."""

import os
from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem

__all__ = ["complete_file_names", "unknown_command"]


def unknown_command(name: str, commands: Iterable[str]) -> str:
    """Return what to say about a command that there is not."""
    from difflib import get_close_matches

    close = get_close_matches(name, commands, n=3, cutoff=0.6)
    if close:
        meant = " or ".join(f"'{command}'" for command in close)
        return f"No such command '{name}'. Did you mean {meant}?"
    if os.path.exists(name) or any(letter.isspace() for letter in name):
        return f"No such command '{name[:40]}'. Did you mean `dodona parse`, which takes files and texts?"
    return f"No such command '{name}'; expected one of: {', '.join(commands)}."


def complete_file_names(command: click.Command) -> None:
    """Let the shell complete file names wherever a command takes any text: most of these values are files.

    Without that, a shell that asks `dodona` for completions would complete nothing there.
    """
    for parameter in command.params:
        if parameter.type is click.STRING:
            parameter.shell_complete = _file_names  # type: ignore[assignment,method-assign]


def _file_names(context: click.Context, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(incomplete, type="file")]
