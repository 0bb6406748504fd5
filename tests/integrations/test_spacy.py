"""Dodona as a component of spaCy, on spaCy's own tokens."""

import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import dodona
from dodona import FormatError, Sentence

spacy = pytest.importorskip("spacy", reason="pip install 'dodona[spacy]'")

TEXT = "  Oak trees don't grow slowly.\n\nThe wind moves the leaves! Dr. Ares asked why. "


@pytest.fixture(scope="module")
def nlp() -> Any:
    """Registered as the entry point of the package does it."""
    pyproject = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    module, _, name = pyproject["project"]["entry-points"]["spacy_factories"]["dodona"].partition(":")
    assert callable(getattr(import_module(module), name))
    made = spacy.blank("en")
    made.add_pipe("dodona", config={"model": "en-fast"})
    return made


def test_everything_is_filled_in_on_the_tokens_that_are_there(nlp: Any) -> None:
    doc = nlp(TEXT)
    assert doc.text == TEXT
    sentences = list(doc.sents)
    assert [str(sentence).strip() for sentence in sentences] == [
        "Oak trees don't grow slowly.", "The wind moves the leaves!", "Dr. Ares asked why.",
    ]  # fmt: skip
    for sentence in sentences:
        words = [token for token in sentence if not token.is_space]
        (expected,) = dodona.load("en-fast").parse([Sentence.from_words([token.text for token in words])])
        place = {token.i: number for number, token in enumerate(words, start=1)}
        assert [token.pos_ for token in words] == expected.upos
        assert [token.tag_ for token in words] == expected.xpos
        assert [token.lemma_ for token in words] == expected.lemmas
        assert [str(token.morph) or "_" for token in words] == expected.feats
        heads = [0 if token.head == token else place[token.head.i] for token in words]
        assert heads == expected.heads
        assert [token.dep_ for token in words] == ["ROOT" if x == "root" else x for x in expected.labels]
    assert all(doc.has_annotation(name) for name in ("DEP", "TAG", "LEMMA", "MORPH", "SENT_START"))
    blanks = [token for token in doc if token.is_space]
    assert [(token.text, token.pos_, token.dep_) for token in blanks][:2] == [
        ("  ", "SPACE", "dep"),
        ("\n\n", "SPACE", "dep"),
    ]
    assert [token.head.text for token in blanks] == ["Oak", "."]


def test_many_documents_are_as_one_by_one(nlp: Any) -> None:
    texts = [TEXT, "", "  ", "Leaves rustle.", TEXT]
    found = [doc.to_json() for doc in nlp.pipe(texts, batch_size=2)]
    assert found == [nlp(text).to_json() for text in texts]


def test_sentences_that_are_there_already_are_kept() -> None:
    made = spacy.blank("en")
    made.add_pipe("sentencizer", config={"punct_chars": ["!"]})
    made.add_pipe("dodona", config={"model": "en-fast"})
    doc = made("One oak. Two oaks! Three oaks.")
    assert [str(sentence) for sentence in doc.sents] == ["One oak. Two oaks!", "Three oaks."]


def test_odd_words_and_an_unknown_model(nlp: Any) -> None:
    odd = spacy.tokens.Doc(nlp.vocab, words=["a\tb", "c\0d", "New York"], spaces=[True, True, False])
    assert [token.head is not None for token in nlp.get_pipe("dodona")(odd)] == [True] * 3
    with pytest.raises(FormatError, match="there is no such file or model"):
        spacy.blank("en").add_pipe("dodona", config={"model": "nowhere"})


def test_what_is_saved_is_the_name_of_the_model(nlp: Any, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path / "saved")
    again = spacy.load(tmp_path / "saved")
    assert again("Oak trees grow.").to_json() == nlp("Oak trees grow.").to_json()
