"""Where words stand in their text: the text itself must say so, in whatever pieces it comes."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.treebank import treebank

from dodona import Sentence
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


def test_words_of_a_multiword_token_have_places_of_their_own_where_the_text_shows_them() -> None:
    tokens = [
        ("don't", ["do", "n't"]),
        ("du", ["de", "le"]),
        ("cannot", ["can", "not"]),
        ("ab", ["a", "bb"]),
        ("zum", ["zu", "x"]),
    ]
    made = []
    for form, words in tokens * 4:
        made.append(Sentence.from_words(["the", *words, "."], multiword=[(2, 3, form)]))
    tokenizer = train_tokenizer(detokenize(made), TokenizerOptions(iterations=5))
    for form, spans in (
        ("don't", [(4, 6), (6, 9)]),
        ("DON'T", [(4, 6), (6, 9)]),
        ("cannot", [(4, 7), (7, 10)]),
        ("du", [(4, 6), (4, 6)]),
        ("ab", [(4, 6), (4, 6)]),
        ("zum", [(4, 7), (4, 7)]),
    ):
        (sentence,) = tokenizer.apply([f"the {form} ."], located=True)
        end = 4 + len(form)
        assert sentence.offsets == [(0, 3), *spans, (end + 1, end + 2)]
        (token,) = sentence.to_dict()["multiword"]
        assert (token["form"], token["start"], token["end"]) == (form, 4, end)
