"""Attachment scores word by word, for a system output with the same words as gold."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dodona.data import Sentence
from dodona.errors import MismatchError
from dodona.evaluation.document import universal
from dodona.evaluation.tables import rates_html

__all__ = ["Comparison", "Rate", "attachment", "compare", "paired"]

Mask: TypeAlias = NDArray[np.bool_]
Counts: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Rate:
    correct: int
    total: int

    @property
    def accuracy(self) -> float:
        return self.correct / self.total if self.total else 0.0


@dataclass(slots=True)
class Comparison:
    """Every word of all sentences in one array per question, so that any score is a sum over some of the words."""

    sentence: Counts  # which sentence the word is in, from 0
    position: Counts  # of the word in its sentence, from 1
    gold_heads: Counts
    system_heads: Counts
    gold_labels: list[str]
    system_labels: list[str]
    punctuation: Mask  # by gold UPOS
    head_right: Mask
    label_right: Mask
    universal_right: Mask  # the relation, subtypes aside

    @property
    def arc_right(self) -> Mask:
        return self.head_right & self.label_right

    def _repr_html_(self) -> str:
        return rates_html({"all words": attachment(self), "without punctuation": attachment(self, punctuation=False)})

    def per_sentence(self, words: Mask) -> Counts:
        """How many of these words each sentence has."""
        sentences = int(self.sentence[-1]) + 1 if len(self.sentence) else 0
        return np.bincount(self.sentence[words], minlength=sentences)


def compare(gold_sentences: Iterable[Sentence], system_sentences: Iterable[Sentence]) -> Comparison:
    """Line up two files, which must have the same sentences and words."""
    lengths: list[int] = []
    gold_heads: list[int] = []
    system_heads: list[int] = []
    gold_labels: list[str] = []
    system_labels: list[str] = []
    upos: list[str] = []
    for gold, system in paired(gold_sentences, system_sentences):
        lengths.append(len(gold.words))
        gold_heads += gold.gold_heads()
        system_heads += system.gold_heads()
        gold_labels += gold.labels
        system_labels += system.labels
        upos += gold.upos
    heads = np.array(gold_heads, np.int64), np.array(system_heads, np.int64)
    pairs = list(zip(gold_labels, system_labels, strict=True))
    return Comparison(
        np.repeat(np.arange(len(lengths)), lengths),
        np.concatenate([np.arange(1, n + 1) for n in lengths]) if lengths else np.zeros(0, np.int64),
        *heads,
        gold_labels,
        system_labels,
        np.array([tag == "PUNCT" for tag in upos], bool),
        heads[0] == heads[1],
        np.array([g == s for g, s in pairs], bool),
        np.array([g == s or universal(g) == universal(s) for g, s in pairs], bool),
    )


def paired(
    gold_sentences: Iterable[Sentence], system_sentences: Iterable[Sentence]
) -> Iterator[tuple[Sentence, Sentence]]:
    """Yield the sentences of two files side by side; the first that has other words is an error."""
    gold: Sentence | None = None
    system: Sentence | None = None
    for number, (next_gold, next_system) in enumerate(zip_longest(gold_sentences, system_sentences), start=1):
        if next_gold is None or next_system is None:
            raise _different_number(number - 1, gold, system, next_gold, next_system)
        gold, system = next_gold, next_system
        _check_words(number, gold, system)
        yield gold, system


def attachment(comparison: Comparison, *, punctuation: bool = True) -> dict[str, Rate]:
    """UAS, LAS and label accuracy over words, and over sentences that are entirely right.

    Without punctuation, words that gold tags PUNCT are left out, and so are sentences of nothing else.
    """
    c = comparison
    counted = np.ones_like(c.punctuation) if punctuation else ~c.punctuation
    scored = c.per_sentence(counted) > 0

    def words(right: Mask) -> Rate:
        return Rate(int(np.sum(right & counted)), int(np.sum(counted)))

    def sentences(right: Mask) -> Rate:
        flawless = c.per_sentence(counted & ~right) == 0
        return Rate(int(np.sum(flawless & scored)), int(np.sum(scored)))

    return {
        "UAS": words(c.head_right),
        "LAS": words(c.arc_right),
        "LAS universal": words(c.head_right & c.universal_right),
        "labels": words(c.label_right),
        "labels universal": words(c.universal_right),
        "UAS exact match": sentences(c.head_right),
        "LAS exact match": sentences(c.arc_right),
        "LAS universal exact match": sentences(c.head_right & c.universal_right),
    }


def _check_words(number: int, gold: Sentence, system: Sentence) -> None:
    if gold.words == system.words:
        return
    for d, (g, s) in enumerate(zip(gold.words, system.words, strict=False), start=1):
        if g != s:
            raise MismatchError(
                f"{system.file}:{system.word_line(d)}: word {d} of sentence {number} is {s!r}; "
                f"expected {g!r} as in {gold.file}:{gold.word_line(d)}"
            )
    raise MismatchError(
        f"{system.file}:{system.line}: sentence {number} has {len(system.words)} words; "
        f"expected {len(gold.words)} as in {gold.file}:{gold.line}"
    )


def _different_number(
    common: int,
    gold: Sentence | None,
    system: Sentence | None,
    next_gold: Sentence | None,
    next_system: Sentence | None,
) -> MismatchError:
    """One file goes on with a sentence where the other one has ended."""
    more, last = (next_system, gold) if next_gold is None else (next_gold, system)
    assert more is not None
    ended = last.file if last else "the other file"
    return MismatchError(
        f"{more.file}:{more.line}: sentence {common + 1} begins here, but {ended} has only {common}; "
        f"expected the same number of sentences"
    )
