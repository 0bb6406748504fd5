"""What a network reads for a word: one number of single precision after the other, in the order that is promised."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Embeddings = tuple[NDArray[np.int8], Floats]  # values and scales of the rows


def embedding(table: Embeddings, numbers: Sequence[int]) -> list[np.float32]:
    """The sum of rows, added in their order."""
    values, scales = table
    total = [np.float32(0)] * values.shape[1]
    for number in numbers:
        for i, value in enumerate(values[number].tolist()):
            total[i] = total[i] + np.float32(value) * scales[number]
    return total


def with_product(total: Floats, values: Sequence[np.float32], matrix: Floats) -> None:
    """Add the rows of the matrix, each times its value."""
    for i, value in enumerate(values):
        for k in range(len(total)):
            total[k] = total[k] + value * matrix[i, k]


def of_form(
    numbers: Sequence[int],
    word: Embeddings,
    subword: Embeddings,
    vector: Embeddings | None,
    matrices: Sequence[Floats | None],
    bias: Floats,
) -> Floats:
    """The numbers of a form are those of the vocabulary, of its vector, of its subwords."""
    from_word, from_subword, from_vector, _ = matrices
    assert from_word is not None
    assert from_subword is not None
    total = bias.copy()
    with_product(total, embedding(word, numbers[:1]), from_word)
    subwords = [number for number in numbers[2:] if number]
    mean = [part / np.float32(max(1, len(subwords))) for part in embedding(subword, subwords)]
    with_product(total, mean, from_subword)
    if vector is not None and from_vector is not None and numbers[1]:
        with_product(total, embedding(vector, numbers[1:2]), from_vector)
    return total


def of_tag(numbers: Sequence[int], tag: Embeddings, matrix: Floats) -> Floats:
    total = np.zeros(matrix.shape[1], np.float32)
    with_product(total, embedding(tag, numbers), matrix)
    return total
