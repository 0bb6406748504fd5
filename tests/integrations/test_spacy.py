"""Dodona as a component of spaCy, on spaCy's own tokens."""

import os
import pickle
import subprocess
import sys
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


@pytest.fixture
def unnamed(tmp_path: Path) -> Path:
    """A model that only its file has."""
    dodona.load("en-fast").save(tmp_path / "my.model")
    return tmp_path / "my.model"


def test_the_model_itself_can_be_saved(nlp: Any, unnamed: Path, tmp_path: Path) -> None:
    config = {"model": str(unnamed), "include_model": True}
    made = spacy.blank("en")
    made.add_pipe("dodona", config=config)
    made.to_disk(tmp_path / "saved")
    data = made.to_bytes()
    unnamed.unlink()
    expected = nlp("Oak trees grow.").to_json()
    assert spacy.load(tmp_path / "saved")("Oak trees grow.").to_json() == expected
    other = spacy.blank("en")
    other.add_pipe("dodona", config=config)
    with pytest.raises(FormatError, match=r"my\.model: there is no such file or model"):
        other("Oak trees grow.")
    assert other.from_bytes(data)("Oak trees grow.").to_json() == expected
    (tmp_path / "saved" / "dodona" / "dodona.model").write_bytes(b"no model")
    with pytest.raises(FormatError, match=r"dodona\.model: "):
        spacy.load(tmp_path / "saved")


def test_it_can_be_pickled(nlp: Any, unnamed: Path) -> None:
    component = nlp.get_pipe("dodona")
    assert len(pickle.dumps(component)) < 1000
    for one in (nlp, spacy.blank("en")):
        if one is not nlp:
            one.add_pipe("dodona", config={"model": str(unnamed)})
        again = pickle.loads(pickle.dumps(one))
        assert again(TEXT).to_json() == nlp(TEXT).to_json()
        assert [str(chunk) for chunk in again(TEXT).noun_chunks] == [str(chunk) for chunk in nlp(TEXT).noun_chunks]


PROCESSES = """
import multiprocessing, spacy
if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    nlp = spacy.blank("en")
    nlp.add_pipe("dodona", config={"model": "en-fast"})
    for doc in nlp.pipe(["Oak trees grow.", "", "Nobody asks why."] * 2, n_process=2, batch_size=1):
        print([token.dep_ for token in doc], [str(chunk) for chunk in doc.noun_chunks])
"""


@pytest.mark.slow
def test_several_processes_of_spacy(nlp: Any, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROCESSES)
    command = [sys.executable, str(tmp_path / "program.py")]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False)
    docs = [nlp(text) for text in ("Oak trees grow.", "", "Nobody asks why.")] * 2
    expected = [f"{[token.dep_ for token in doc]} {[str(chunk) for chunk in doc.noun_chunks]}" for doc in docs]
    assert (done.stdout.splitlines(), done.returncode) == (expected, 0), done.stderr


def test_noun_chunks_are_those_of_dodona(nlp: Any) -> None:
    texts = [
        "The big, old oak  trees of the garden\n grow. He saw the man who sold the world, and  a dog.",
        "My neighbour's dog barks. There is a land rich in water, oil and gas.",
        "",
    ]
    for text in texts:
        doc = nlp(text)
        words = [[token for token in sentence if not token.is_space] for sentence in doc.sents]
        sentences = [Sentence.from_words([token.text for token in own]) for own in words if own]
        expected = [
            (own[chunk.first - 1].idx, own[chunk.last - 1].idx + len(own[chunk.last - 1]), own[chunk.root.id - 1].i)
            for own, sentence in zip(words, dodona.load("en-fast").parse(sentences), strict=True)
            for chunk in sentence.noun_chunks
        ]
        chunks = list(doc.noun_chunks)
        assert [(chunk.start_char, chunk.end_char, chunk.root.i) for chunk in chunks] == expected
        assert [chunk for sentence in doc.sents for chunk in sentence.noun_chunks] == chunks
        assert {chunk.label_ for chunk in chunks} <= {"NP"}
    assert len(list(nlp(texts[0]).noun_chunks)) == 7
    assert [str(chunk) for chunk in nlp(texts[0])[3:8].noun_chunks] == []


TREEBANKS = os.environ.get("DODONA_TREEBANKS")


@pytest.mark.skipif(TREEBANKS is None, reason="DODONA_TREEBANKS names no folder with treebanks")
@pytest.mark.parametrize("name", ["en_ewt", "sv_lines", "fr_sequoia"])
def test_noun_chunks_of_gold_trees(nlp: Any, name: str) -> None:
    for sentence in dodona.read(Path(str(TREEBANKS), name, "dev.conllu.gz")):
        heads = [k if head == 0 else (head or 0) - 1 for k, head in enumerate(sentence.heads)]
        labels = ["ROOT" if head == 0 else label for head, label in zip(sentence.heads, sentence.labels, strict=True)]
        doc = spacy.tokens.Doc(nlp.vocab, words=sentence.words, pos=sentence.upos, heads=heads, deps=labels)
        chunks = [(chunk.start + 1, chunk.end) for chunk in doc.noun_chunks]
        assert chunks == [(chunk.first, chunk.last) for chunk in sentence.noun_chunks], sentence.text
