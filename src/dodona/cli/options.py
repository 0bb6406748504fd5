"""Options: the kinds that many commands have; those that are made from data, of systems and of networks; and help that
shows options in groups."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import click

from dodona.errors import OptionError

__all__ = [
    "IMPORTED",
    "NETWORK_OPTIONS",
    "NEURAL_OPTIONS",
    "TRANSFORMER_OPTIONS",
    "GroupedCommand",
    "amount",
    "choice",
    "import_option",
    "integer",
    "network_options",
    "option",
    "option_names",
    "system_options",
    "take_network_options",
    "take_system_options",
]

IMPORTED = "dodona.imported"  # where the context has the modules of --import, for commands that start processes

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]


def option(*names: str, default: object = None, **settings: Any) -> Decorator:
    """An option whose help shows its default, if it has one."""
    if default is not None:
        settings |= {"default": default, "show_default": True}
    return click.option(*names, **settings)


def integer(*names: str, least: int = 1, most: int | None = None, metavar: str = "N", **settings: Any) -> Decorator:
    """An option with an integer from `least` to `most`."""
    return option(*names, type=click.IntRange(least, most), metavar=metavar, **settings)


def amount(*names: str, **settings: Any) -> Decorator:
    """An option with a number above 0."""
    return option(*names, type=click.FloatRange(0, min_open=True), **settings)


def choice(*names: str, values: Iterable[str], default: str | None = None, **settings: Any) -> Decorator:
    """An option with one of several values; unless another is the default, it is the first."""
    offered = list(values)
    return option(*names, default=default or offered[0], type=click.Choice(offered), **settings)


def _import_modules(context: click.Context, parameter: click.Parameter, modules: tuple[str, ...]) -> None:
    """Import modules before any command is looked up, so that it knows the systems that they register."""
    context.meta[IMPORTED] = (*context.meta.get(IMPORTED, ()), *modules)
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
    help="Import a Python module first: one that registers a transition system of your own.",
)


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
    "batch": "Number of words in a batch of training. [default: 500 to 2000 or 1500, by the size of the treebank]",
}
NETWORK_OPTIONS = ("width", "units", "positions", "dropout", "batch", "resume")
NEURAL_OPTIONS = ("vectors", "vectors_size", "layers")
TRANSFORMER_OPTIONS = ("encoder", "device")


def option_names() -> list[str]:
    """Return the names of all options of systems."""
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


def take_system_options(options: dict[str, Any]) -> dict[str, Any]:
    """Take the system options that were given out of all options of a command."""
    return {key: value for key in option_names() if (value := options.pop(key, None)) is not None}


def network_options(command: Command) -> Command:
    """A decorator: the options of a network's training."""
    from dodona.neural.options import NetworkOptions
    from dodona.transformer.options import DEVICES, TransformerOptions

    usual, teacher = NetworkOptions(), TransformerOptions()

    def defaults(name: str) -> str:
        if not hasattr(teacher, name):
            return f"[default: {getattr(usual, name)}]"
        return f"[default: neural: {getattr(usual, name)}; transformer: {getattr(teacher, name)}]"

    options = [
        option(
            "--encoder",
            metavar="FOLDER",
            help="The pretrained encoder: a folder in Hugging Face's layout (config.json, model.safetensors, "
            "tokenizer.json), or a name that transformers looks up.",
        ),
        choice("--device", values=DEVICES, help="Where to train. auto: on a GPU if there is one."),
        option("--vectors", metavar="FILE", help="Pretrained word vectors: word2vec, GloVe or fastText as text."),
        option(
            "--vectors-size",
            default=10.0,
            metavar="MB",
            help="How much of the vectors the model keeps, the words of the treebank first.",
        ),
        option(
            "--positions",
            metavar="FILE",
            help="Which words and labels of a configuration the network sees: a file, or the name of a shipped one. "
            "[default: the system's]",
        ),
        *(
            integer(f"--{name}", help=text if name == "batch" else f"{text} {defaults(name)}")
            for name, text in SIZES.items()
        ),
        option("--dropout", type=float, metavar="P", help=f"Dropout in training. {defaults('dropout')}"),
        option("--resume", is_flag=True, help="Continue an interrupted training from MODEL.checkpoint."),
    ]
    for decorate in reversed(options):
        command = decorate(command)
    return command


def take_network_options(options: dict[str, Any]) -> dict[str, Any]:
    """Take the options of the network, or of the teacher, out of those of the command, under the name that the options
    of the parser have for them; nothing if all have their defaults."""
    from dodona.neural.options import NetworkOptions
    from dodona.transformer.options import TransformerOptions

    given = {name: value for name in (*SIZES, "dropout") if (value := options.pop(name)) is not None}
    if not given:
        return {}
    if options["scorer"] != "transformer":
        return {"network": NetworkOptions(**given)}
    if "layers" in given:
        raise OptionError("layers; expected them only with the scorer 'neural'")
    return {"transformer": TransformerOptions(**given)}
