"""Words and tags as numbers for a network."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.mixing import text_hash

from dodona.neural.vocabulary import SUBWORDS, Vocabulary, fingerprint, tag_parts

SIZE = 1000


def numbers(words: tuple[str, ...] = (), vectors: tuple[str, ...] = (), size: int = SIZE) -> Vocabulary:
    """The first of them has number 1."""
    known, with_vectors = ([text_hash(word) % 2**32 for word in some] for some in (words, vectors))
    return Vocabulary(known, with_vectors, (), size)


def hashed(*parts: str) -> list[int]:
    return [text_hash(part) % (SIZE - 1) + 1 for part in parts]


def test_a_fingerprint_is_the_lower_half_of_the_hash() -> None:
    for word in ("", "oak", "Oak", "δρῦς"):
        assert fingerprint(word) == text_hash(word) % 2**32


def test_vocabulary_and_vectors() -> None:
    """The vocabulary is of lower-cased words; a vector is found by the form itself first, then by its lower case."""
    found = numbers(("oak", "zeus", "Dione"), ("Zeus", "oak", "zeus"))
    assert found.of_form("oak")[:2] == [1, 2]
    assert found.of_form("OAK")[:2] == [1, 2]
    assert found.of_form("Zeus")[:2] == [2, 1]
    assert found.of_form("ZEUS")[:2] == [2, 3]
    assert found.of_form("Dione")[:2] == [0, 0]  # that one cannot be found
    assert numbers().of_form("oak")[:2] == [0, 0]


@pytest.mark.parametrize(
    ("form", "parts"),
    [
        ("", ["s", "w"]),
        ("é", ["sx", "wé", "pé", "eé", "n<é>"]),
        ("İ", ["sX", "wİ", "pi", "pi\u0307", "e\u0307", "ei\u0307", "n<i\u0307", "ni\u0307>"]),
        ("Oak", ["sXxx", "wOak", "po", "poa", "poak", "ek", "eak", "eoak", "n<oa", "noak", "nak>"]),
        (
            "NATO-42", ["sXX-00", "wNATO-42", "pn", "pna", "pnat", "pnato", "e2", "e42", "e-42", "eo-42", "eto-42",
            "n<na", "nnat", "nato", "nto-", "no-4", "n-42", "n42>"],
        ),
    ],
)  # fmt: skip
def test_subwords(form: str, parts: list[str]) -> None:
    """Shape, form, up to four characters in front, up to five at the end, trigrams: then zeros."""
    found = numbers().of_form(form)
    assert found[2 : 2 + len(parts)] == hashed(*parts)
    assert found[2 + len(parts) :] == [0] * (SUBWORDS - len(parts))
    assert len(found) == 2 + SUBWORDS


def test_subwords_of_a_long_word() -> None:
    """There are 24 at most: 2 + 4 + 5, and the first 13 trigrams."""
    form = "abcdefghijklmnopqrstuvwxyz"
    trigrams = ["n<ab", *(f"n{form[i : i + 3]}" for i in range(24)), "nyz>"]
    fixed = ["sxx", f"w{form}", "pa", "pab", "pabc", "pabcd", "ez", "eyz", "exyz", "ewxyz", "evwxyz"]
    assert numbers().of_form(form)[2:] == hashed(*fixed, *trigrams[:13])
    thirteen = numbers().of_form(form[:13])
    assert thirteen[-1] == hashed("nlm>")[0]
    assert numbers().of_form(form[:12])[-2:] == [*hashed("nkl>"), 0]


@pytest.mark.parametrize(
    ("form", "shape"),
    [
        ("oak", "xx"),
        ("o", "x"),
        ("OAKS", "XX"),
        ("McDonald", "XxXxx"),
        ("3.14159", "0.00"),
        ("....", ".."),
        ("a-b-c-d-e-f", "x-x-x-x-"),
        ("aA1!bB2?", "xX0!xX0?"),
        ("aA1!bB2?c", "xX0!xX0?"),
        ("aaAA11!!bb", "xxXX00!!"),
        ("δρῦς", "xx"),
        ("東京", "xx"),
    ],
)
def test_shapes(form: str, shape: str) -> None:
    assert numbers().of_form(form)[2] == hashed(f"s{shape}")[0]


@given(st.text(max_size=40))
def test_any_form_has_as_many_numbers_and_none_too_large(form: str) -> None:
    found = numbers(size=3).of_form(form)
    assert len(found) == 2 + SUBWORDS
    some = [number for number in found[2:] if number > 0]
    assert set(some) <= {1, 2}  # 0 stays free for nothing
    assert found[2 + len(some) :] == [0] * (SUBWORDS - len(some))
    assert len(some) >= 2


def test_parts_of_tags() -> None:
    assert tag_parts(("NOUN", "NN", "Case=Nom|Number=Sing")) == ["uNOUN", "xNN", "fCase=Nom", "fNumber=Sing"]
    assert tag_parts(("_", "_", "_")) == []
    assert tag_parts(("X", "_", "_")) == ["uX"]
    assert tag_parts(("_", "X", "_")) == ["xX"]
    assert tag_parts(("_", "_", "X")) == ["fX"]


def test_tags_that_are_known() -> None:
    known = Vocabulary((), (), ("xNN", "fCase=Acc", "uNOUN", "fNOUN", "fNumber=Sing"), 2)
    assert known.of_tag(("NOUN", "NN", "Case=Nom|Number=Sing")) == [3, 1, 5]
    assert known.of_tag(("VERB", "NN", "_")) == [1]
    assert known.of_tag(("_", "VB", "Case=Nom")) == []
