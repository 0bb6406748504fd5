"""Sentences go through a component in batches that are neither too many sentences nor too many words."""

from samples.treebank import treebank

from dodona import Sentence
from dodona.component import batches


def test_sentences_and_words_are_limited() -> None:
    lengths = [3, 4, 1, 1, 1, 9, 1, 5, 2, 8, 1]
    sentences = [Sentence.from_words(["w"] * length) for length in lengths]
    found = list(batches(sentences, size=3, words=8))
    assert [[len(s) for s in batch] for batch in found] == [[3, 4, 1], [1, 1], [9], [1, 5, 2], [8], [1]]
    assert [s for batch in found for s in batch] == sentences
    assert list(batches([])) == []


def test_a_full_batch_is_not_held_back() -> None:
    rest = iter(treebank(5))
    assert len(next(batches(rest, size=2))) == 2
    assert len(list(rest)) == 3
