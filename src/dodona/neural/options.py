"""The options of a network: its size, and how it learns."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from dodona.errors import OptionError

__all__ = ["NetworkOptions", "check_network_can_learn", "check_numbers"]


LIMITS: dict[str, tuple[float, float]] = {
    "layers": (1, 16),
    "width": (1, 4096),
    "units": (1, 4096),
    "inputs": (1, 8192),
    "embedding": (1, 4096),
    "tag_embedding": (1, 4096),
    "subwords": (2, 1 << 24),
    "tag_layer": (0, 15),
    "dropout": (0, 0.95),
    "batch": (1, 1_000_000),
    "rate": (1e-9, 1),
}


@dataclass(frozen=True)
class NetworkOptions:
    """The size of a network, and how it learns; what depends on the data is not chosen, but counted."""

    layers: int = 3  # of bidirectional LSTM
    width: int = 192  # of each direction of a layer
    units: int = 256  # of the hidden layer
    inputs: int = 256  # numbers that the first layer reads for a word
    embedding: int = 80  # of words, and of subwords
    tag_embedding: int = 64
    subwords: int = 10_000  # rows of the table that subwords are hashed into
    tag_layer: int = 0  # the layer that predicts tags
    dropout: float = 0.4
    batch: int | None = None  # words; None: fewer for a small treebank
    rate: float = 2e-3

    def __post_init__(self) -> None:
        check_numbers(self, LIMITS)
        if self.tag_layer >= self.layers:
            raise OptionError(f"tag_layer {self.tag_layer}: expected a layer, counted from 0, of {self.layers}")


def check_network_can_learn() -> None:
    """Raise an error if JAX is not installed, with which networks learn."""
    try:
        import dodona.neural.network  # noqa: F401
    except ImportError as error:
        raise OptionError(f"a network needs JAX ({error}); install it with: pip install 'dodona[neural]'") from error


def check_numbers(options: Any, limits: Mapping[str, tuple[float, float]]) -> None:
    """Raise an error for an option outside of its limits. What is no float by default is a whole number; where None is
    the default, None is a value."""
    for field in fields(options):
        value = getattr(options, field.name)
        least, most = limits[field.name]
        if value is None and field.default is None:
            continue
        kinds = (int, float) if isinstance(field.default, float) else (int,)
        if type(value) not in kinds or not least <= value <= most:
            raise OptionError(f"{field.name} {value!r}: expected a number from {least:g} to {most:g}")
