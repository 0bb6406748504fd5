"""The sizes of a network."""

from dataclasses import dataclass

__all__ = ["Sizes"]


@dataclass(frozen=True)
class Sizes:
    """How many of everything, and how wide. The first five are numbers of rows in tables, row 0 is nothing."""

    words: int
    subwords: int
    tags: int
    labels: int
    actions: int
    positions: int
    label_positions: int
    tag_kinds: tuple[int, ...]  # how many values the tag heads choose from: UPOS, XPOS, FEATS
    vector: int = 0  # dimensions of pretrained vectors
    embedding: int = 96
    tag_embedding: int = 96
    inputs: int = 256
    width: int = 160  # of each direction of a layer
    layers: int = 2
    tag_layer: int = 0
    units: int = 256  # of the hidden layer

    @property
    def into(self) -> int:
        """What the first linear layer reads for a word."""
        return 2 * self.embedding + self.tag_embedding + self.vector
