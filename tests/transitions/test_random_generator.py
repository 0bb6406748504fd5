"""The random generator gives the numbers of xorshift, on every machine."""

import pytest

from dodona.transitions.policy import RandomGenerator

WORD = (1 << 64) - 1


def xorshift(seed: int, count: int) -> list[float]:
    """Marsaglia's three shifts (13, 7, 17); the upper 53 bits are a fraction."""
    state = (seed * 2654435761 + 88172645463325252) & WORD
    found = []
    for _ in range(count):
        state ^= state << 13 & WORD
        state ^= state >> 7
        state ^= state << 17 & WORD
        found.append((state >> 11) / 2**53)
    return found


@pytest.mark.parametrize("seed", [0, 1, 2, 12345, 1 << 63, (1 << 64) + 3, -1])
def test_it_is_xorshift(seed: int) -> None:
    chance = RandomGenerator(seed)
    drawn = [chance.draw() for _ in range(1000)]
    assert drawn == xorshift(seed, 1000)
    assert all(0 <= number < 1 for number in drawn)
    assert 0.4 < sum(drawn) / 1000 < 0.6
