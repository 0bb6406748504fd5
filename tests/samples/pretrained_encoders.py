"""A pretrained encoder with random weights, for tests in which nothing is learned."""

import numpy as np

from dodona.neural.options import NetworkOptions
from dodona.neural.pretrained import SIZES, PretrainedEncoder, encoder_shapes
from dodona.neural.vocabulary import fingerprint

__all__ = ["OPTIONS", "random_encoder"]

OPTIONS = NetworkOptions(layers=2, width=3, inputs=5, embedding=4, subwords=9)


def random_encoder(*words: str) -> PretrainedEncoder:
    """One that knows these words."""
    chance = np.random.default_rng(1)
    shapes = encoder_shapes(OPTIONS, len(words))
    weights = {name: chance.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    sizes = {name: getattr(OPTIONS, name) for name in SIZES}
    return PretrainedEncoder(sizes, np.array([*map(fingerprint, words)], np.uint32), weights, {"text": "oaks"})
