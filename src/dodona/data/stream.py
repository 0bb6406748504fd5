"""Marks: what stands between the sentences of a stream, and passes through all stages in its place.

    input ──► reader, tokenizer ──► pipeline ──► writer
    b"" ────► Pause ──────────────► Pause ─────► flush

When the input pauses, `data.files.chunks` yields an empty chunk. Each stage then passes on whatever is complete, and
the pause after it. So a batch ends early, and the writer flushes. What is complete does not depend on the time; only
when it is passed on does.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from dodona.data.sentence import Sentence

__all__ = [
    "BATCH", "Boundary", "Item", "Mark", "Pause", "batch_sentences", "interleave", "only_sentences", "split_batches",
]  # fmt: skip

BATCH = 128  # sentences
WORDS = 8192  # of a batch, unless one sentence has more


class Mark:
    """Base class of all marks."""


@dataclass(frozen=True)
class Pause(Mark):
    """The input pauses, or will fail: everything before is parsed and written now.

    `data` are bytes to be written as they are: comments at the end of a file whose last sentence is already passed on.
    """

    data: bytes = b""


@dataclass(frozen=True)
class Boundary(Mark):
    """The end of one of several texts or files. Sentences on both sides of it may be parsed together."""

    value: Any = None


Item: TypeAlias = Sentence | Mark
"""An element of a stream."""


def only_sentences(items: Iterable[Item]) -> Iterator[Sentence]:
    """Yield the sentences of a stream without the marks between them."""
    return (item for item in items if isinstance(item, Sentence))


def split_batches(
    items: Iterable[Item], size: int = BATCH, words: int = WORDS
) -> Iterator[tuple[list[Item], Pause | None]]:
    """Yield a few items at a time, and the pause after them, if a pause has ended the batch.

    So the weights of a component stay in the processor cache, and a network, which needs memory for every word of a
    batch at once, gets only so many words.
    """
    batch: list[Item] = []
    held = 0
    for item in items:
        if isinstance(item, Pause):
            yield batch, item
            batch, held = [], 0
            continue
        length = len(item) if isinstance(item, Sentence) else 0
        if batch and held + length > words:
            yield batch, None
            batch, held = [], 0
        batch.append(item)
        held += length
        if len(batch) >= size:
            yield batch, None
            batch, held = [], 0
    if batch:
        yield batch, None


def batch_sentences(sentences: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """Yield sentences that no mark stands between, a few at a time."""
    return (list(only_sentences(items)) for items, _ in split_batches(sentences))


def interleave(batch: Iterable[Item], parsed: Iterable[Sentence]) -> Iterator[Item]:
    """Put the marks of a batch between its parsed sentences.

    These are the sentences of the batch in the same order; copies with other trees may follow each of them.
    """
    waiting: list[Mark] = []
    marks: dict[int, list[Mark]] = {}  # before the sentence with this `id`
    for item in batch:
        if isinstance(item, Mark):
            waiting.append(item)
        elif waiting:
            marks[id(item)] = waiting
            waiting = []
    for sentence in parsed:
        yield from marks.get(id(sentence), ())
        yield sentence
    yield from waiting
