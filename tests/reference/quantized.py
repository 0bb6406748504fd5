"""Frozen weights as dictionaries: the numbers that a model keeps, and what its four arrays say.

fingerprints    of each feature, in the order of the table: the lower half of its name, made odd
counts   how many features each bucket has; the upper half of the name says which bucket
rows     of each feature: how many (action, weight) pairs, then the pairs; or 0xFFFF and the number of a wide row
wide     rows with one 16-bit weight for every action
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from numpy.typing import NDArray

WIDE = 0xFFFF
Numbers = dict[tuple[int, int], int]  # by feature and action
Layout = dict[tuple[int, int], tuple[bool, dict[int, int]]]  # by bucket and fingerprint: whether wide, weight by action


def bits_of(actions: int) -> int:
    """Of the weight in a pair: a pair has 16 bits, at least 8 of them for the action, and 32 where 6 bits would not be
    left for the weight."""
    action_bits = 8
    while 2**action_bits < actions:
        action_bits += 1
    return 16 - action_bits if action_bits <= 10 else 16


def quantile(values: Iterable[float], share: float) -> float:
    """By linear interpolation between the two values next to it."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    return ordered[low] + (place - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])


def quantized(weights: Sequence[tuple[int, int, float]], actions: int) -> Numbers:
    """Nearly all weights fit the bits of a pair, the others 16 bits; what rounds to 0 is gone."""
    if not weights:
        return {}
    largest = min(2 ** (bits_of(actions) - 1) - 1, 127)
    scale = largest / max(quantile((abs(w) for _, _, w in weights), 0.9999), 1e-9)
    numbers = {(key, action): max(-32767, min(32767, round(w * scale))) for key, action, w in weights}
    return {place: number for place, number in numbers.items() if number}


def sums(numbers: Numbers, keys: Iterable[int], actions: int) -> list[int]:
    keys = list(keys)
    return [sum(numbers.get((key, action), 0) for key in keys) for action in range(actions)]


def place_of(key: int, buckets: int) -> tuple[int, int]:
    return (key >> 32) * buckets >> 32, key & 0xFFFFFFFF | 1


def expected_layout(numbers: Numbers, actions: int) -> Layout:
    """A row is wide if more than a third of all actions have a weight, or one needs more bits than a pair has."""
    rows: dict[int, dict[int, int]] = {}
    for (key, action), number in numbers.items():
        rows.setdefault(key, {})[action] = number
    most = 2 ** (bits_of(actions) - 1) - 1
    buckets = max(1, len(rows) // 2)
    return {
        place_of(key, buckets): (3 * len(row) > actions or max(map(abs, row.values())) > most, row)
        for key, row in rows.items()
    }


def layout(
    actions: int, fingerprints: NDArray[Any], counts: NDArray[Any], rows: NDArray[Any], wide: NDArray[Any]
) -> Layout:
    """Read the arrays one number after the other."""
    bits = bits_of(actions)
    buckets = [bucket for bucket, count in enumerate(counts.tolist()) for _ in range(count)]
    numbers, at = rows.tolist(), 0
    found: Layout = {}
    for bucket, fingerprint in zip(buckets, fingerprints.tolist(), strict=True):
        if numbers[at] == WIDE:
            number = numbers[at + 1] | numbers[at + 2] << 16
            row = wide[number * actions : (number + 1) * actions].tolist()
            found[bucket, fingerprint] = True, {action: weight for action, weight in enumerate(row) if weight}
            at += 3
        else:
            pairs = numbers[at + 1 : at + 1 + numbers[at]]
            found[bucket, fingerprint] = False, dict(_pair(pair, bits) for pair in pairs)
            at += 1 + len(pairs)
    assert at == len(numbers)
    return found


def _pair(pair: int, bits: int) -> tuple[int, int]:
    """(action, weight): the action above the weight in 16 bits, below it in 32."""
    action, weight = (pair & 0xFFFF, pair >> 16) if bits == 16 else (pair >> bits, pair & (1 << bits) - 1)
    return action, weight - (1 << bits) if weight >> (bits - 1) else weight


def sound(rows: Sequence[int], long_pairs: bool, count: int, wide: int, actions: int) -> bool:
    """Whether the numbers are exactly `count` rows that name only actions and wide rows that exist.

    `rows` are 16-bit numbers; with long pairs every second one is an upper half, which only weights need.
    """
    bits = bits_of(actions)
    rest = list(rows)
    for _ in range(count):
        if not rest:
            return False
        size = 2 if rest[0] == WIDE else rest[0]
        length = (1 + size) * (2 if long_pairs else 1)
        row, rest = rest[:length], rest[length:]
        if len(row) < length:
            return False
        lower = row[::2] if long_pairs else row
        if lower[0] == WIDE:
            if lower[1] | lower[2] << 16 >= wide:
                return False
        elif any((number if long_pairs else number >> bits) >= actions for number in lower[1:]):
            return False
    return not rest
