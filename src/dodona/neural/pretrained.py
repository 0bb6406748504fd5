"""A pretrained encoder as data: the words that it knows, and its weights, for a network to begin with."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dodona.errors import FormatError, OptionError
from dodona.neural.options import NetworkOptions
from dodona.neural.quantization import CheckedArrays
from dodona.neural.vocabulary import fingerprint

__all__ = ["SIZES", "PretrainedEncoder", "encoder_shapes"]

SIZES = ("layers", "width", "inputs", "embedding", "subwords")
"""The options of a network that its encoder decides."""

Arrays = dict[str, NDArray[np.float32]]


def encoder_shapes(sizes: NetworkOptions, words: int) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of the weights between words and states, for a vocabulary of so many words."""
    shapes: dict[str, tuple[int, ...]] = {
        "word": (words + 1, sizes.embedding),
        "subword": (sizes.subwords, sizes.embedding),
        "input.word": (sizes.embedding, sizes.inputs),
        "input.subword": (sizes.embedding, sizes.inputs),
        "input.bias": (sizes.inputs,),
    }
    for layer in range(sizes.layers):
        inputs = 2 * sizes.width if layer else sizes.inputs
        for direction in ("forward", "backward"):
            name = f"layer{layer}.{direction}"
            shapes[f"{name}.input"] = (inputs, 4 * sizes.width)
            shapes[f"{name}.recurrent"] = (sizes.width, 4 * sizes.width)
            shapes[f"{name}.bias"] = (4 * sizes.width,)
    return shapes


@dataclass(frozen=True, eq=False)
class PretrainedEncoder:
    """What was learned from raw text. Words are fingerprints, the most frequent first; row 0 of their embeddings is
    that of all words besides."""

    sizes: dict[str, int]  # by the names in SIZES
    words: NDArray[np.uint32]
    weights: Arrays
    about: dict[str, Any] = field(default_factory=dict)  # the text, its licence, and how long it was learned from

    def parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return the contents for a file: a description and arrays."""
        arrays = {name: np.ascontiguousarray(values).reshape(-1) for name, values in self.weights.items()}
        return {"sizes": self.sizes}, {"words": self.words, **arrays}

    @classmethod
    def from_parts(
        cls, description: Any, arrays: Mapping[str, NDArray[Any]], about: dict[str, Any], where: str
    ) -> "PretrainedEncoder":
        """Restore an encoder; whatever is wrong is a FormatError that names `where`."""
        sizes = description.get("sizes") if isinstance(description, dict) else None
        if not isinstance(sizes, dict) or sorted(sizes) != sorted(SIZES):
            raise FormatError(f"{where}: expected the sizes of an encoder: {', '.join(SIZES)}")
        try:
            options = NetworkOptions(**sizes)
        except OptionError as error:
            raise FormatError(f"{where}: {error}") from error
        take = CheckedArrays(arrays, where)
        words = take.numbers("words")
        if not len(words):
            raise FormatError(f"{where}: array 'words': expected different numbers, at least one")
        weights = {name: take.floats(name, *shape) for name, shape in encoder_shapes(options, len(words)).items()}
        take.end()
        return cls(sizes, words, weights, about)

    def fit(self, options: NetworkOptions | None) -> NetworkOptions:
        """Return the options of a network with the sizes of this encoder; the others are those given."""
        return replace(options or NetworkOptions(), **self.sizes)

    def check(self, options: NetworkOptions, where: str) -> None:
        """Raise an error for a network of another size."""
        for name, size in self.sizes.items():
            given = asdict(options)[name]
            if given != size:
                raise OptionError(f"{name} {given}: {where} has {size}; expected the same, or none given")

    def known_share(self, words: Iterable[str]) -> float:
        """Return the share of words that it knows, of those with letters."""
        own = set(self.words.tolist())
        known = [fingerprint(word.lower()) in own for word in words if any(map(str.isalpha, word))]
        return sum(known) / max(1, len(known))

    def extend(self, words: Iterable[int]) -> tuple[list[int], Arrays]:
        """Return a vocabulary with more words, and the weights for it: at first, they are like all unknown words."""
        vocabulary = list(dict.fromkeys([*self.words.tolist(), *words]))
        more = np.repeat(self.weights["word"][:1], len(vocabulary) - len(self.words), axis=0)
        return vocabulary, self.weights | {"word": np.concatenate([self.weights["word"], more])}
