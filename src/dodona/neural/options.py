"""The options of a network: its size, and how it learns."""

from dataclasses import dataclass, fields
from typing import Any

from dodona.errors import OptionError

__all__ = ["NetworkOptions"]


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
        for field in fields(self):
            value: Any = getattr(self, field.name)
            least, most = LIMITS[field.name]
            whole = field.name not in ("dropout", "rate")
            if value is None and field.name == "batch":
                continue
            if type(value) not in ((int,) if whole else (int, float)) or not least <= value <= most:
                raise OptionError(f"{field.name} {value!r}: expected a number from {least:g} to {most:g}")
        if self.tag_layer >= self.layers:
            raise OptionError(f"tag_layer {self.tag_layer}: expected a layer, counted from 0, of {self.layers}")
