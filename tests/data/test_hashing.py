"""The hash of a string is a matter of record: model files depend on it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.mixing import text_hash

from dodona.data.hashing import hash_text


@given(st.text(max_size=30))
def test_hash_of_a_text(text: str) -> None:
    assert hash_text(text) == text_hash(text)


@pytest.mark.parametrize(
    ("text", "number"), [("", 1), ("a", 6110722307022594671), ("oak\U0001f333", 141131505986726565)]
)
def test_numbers_that_never_change(text: str, number: int) -> None:
    assert hash_text(text) == number
