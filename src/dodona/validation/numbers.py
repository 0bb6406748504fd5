"""Level 1: the numbers of words, multiword tokens and empty nodes."""

from collections.abc import Iterator
from itertools import pairwise

from dodona.validation.rules import NUMBERS, Spot
from dodona.validation.sentences import Rows


@NUMBERS.rule("invalid-word-id", 1, "3, 3-4 or 3.1, without zeros before it, up to nine digits", severe=True)
def invalid_word_id(s: Rows) -> Iterator[Spot]:
    """ID is the number of a word, the range of a multiword token, or the number of an empty node."""
    for row in s.others:
        yield Spot(row.line, row.id)


@NUMBERS.rule("word-id-sequence", 1, "words numbered 1, 2, 3, …", severe=True)
def word_id_sequence(s: Rows) -> Iterator[Spot]:
    """Words are numbered from 1 without gaps, and there is at least one."""
    if not s.words:
        yield Spot(s.line, "no word")
    if not s.in_sequence and not s.others:
        for k, row in enumerate(s.words, start=1):
            if row.id != str(k):
                yield Spot(row.line, row.id, str(k))
                return


@NUMBERS.rule("reversed-word-interval", 1, "a last word after the first", severe=True)
def reversed_word_interval(s: Rows) -> Iterator[Spot]:
    """The range of a multiword token has at least two words, the first one first."""
    for row, first, last, _ in s.ranges:
        if last <= first:
            yield Spot(row.line, row.id)


@NUMBERS.rule("misplaced-word-interval", 1, "the range just before its first word", severe=True)
def misplaced_word_interval(s: Rows) -> Iterator[Spot]:
    """The line of a multiword token stands just above that of its first word."""
    for row, first, _, after in s.ranges:
        if first != after + 1:
            yield Spot(row.line, row.id)


@NUMBERS.rule("word-interval-out", 1, "a range inside of the sentence", severe=True)
def word_interval_out(s: Rows) -> Iterator[Spot]:
    """A multiword token consists of words of its sentence."""
    for row, _, last, _ in s.ranges:
        if last > len(s.words):
            yield Spot(row.line, row.id, f"words as far as {len(s.words)} only")


@NUMBERS.rule("overlapping-word-intervals", 1, "ranges apart from each other", severe=True)
def overlapping_word_intervals(s: Rows) -> Iterator[Spot]:
    """A word belongs to one multiword token at most."""
    for before, (row, first, _, _) in pairwise(s.ranges):
        if first <= before.last:
            yield Spot(row.line, f"{row.id} after {before.row.id}")


@NUMBERS.rule("misplaced-empty-node", 1, "the next number after that of the word before", severe=True)
def misplaced_empty_node(s: Rows) -> Iterator[Spot]:
    """Empty nodes after word 4 are 4.1, 4.2, …; before a multiword token they stand above its line."""
    for row, expected in s.empty:
        if row.id != expected:
            yield Spot(row.line, row.id, expected)
