"""The numbers of words against hashes of strings, one by one."""

from array import array

import pytest

from dodona.data import Sentence
from dodona.data.hashing import hash_text
from dodona.data.values import Inventory, Values, pick, values_of
from dodona.linear.scorer import Words
from dodona.linear.templates import COLUMNS, Templates
from dodona.parser.encoder import ROOT, ColumnHashes, SentenceEncoder, write_columns

FORMS = ["oak", "é", "木木木木木", "a", "Oak", "oak"]
PARTS = {"w": slice(None), "pre2": slice(2), "pre3": slice(3), "suf2": slice(-2, None), "suf4": slice(-4, None)}


def atoms(words: Words, name: str, n: int) -> list[int]:
    return words.column(COLUMNS.index(name))[: n + 1]


@pytest.mark.parametrize("kind", ["list", "values", "inventory"])
def test_numbers_are_hashes_of_the_parts(kind: str) -> None:
    names = list(PARTS)
    numbers = [COLUMNS.index(name) for name in names]
    hashes = ColumnHashes(numbers, [0, 2, 3, -2, -4], ROOT)
    values: list[str] | Values = FORMS
    if kind == "values":
        values = values_of(FORMS)
    elif kind == "inventory":
        known = sorted(set(FORMS))
        values = pick(Inventory(known), array("i", map(known.index, FORMS)))
    words = [Words(len(FORMS)), Words(len(FORMS))]
    write_columns([hashes], [[values, values]], words)
    for name, number in zip(names, numbers, strict=True):
        expected = [hash_text(ROOT, number), *(hash_text(form[PARTS[name]], number) for form in FORMS)]
        assert [atoms(each, name, len(FORMS)) for each in words] == [expected, expected]


def test_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="expected columns that words have"):
        ColumnHashes([99], [0], ROOT)
    with pytest.raises(ValueError, match="expected columns that words have"):
        ColumnHashes([0], [0, 2], ROOT)
    hashes = ColumnHashes([0], [0], ROOT)
    with pytest.raises(ValueError, match="expected a value for each word"):
        write_columns([hashes], [[["a"]]], [Words(2)])
    with pytest.raises(ValueError, match="expected a column for each sentence"):
        write_columns([hashes], [[["a"]]], [])


def test_sentences_are_encoded() -> None:
    sentence = Sentence.from_words(FORMS, ["X"] * 6)
    (words,) = SentenceEncoder(Templates.parse("S0.w\nS0.p", "here")).encode([sentence])
    assert atoms(words, "w", 6)[1] == hash_text("oak", 0)
    assert atoms(words, "p", 6)[6] == hash_text("X", 1)
