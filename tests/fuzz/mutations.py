"""Mutations of bytes: small damage to something valid gets past the first check, as noise never does."""

import random
from collections.abc import Callable, Sequence

__all__ = ["mutated"]

MOST_CHANGES = 6
LONGEST = 1 << 16  # bytes of a mutated input; repeated doubling must not take all memory
SEPARATORS = (b"\n", b"\t", b" ", b"\n\n")
INTERESTING = (0, 1, 0x0A, 0x0D, 0x20, 0x7F, 0x80, 0xC3, 0xED, 0xF4, 0xFE, 0xFF)
NUMBERS = (b"0", b"-1", b"1", b"65536", b"2147483648", b"18446744073709551616", b"1e309", b"nan", b"00", b"1.5")


def mutated(seeds: Sequence[bytes], tokens: Sequence[bytes], chance: random.Random) -> bytes:
    """One of the seeds after a few changes. `tokens` are words of the format, which are inserted and exchanged."""
    data = chance.choice(seeds)
    for _ in range(chance.randint(1, MOST_CHANGES)):
        change = chance.choice(CHANGES)
        data = change(data, seeds, tokens, chance)[:LONGEST]
    return data


def _flipped_bit(data: bytes, seeds: Sequence[bytes], tokens: Sequence[bytes], chance: random.Random) -> bytes:
    if not data:
        return data
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def _other_byte(data: bytes, seeds: Sequence[bytes], tokens: Sequence[bytes], chance: random.Random) -> bytes:
    if not data:
        return bytes([chance.choice(INTERESTING)])
    at = chance.randrange(len(data))
    return data[:at] + bytes([chance.choice(INTERESTING)]) + data[at + chance.randrange(2) :]


def _cut(data: bytes, seeds: Sequence[bytes], tokens: Sequence[bytes], chance: random.Random) -> bytes:
    return data[: chance.randint(0, len(data))]


def _without_a_piece(data: bytes, seeds: Sequence[bytes], tokens: Sequence[bytes], chance: random.Random) -> bytes:
    begin, end = _span(data, chance)
    return data[:begin] + data[end:]


def _piece_again(data: bytes, seeds: Sequence[bytes], tokens: Sequence[bytes], chance: random.Random) -> bytes:
    begin, end = _span(data, chance)
    return data[:end] + data[begin:end] * chance.choice((1, 1, 2, 50)) + data[end:]


def _spliced(data: bytes, seeds: Sequence[bytes], tokens: Sequence[bytes], chance: random.Random) -> bytes:
    other = chance.choice(seeds)
    return data[: chance.randint(0, len(data))] + other[chance.randint(0, len(other)) :]


def _token_inserted(data: bytes, seeds: Sequence[bytes], tokens: Sequence[bytes], chance: random.Random) -> bytes:
    at = chance.randint(0, len(data))
    return data[:at] + chance.choice([*tokens, *NUMBERS]) + data[at:]


def _field_replaced(data: bytes, seeds: Sequence[bytes], tokens: Sequence[bytes], chance: random.Random) -> bytes:
    """Another token, or another field of the same input, instead of a field."""
    separator = chance.choice(SEPARATORS)
    fields = data.split(separator)
    at = chance.randrange(len(fields))
    fields[at] = chance.choice([*tokens, *NUMBERS, b"", chance.choice(fields)])
    return separator.join(fields)


def _fields_moved(data: bytes, seeds: Sequence[bytes], tokens: Sequence[bytes], chance: random.Random) -> bytes:
    separator = chance.choice(SEPARATORS)
    fields = data.split(separator)
    one, other = chance.randrange(len(fields)), chance.randrange(len(fields))
    fields[one], fields[other] = fields[other], fields[one]
    return separator.join(fields)


def _span(data: bytes, chance: random.Random) -> tuple[int, int]:
    """Where a piece begins and ends; short ones are as likely as long ones."""
    begin = chance.randint(0, len(data))
    return begin, min(len(data), begin + int(len(data) ** chance.random()))


Change = Callable[[bytes, Sequence[bytes], Sequence[bytes], random.Random], bytes]
CHANGES: tuple[Change, ...] = (
    _flipped_bit,
    _other_byte,
    _cut,
    _without_a_piece,
    _piece_again,
    _spliced,
    _token_inserted,
    _field_replaced,
    _fields_moved,
)
