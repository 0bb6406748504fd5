"""The options of a teacher: the size of what stands on its encoder, and how both learn."""

from dataclasses import dataclass

from dodona.neural.options import check_numbers

__all__ = ["DEVICES", "TransformerOptions"]

DEVICES = ("auto", "cpu", "cuda")
LIMITS: dict[str, tuple[float, float]] = {
    "mix": (1, 64),
    "window": (64, 4096),
    "embedding": (1, 4096),
    "subwords": (2, 1 << 24),
    "inputs": (1, 8192),
    "width": (1, 4096),
    "units": (1, 4096),
    "dropout": (0, 0.95),
    "batch": (1, 1_000_000),
    "rate": (1e-9, 1),
    "encoder_rate": (0, 1),
}


@dataclass(frozen=True)
class TransformerOptions:
    """The size of a teacher above its encoder, and how it learns. The sizes of the encoder are in its own files."""

    mix: int = 5  # layers of the encoder that a word is mixed from, the last ones; fewer if it has fewer
    window: int = 256  # word pieces that the encoder sees at once; fewer if it has fewer positions
    embedding: int = 128  # of subwords
    subwords: int = 32_768  # rows of the table that subwords are hashed into
    inputs: int = 512  # numbers that the LSTM reads for a word
    width: int = 256  # of each direction of the LSTM
    units: int = 256  # of the hidden layer
    dropout: float = 0.3
    batch: int | None = None  # words; None: fewer for a small treebank
    rate: float = 1e-3
    encoder_rate: float = 5e-5

    def __post_init__(self) -> None:
        check_numbers(self, LIMITS)
