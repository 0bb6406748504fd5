"""Sentences in portions that a server can afford: bounded in memory, and with an end in time."""

from collections.abc import Iterable, Iterator

from dodona.data import Sentence
from dodona.errors import OptionError
from dodona.transitions.clock import look

__all__ = ["LONGEST", "checked_length", "portions"]

PORTION = 4096  # words that are parsed together
LONGEST = 10_000  # words in a sentence; the tokenizer makes no longer ones


def checked_length(sentence: Sentence) -> Sentence:
    """Return a sentence that is not too long."""
    if len(sentence) > LONGEST:
        raise OptionError(f"A sentence of {len(sentence):,} words; expected at most {LONGEST:,}.")
    return sentence


def portions(sentences: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """Yield a few sentences at a time, counted by words: the memory that a network needs grows with them.

    Between two sentences the time may end.
    """
    portion: list[Sentence] = []
    words = 0
    for sentence in sentences:
        look(0.0)
        if portion and words + len(sentence) > PORTION:
            yield portion
            portion, words = [], 0
        portion.append(sentence)
        words += len(sentence)
    if portion:
        yield portion
