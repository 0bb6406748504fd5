"""Lists of a sentence that somebody has changed are checked at the entry: no crash, and a message that says what."""

from typing import Any

import numpy as np
import pytest
from samples.treebank import treebank

from dodona import OptionError, Sentence
from dodona.lemmatizer.lemmatizer import LONGEST_REMEMBERED, LemmatizerOptions, train_lemmatizer
from dodona.parser.options import ParserOptions
from dodona.parser.parser import Request
from dodona.parser.training import train_parser
from dodona.pipeline.pipeline import Pipeline
from dodona.tagger.tagger import TaggerOptions, train_tagger
from dodona.tokenizer.tokenizer import Expander


class Loud(str):
    def lower(self) -> Any:
        return b"no string"


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    sentences = list(treebank(40))
    parser = train_parser(sentences, ParserOptions(iterations=1))
    tagger = train_tagger(sentences, TaggerOptions(iterations=1))
    return Pipeline(parser, tagger, train_lemmatizer(sentences, LemmatizerOptions(iterations=1)))


def sentence(tagged: bool = True) -> Sentence:
    heads: list[int | None] = [2, None, None, None]
    return Sentence.from_words(["the", "old", "oak", "."], ["DET"] * 4 if tagged else None, heads=heads)


@pytest.mark.parametrize("column", ["words", "upos", "xpos", "feats"])
@pytest.mark.parametrize(
    "wrong", [b"abc" * 100_000, None, 7, 1.5, True, [], (), {}, object(), bytearray(b"x")], ids=type
)
def test_what_is_no_string_is_an_error(nlp: Pipeline, column: str, wrong: object) -> None:
    changed = sentence()
    getattr(changed, column)[1] = wrong
    with pytest.raises(OptionError, match=rf"{column}: value .* of type {type(wrong).__name__}; expected a string"):
        list(nlp.parse([changed]))


@pytest.mark.parametrize("column", ["words", "upos", "xpos", "feats"])
@pytest.mark.parametrize("kind", [np.str_, Loud])
def test_other_kinds_of_strings_are_strings(nlp: Pipeline, column: str, kind: type[str]) -> None:
    plain, changed = sentence(), sentence()
    getattr(plain, column)[1] = "new"
    getattr(changed, column)[1] = kind("new")
    (expected,), (found,) = nlp.parse([plain]), nlp.parse([changed])
    assert (found.heads, found.labels, found.lemmas) == (expected.heads, expected.labels, expected.lemmas)
    assert {type(value) for value in getattr(found, column)} == {str}


@pytest.mark.parametrize("column", ["words", "upos", "xpos", "feats", "labels", "heads"])
@pytest.mark.parametrize("longer", [True, False])
def test_columns_of_another_length_are_an_error(nlp: Pipeline, column: str, longer: bool) -> None:
    changed = sentence()
    values = getattr(changed, column)
    values.extend(values * 20) if longer else values.pop()
    with pytest.raises(OptionError, match=rf"{column}: \d+ values; expected 4, one for each word"):
        list(nlp.parse([changed], Request(constrained=True)))


@pytest.mark.parametrize("head", [99, 5, -1, 10**20, "1", 1.5])
def test_given_heads_that_are_no_words_are_an_error(nlp: Pipeline, head: Any) -> None:
    changed = sentence()
    changed.heads[1] = head
    for work in (
        lambda: nlp.parse([changed], Request(constrained=True)),
        lambda: nlp.parser.analyses(changed, Request(constrained=True)),
    ):
        with pytest.raises(OptionError, match=r"word 2 has head .*; expected a number from 0 to 4, or None"):
            list(work())


def test_numbers_of_numpy_are_heads(nlp: Pipeline) -> None:
    changed = sentence()
    changed.heads[1] = np.int64(3)  # type: ignore[call-overload]
    (found,) = nlp.parse([changed], Request(constrained=True))
    assert found.heads[:2] == [2, 3]


def test_long_words_are_not_cached(nlp: Pipeline) -> None:
    """A thousand words of ten million characters would be ten gigabytes."""
    assert nlp.lemmatizer is not None
    known = nlp.lemmatizer._known
    nlp.lemmatizer.lemmas(["z" * LONGEST_REMEMBERED, "z" * (LONGEST_REMEMBERED - 10)], ["NOUN"] * 2, ["_"] * 2)
    assert [len(form) for form, _, _ in known if form.startswith("zz")] == [LONGEST_REMEMBERED - 10]
    expander = Expander({}, {})
    assert expander["w" * 201] is expander["w" * 200] is None
    assert [len(form) for form in expander] == [200]


def test_columns_are_checked_in_other_threads_too(nlp: Pipeline) -> None:
    one = sentence()
    one.words[1] = b"bytes"  # type: ignore[call-overload]
    with pytest.raises(OptionError, match="words: value b'bytes' of type bytes; expected a string"):
        list(nlp.parse([one], jobs=2))
