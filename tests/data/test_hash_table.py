"""The hash table is a dictionary."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dodona.data.hashing import HashTable

MOST = (1 << 64) - 1
NUMBERS = st.integers(1, MOST)
CROWDED = st.builds(
    lambda upper, lower: upper << 10 | lower, st.integers(1, 1 << 40), st.sampled_from([13, 14, 15, 16])
)
"""Keys with nearly the same lower bits: they all want the same few slots."""


@settings(deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(NUMBERS | CROWDED | st.integers(1, 40), st.integers(0, MOST)), max_size=200),
    st.lists(NUMBERS | CROWDED | st.integers(1, 40), max_size=40),
    st.integers(0, 100),
)
def test_it_is_a_dictionary(pairs: list[tuple[int, int]], others: list[int], expected: int) -> None:
    table, known = HashTable(expected), dict[int, int]()
    for key, value in pairs:
        assert table.get(key) == known.get(key)
        table.put(key, value)
        known[key] = value
        assert table.count == len(known)
        assert table.get(key) == value
    for key in [*known, *others]:
        assert table.get(key) == known.get(key)


@pytest.mark.parametrize("expected", [0, 1, 8, 10_000])
@pytest.mark.parametrize("keys", [range(16, 160_016, 16), range(10_001, 1, -1)], ids=["crowded", "in every slot"])
def test_it_grows_by_itself(expected: int, keys: range) -> None:
    table = HashTable(expected)
    for key in keys:
        table.put(key, key + 1)
    assert table.count == 10_000
    assert [table.get(key) for key in keys] == [key + 1 for key in keys]
    assert table.get(1) is None


def test_no_key_is_0() -> None:
    table = HashTable()
    with pytest.raises(ValueError, match="a key of 0"):
        table.put(0, 1)
    assert table.get(0) is None
    assert table.count == 0
