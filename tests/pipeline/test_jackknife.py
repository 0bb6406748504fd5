"""Jackknifed tags: each sentence is tagged by a tagger that has not seen it, in however many processes."""

import os
from collections.abc import Sequence
from functools import partial

import pytest
from samples.inflected import inflected

from dodona import DodonaError, FormatError, OptionError, Sentence
from dodona.pipeline.jackknife import jackknife
from dodona.tagger.tagger import Tagger, TaggerOptions, train_tagger

TRAIN = inflected(40)
QUICK = partial(train_tagger, options=TaggerOptions(iterations=1))


def tags_of(sentences: Sequence[Sentence]) -> list[list[list[str]]]:
    return [[sentence.upos, sentence.xpos, sentence.feats] for sentence in sentences]


def test_every_sentence_is_tagged_by_a_tagger_that_has_not_seen_it() -> None:
    """Each sentence has a word and a tag of its own: if that comes out, it was seen."""
    sentences = [Sentence.from_words([f"word{i}", "the"], [f"T{i}", "DET"]) for i in range(12)]
    seen: list[int] = []

    def watched(rest: Sequence[Sentence]) -> Tagger:
        seen.append(len(rest))
        return QUICK(rest)

    tags = tags_of(jackknife(sentences, folds=4, train=watched, jobs=1))
    assert seen == [9] * 4
    assert len(tags) == len(sentences)
    for i, (upos, xpos, feats) in enumerate(tags):
        assert upos[0] != f"T{i}"
        assert xpos == feats == ["_", "_"]


def test_the_result_is_as_if_done_by_hand_and_independent_of_jobs() -> None:
    tags = tags_of(jackknife(TRAIN, folds=3, train=QUICK, jobs=1))
    for fold in range(3):
        tagger = QUICK([sentence for i, sentence in enumerate(TRAIN) if i % 3 != fold])
        assert tags[fold::3] == [tagger.columns(sentence.words) for sentence in TRAIN[fold::3]]
    assert tags_of(jackknife(TRAIN, folds=3, train=QUICK, jobs=2)) == tags


def test_the_sentences_stay_as_they_are() -> None:
    before = [sentence.to_bytes() for sentence in TRAIN]
    jackknife(TRAIN, folds=2, train=QUICK, jobs=1)
    assert [sentence.to_bytes() for sentence in TRAIN] == before


def test_more_folds_than_sentences() -> None:
    assert len(jackknife(TRAIN[:3], folds=10, train=QUICK, jobs=1)) == 3


@pytest.mark.parametrize(("count", "folds", "jobs"), [(1, 10, 1), (0, 10, 1), (10, 1, 1), (10, 2, 0)])
def test_too_few(count: int, folds: int, jobs: int) -> None:
    with pytest.raises(OptionError, match="expected at least"):
        jackknife(TRAIN[:count], folds=folds, train=QUICK, jobs=jobs)


class Deadly:
    """Ends the process that unpickles it."""

    def __call__(self, sentences: Sequence[Sentence]) -> Tagger:
        raise AssertionError

    def __reduce__(self) -> tuple[object, ...]:
        return os._exit, (1,)


def test_errors_in_other_processes() -> None:
    with pytest.raises(FormatError, match="some file: the tagger's description"):
        jackknife(TRAIN, folds=2, train=partial(Tagger.from_parts, arrays={}, where="some file"), jobs=2)
    with pytest.raises(DodonaError, match="has died"):
        jackknife(TRAIN, folds=2, train=Deadly(), jobs=2)
