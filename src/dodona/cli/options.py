"""Options that are made from data: those of the systems, those of networks; and help that shows options in groups."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from dodona.neural.options import NetworkOptions
from dodona.systems.registry import SYSTEMS

__all__ = [
    "NAMES",
    "GroupedCommand",
    "network_options",
    "option_names",
    "system_options",
    "take_network_options",
    "take_system_options",
]


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


MEANINGS = {
    "root": "where ROOT stands",
    "moves": "what may be repaired",
    "reduce_label": "the label of a repairing REDUCE",
}
SIZES = {
    "layers": "Number of layers of bidirectional LSTM.",
    "width": "Width of each layer in each direction; the parser's time grows with it.",
    "units": "Number of units of the hidden layer, which scores the actions.",
    "batch": "Number of words in a batch of training. [default: 500 to 2000, by the size of the treebank]",
}
NAMES = ("vectors", "vectors_size", "width", "layers", "units", "positions", "dropout", "batch", "resume")

Command = Callable[..., Any]


def option_names() -> list[str]:
    """Return the names of all options of systems."""
    return list(dict.fromkeys(key for entry in SYSTEMS.values() for key in entry.options))


def system_options(command: Command) -> Command:
    """A decorator: one option for each that any system has."""
    for key in reversed(option_names()):
        having = {name: entry.options[key] for name, entry in SYSTEMS.items() if key in entry.options}
        values = dict.fromkeys(value for offered in having.values() for value in offered)
        text = f"{', '.join(having)}: {MEANINGS.get(key, key)}: {', '.join(values)}."
        command = click.option(f"--{key.replace('_', '-')}", key, help=text)(command)
    return command


def take_system_options(options: dict[str, Any]) -> dict[str, Any]:
    """Take the system options that were given out of all options of a command."""
    return {key: value for key in option_names() if (value := options.pop(key, None)) is not None}


def network_options(command: Command) -> Command:
    """A decorator: the options of a network's training."""
    usual = NetworkOptions()
    options = [
        click.option("--vectors", metavar="FILE", help="Pretrained word vectors: word2vec, GloVe or fastText as text."),
        click.option(
            "--vectors-size",
            default=10.0,
            show_default=True,
            metavar="MB",
            help="How much of the vectors the model keeps, the words of the treebank first.",
        ),
        click.option(
            "--positions",
            metavar="FILE",
            help="Which words and labels of a configuration the network sees: a file, or the name of a shipped one. "
            "[default: the system's]",
        ),
        *(
            click.option(
                f"--{name}",
                type=click.IntRange(1),
                metavar="N",
                help=text + (f" [default: {getattr(usual, name)}]" if name != "batch" else ""),
            )
            for name, text in SIZES.items()
        ),
        click.option("--dropout", type=float, metavar="P", help=f"Dropout in training. [default: {usual.dropout}]"),
        click.option("--resume", is_flag=True, help="Continue an interrupted training from MODEL.checkpoint."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def take_network_options(options: dict[str, Any]) -> NetworkOptions | None:
    """Take the options of the network out of those of the command; None if all have their defaults."""
    given = {name: value for name in (*SIZES, "dropout") if (value := options.pop(name)) is not None}
    return NetworkOptions(**given) if given else None
