"""The weights of a network as the arrays of a model file: written in 8 bits, and read with everything checked."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dodona.errors import FormatError
from dodona.neural.encoder import quantize
from dodona.neural.inputs import EmbeddingTable, Inputs
from dodona.neural.options import NetworkOptions
from dodona.neural.vectors import Vectors
from dodona.neural.vocabulary import fingerprint

__all__ = ["TABLES", "CheckedArrays", "list_directions", "quantize_weights"]

TABLES = ("word", "subword", "vector", "tag")


class CheckedArrays:
    """The arrays of a model file, each taken once, with the expected type and size."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], where: str) -> None:
        self._arrays, self._where = arrays, where
        self.seen: set[str] = set()

    def _take(self, name: str, dtype: Any, *shape: int) -> NDArray[Any]:
        self.seen.add(name)
        values = self._arrays.get(name)
        size = int(np.prod(shape))
        if values is None or values.dtype != dtype or values.size != size:
            has = "nothing" if values is None else f"{values.size} of {values.dtype}"
            raise FormatError(f"{self._where}: array {name!r}: {has}; expected {size} of {np.dtype(dtype)}")
        return values.reshape(shape)

    def numbers(self, name: str) -> NDArray[np.uint32]:
        values = self._arrays.get(name)
        self.seen.add(name)
        if values is None or values.dtype != np.uint32 or len(set(values.tolist())) != values.size:
            raise FormatError(f"{self._where}: array {name!r}: expected different numbers of uint32")
        return values.reshape(-1)

    def bytes(self, name: str, *shape: int) -> NDArray[np.int8]:
        return self._take(name, np.int8, *shape)

    def floats(self, name: str, *shape: int) -> NDArray[np.float32]:
        values = self._take(name, np.float32, *shape)
        if not np.isfinite(values).all():
            raise FormatError(f"{self._where}: array {name!r}: expected finite numbers")
        return values

    def table(self, name: str, count: int, width: int | None) -> EmbeddingTable:
        if width is None:
            values = self._arrays.get(name)
            width = max(1, 0 if values is None else values.size // count)
        return EmbeddingTable(self.bytes(name, count, width), self.floats(f"{name}.scales", count))

    def rows(self, name: str, count: int, width: int) -> NDArray[np.float32]:
        """Return rows of 8-bit numbers with a scale each as floats."""
        scales = self.floats(f"{name}.scales", count)
        with np.errstate(over="ignore"):
            values = self.bytes(name, count, width).astype(np.float32) * scales[:, None]
        if not np.isfinite(values).all():
            raise FormatError(f"{self._where}: array {name!r}: expected finite numbers")
        return values

    def end(self) -> None:
        unknown = sorted(set(self._arrays) - self.seen)
        if unknown:
            raise FormatError(f"{self._where}: array {unknown[0]!r}: expected none of this name")


def list_directions(layers: int) -> list[str]:
    """Return the names of the LSTM's parts: each layer in each direction."""
    return [f"layer{layer}.{direction}" for layer in range(layers) for direction in ("forward", "backward")]


def quantize_weights(
    options: NetworkOptions,
    words: Sequence[int],
    vectors: Vectors | None,
    weights: Mapping[str, NDArray[np.float32]],
    measure_scale: Callable[[Inputs], float],
) -> dict[str, NDArray[Any]]:
    """Return trained weights as the arrays of a model: matrices in 8 bits, biases and scales as floats.

    `words` are the fingerprints of the vocabulary; `measure_scale` returns the scale of the first layer's inputs.
    """
    arrays: dict[str, NDArray[Any]] = {"words": np.array(words, dtype=np.uint32)}
    arrays["vectors"] = np.array([fingerprint(word) for word in vectors.words] if vectors else [], dtype=np.uint32)

    def put(name: str, matrix: NDArray[np.float32], scales: str = ".scales") -> tuple[NDArray[Any], NDArray[Any]]:
        arrays[name], arrays[name + scales] = quantize(matrix)
        return arrays[name].reshape(matrix.T.shape), arrays[name + scales]

    tables: dict[str, EmbeddingTable] = {}
    for name in ("word", "subword", "tag"):
        tables[name] = EmbeddingTable(*put(name, weights[name].T))
    if vectors is not None:
        values = np.concatenate([np.zeros((1, vectors.dimensions), np.int8), vectors.values])
        scales = np.concatenate([np.zeros(1, np.float32), vectors.scales]).astype(np.float32)
        arrays["vector"], arrays["vector.scales"] = values.reshape(-1), scales
        tables["vector"] = EmbeddingTable(values, scales)
    matrices: list[NDArray[np.float32] | None] = []
    for name in TABLES:
        if name not in tables:
            matrices.append(None)
            continue
        values, scales = put(f"input.{name}", weights[f"input.{name}"].T)
        matrices.append(values.astype(np.float32) * scales[:, None])
    arrays["input.bias"] = weights["input.bias"]
    inputs = Inputs(
        tables["word"], tables["subword"], tables.get("vector"), tables["tag"], matrices, weights["input.bias"]
    )
    arrays["input.scale"] = np.array([measure_scale(inputs)], dtype=np.float32)
    for name in list_directions(options.layers):
        for part in ("input", "recurrent"):
            put(f"{name}.{part}", weights[f"{name}.{part}"], "_scales")
        arrays[f"{name}.bias"] = weights[f"{name}.bias"]
    ends = np.tanh(np.stack([weights["root"], weights["nobody"]]))
    arrays["ends"] = np.rint(127 * ends).astype(np.int8).reshape(-1)
    put("heads", np.concatenate([weights[f"head{kind}"] for kind in range(3)], axis=1))
    arrays["heads.bias"] = np.concatenate([weights[f"head{kind}.bias"] for kind in range(3)])
    put("positions", weights["positions"])
    arrays["positions.bias"] = np.zeros(weights["positions"].shape[1], np.float32)
    put("labels", weights["labels"].reshape(-1, options.units).T)
    arrays["hidden.bias"] = weights["hidden.bias"]
    put("actions", weights["actions"].T)
    arrays["actions.bias"] = weights["actions.bias"]
    return arrays
