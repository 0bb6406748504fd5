"""The options of `dodona train` that are about networks."""

from collections.abc import Callable
from typing import Any

import click

from dodona.components.network_options import NetworkOptions

__all__ = ["NAMES", "given_network", "network_options"]

SIZES = {
    "layers": "Number of layers of bidirectional LSTM.",
    "width": "Width of each layer in each direction; the parser's time grows with it.",
    "units": "Number of units of the hidden layer, which scores the actions.",
    "batch": "Number of words in a batch of training. [default: 500 to 2000, by the size of the treebank]",
}
NAMES = ("vectors", "vectors_size", "width", "layers", "units", "positions", "dropout", "batch", "resume")


def network_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command."""
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


def given_network(options: dict[str, Any]) -> NetworkOptions | None:
    """Take the options of the network out of those of the command; None if all have their defaults."""
    found = {name: options.pop(name) for name in (*SIZES, "dropout")}
    given = {name: value for name, value in found.items() if value is not None}
    return NetworkOptions(**given) if given else None
