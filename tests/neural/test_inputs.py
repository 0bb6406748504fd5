"""What the network reads for a word: bit for bit the numbers of a naive loop, and numbers without a row are refused."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from reference import inputs as reference

from dodona.neural.inputs import EmbeddingTable, Inputs

WORDS, SUBWORDS, VECTORS, TAGS = 5, 9, 4, 6
WIDTHS = (7, 7, 11, 3)  # of the tables
SIZE = 19


class Parts:
    """Random tables and matrices, and the inputs made of them."""

    def __init__(self, seed: int, with_vectors: bool = True) -> None:
        chance = np.random.default_rng(seed)
        counts = (WORDS, SUBWORDS, VECTORS if with_vectors else None, TAGS)
        self.tables: list[Any] = []
        self.matrices: list[Any] = []
        for count, width in zip(counts, WIDTHS, strict=True):
            values = chance.integers(-127, 128, (count or 0, width)).astype(np.int8)
            scales = np.exp(chance.normal(-4, 2, count or 0)).astype(np.float32)
            self.tables.append((values, scales) if count else None)
            self.matrices.append(chance.normal(size=(width, SIZE)).astype(np.float32) if count else None)
        self.bias = chance.normal(size=SIZE).astype(np.float32)

    def inputs(self, **others: Any) -> Inputs:
        tables = [EmbeddingTable(*table) if table is not None else None for table in self.tables]
        given: dict[str, Any] = {"matrices": self.matrices, "bias": self.bias, **others}
        word, subword, vector, tag = tables
        assert word is not None
        assert subword is not None
        assert tag is not None
        return Inputs(word, subword, vector, tag, given["matrices"], given["bias"])


@pytest.mark.parametrize("with_vectors", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_forms_against_a_naive_loop(seed: int, with_vectors: bool) -> None:
    """Also words without any row: outside of the vocabulary, without a vector, without subwords."""
    parts = Parts(seed, with_vectors)
    chance = np.random.default_rng(seed)
    columns = [chance.integers(0, count, 20) for count in (WORDS, VECTORS if with_vectors else 1)]
    columns += [chance.integers(0, SUBWORDS, 20) for _ in range(6)]
    numbers = np.stack(columns, axis=1).astype(np.int32)
    numbers[0], numbers[1, 2:], numbers[2, :2] = 0, 0, 0
    numbers[3, 2:] = [0, 5, 0, 0, 5, 8]  # gaps, and a subword that comes twice
    word, subword, vector, _ = parts.tables
    inputs = parts.inputs()
    assert inputs.size == SIZE
    found = inputs.of_forms(numbers)
    assert found.dtype == np.float32
    for row, given in zip(found, numbers.tolist(), strict=True):
        expected = reference.of_form(given, word, subword, vector, parts.matrices, parts.bias)
        assert row.tobytes() == expected.tobytes()
    assert inputs.of_forms(numbers[:, :2].copy()).tobytes() == inputs.of_forms(with_zeros(numbers)).tobytes()


def with_zeros(numbers: NDArray[np.int32]) -> NDArray[np.int32]:
    found = numbers.copy()
    found[:, 2:] = 0
    return found


@pytest.mark.parametrize("seed", range(3))
def test_tags_against_a_naive_loop(seed: int) -> None:
    parts = Parts(seed)
    chance = np.random.default_rng(seed)
    tags: list[list[int]] = [[], [0], [5, 5], *(chance.integers(0, TAGS, n).tolist() for n in (1, 2, 3, 8))]
    found = parts.inputs().of_tags(tags)
    for row, given in zip(found, tags, strict=True):
        expected = reference.of_tag(given, parts.tables[3], parts.matrices[3])
        assert row.tobytes() == expected.tobytes()
    assert not found[0].any()


def test_the_order_of_the_sums_matters() -> None:
    """Otherwise the tests above would prove nothing."""
    parts = Parts(1)
    inputs = parts.inputs()
    one, other = np.array([[1, 1, *range(1, 9)], [1, 1, *range(8, 0, -1)]], np.int32)
    first, second = inputs.of_forms(np.stack([one, other]))
    np.testing.assert_allclose(first, second, rtol=1e-3, atol=1e-4)
    assert first.tobytes() != second.tobytes()


def test_nothing_is_left_of_the_word_before() -> None:
    inputs = Parts(1).inputs()
    numbers = np.array([[1, 2, 3, 4], [4, 0, 0, 8], [0, 0, 0, 0]], np.int32)
    together = inputs.of_forms(numbers)
    inputs.of_tags([[1, 2, 3]])
    for i in (2, 0, 1):
        assert inputs.of_forms(numbers[i : i + 1]).tobytes() == together[i].tobytes()
    assert inputs.of_forms(np.zeros((0, 4), np.int32)).shape == (0, SIZE)
    assert inputs.of_tags([]).shape == (0, SIZE)


@pytest.mark.parametrize("with_vectors", [True, False])
def test_numbers_without_a_row(with_vectors: bool) -> None:
    inputs = Parts(1, with_vectors).inputs()
    counts = (WORDS, VECTORS if with_vectors else 1, SUBWORDS, SUBWORDS)
    inputs.of_forms(np.array([[count - 1 for count in counts]], np.int32))
    for column, count in enumerate(counts):
        for number in (-1, count, 2**31 - 1, -(2**31)):
            numbers = np.zeros((3, 4), np.int32)
            numbers[2, column] = number
            with pytest.raises(ValueError, match=f"^number {number} of {count}$"):
                inputs.of_forms(numbers)
    inputs.of_tags([[TAGS - 1]])
    for number in (-1, TAGS, 1 << 40):
        with pytest.raises(ValueError, match=f"^number {number} of {TAGS}$"):
            inputs.of_tags([[0], [1, number]])
    for columns in (0, 1):
        with pytest.raises(ValueError, match=f"^{columns} numbers of a form; expected those of word and vector"):
            inputs.of_forms(np.zeros((2, columns), np.int32))


def test_tables_that_do_not_fit_together() -> None:
    for rows, width, scales in ((0, 3, 0), (2, 0, 2), (2, 3, 1), (2, 3, 3)):
        with pytest.raises(ValueError, match=f"^{rows} rows of {width} numbers with {scales} scales"):
            EmbeddingTable(np.zeros((rows, width), np.int8), np.zeros(scales, np.float32))
    parts = Parts(1)
    assert EmbeddingTable(*parts.tables[0]).count == WORDS
    assert EmbeddingTable(*parts.tables[0]).width == WIDTHS[0]
    for at in range(4):
        matrix = parts.matrices[at]
        wrong: list[Any] = [np.append(matrix, matrix[:1], axis=0), matrix[:-1], matrix[:, :-1].copy(), None]
        for one in wrong:
            matrices = [*parts.matrices[:at], one, *parts.matrices[at + 1 :]]
            with pytest.raises(ValueError, match="a matrix "):
                parts.inputs(matrices=matrices)
    with pytest.raises(ValueError, match="for a table of 7 and 18 inputs"):
        parts.inputs(bias=parts.bias[:-1])
    with pytest.raises(ValueError, match="expected a matrix for each table"):
        Parts(1, with_vectors=False).inputs(matrices=parts.matrices)
    with pytest.raises(ValueError):  # noqa: PT011
        parts.inputs(matrices=parts.matrices[:3])
