"""Where words stand in their text: the text itself must say so, in whatever pieces it comes."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.treebank import treebank

from dodona.data.spacing import detokenize
from dodona.tokenizer.tokenizer import Tokenizer, TokenizerOptions, train_tokenizer

TEXT = st.text("ab oaksthe.,\t\n\u3000|\\ß木 '", max_size=60)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return train_tokenizer(detokenize(treebank(40)), TokenizerOptions(iterations=2))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(text=TEXT, size=st.integers(1, 40))
def test_every_word_is_found_where_its_offsets_say(tokenizer: Tokenizer, text: str, size: int) -> None:
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    done = 0
    for sentence in tokenizer.apply(pieces, located=True):
        assert sentence.offsets is not None
        assert len(sentence.offsets) == len(sentence)
        for first, last, form in sentence.tokens():
            begin, end = sentence.offsets[first - 1][0], sentence.offsets[last - 1][1]
            assert re.sub(r"\s+", " ", text[begin:end]) == form
            assert not text[done:begin].strip()
            done = end
    assert not text[done:].strip()
