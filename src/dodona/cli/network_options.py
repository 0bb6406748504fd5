"""The options of `dodona train` that are about networks."""

from collections.abc import Callable
from typing import Any

import click

from dodona.components.network_options import NetworkOptions

__all__ = ["given_network", "network_options"]

SIZES = {
    "layers": "Layers of the network.",
    "width": "Width of each layer, in each direction.",
    "units": "Units of its hidden layer.",
    "batch": "Words that it learns from at a time. [default: 500 to 2000]",
}


def network_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command."""
    usual = NetworkOptions()
    options = [
        click.option("--vectors", metavar="FILE", help="neural: word vectors (word2vec, GloVe or fastText as text)."),
        click.option(
            "--vectors-size",
            default=10.0,
            show_default=True,
            metavar="MB",
            help="neural: how much of them is kept, the words of the treebank first.",
        ),
        click.option("--positions", help="neural: what it sees: a file, or one of those shipped."),
        *(
            click.option(
                f"--{name}",
                type=click.IntRange(1),
                metavar="N",
                help=f"neural: {text}" + (f" [default: {getattr(usual, name)}]" if name != "batch" else ""),
            )
            for name, text in SIZES.items()
        ),
        click.option("--dropout", type=float, metavar="P", help=f"neural: dropout. [default: {usual.dropout}]"),
        click.option("--resume", is_flag=True, help="neural: continue an interrupted training from MODEL.checkpoint."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def given_network(options: dict[str, Any]) -> NetworkOptions | None:
    """Take the options of the network out of those of the command; None if all have their defaults."""
    found = {name: options.pop(name) for name in (*SIZES, "dropout")}
    given = {name: value for name, value in found.items() if value is not None}
    return NetworkOptions(**given) if given else None
