"""A document is its sentences, in order, with their text; what it writes comes back, and what is wrong is named."""

import copy
import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

import dodona
from dodona import Document, FormatError, OptionError, Sentence, Token
from dodona.data.noun_chunks import NounChunk
from dodona.data.other_names import OTHER_NAMES
from dodona.parser.parser import Request

TEXT = "  Oak trees don't grow slowly.\n\nThe wind moves the leaves!  Dr. Ares can't ask <why>. "


@pytest.fixture(scope="module")
def nlp() -> dodona.Pipeline:
    return dodona.load("en-fast")


@pytest.fixture
def document(nlp: dodona.Pipeline) -> Document:
    return nlp(TEXT)


def test_a_document_is_a_sequence_of_sentences(document: Document) -> None:
    first, second, third = document
    assert (len(document), document[0], document[-1], document[1:]) == (3, first, third, [second, third])
    assert list(reversed(document)) == [third, second, first]
    assert second in document
    assert document == [first, second, third]
    assert document == Document(document, TEXT)
    assert document != Document(document[:2], TEXT)
    assert document != Document(document, "another text")
    assert document != "text"
    assert document.sentences == [first, second, third]
    assert repr(document) == '<Document of 3 sentences: "  Oak trees don\'t grow slowly.\\n\\nThe wind…">'
    assert repr(Document([], "")) == "<Document of 0 sentences: ''>"
    assert str(document) == TEXT
    with pytest.raises(TypeError, match="unhashable"):
        hash(document)
    with pytest.raises(IndexError):
        document[3]


def test_places_are_those_in_the_text(document: Document) -> None:
    assert document.text == TEXT
    assert document.tokens == [token for sentence in document for token in sentence]
    for token in document.tokens:
        assert TEXT[token.start : token.end] == token.form
    spans = [TEXT[sentence.start : sentence.end] for sentence in document]
    assert spans == ["Oak trees don't grow slowly.", "The wind moves the leaves!", "Dr. Ares can't ask <why>."]
    assert document.noun_chunks == [chunk for sentence in document for chunk in sentence.noun_chunks]
    for chunk in document.noun_chunks:
        assert TEXT[chunk.start : chunk.end] == chunk.text
    assert "Oak trees" in map(str, document.noun_chunks)


def test_pipe_yields_documents(nlp: dodona.Pipeline) -> None:
    texts = [TEXT, "", "Leaves rustle."]
    for found, text in zip(nlp.pipe(texts, batch=2), texts, strict=True):
        assert isinstance(found, Document)
        assert (found.text, found.to_dict()) == (text, nlp(text).to_dict())
    pairs = list(nlp.pipe([(text, len(text)) for text in texts], as_tuples=True, jobs=2))
    assert [(found.text, context) for found, context in pairs] == [(text, len(text)) for text in texts]


def test_the_text_of_sentences_without_one() -> None:
    sentences = [Sentence.from_words(["Yes", "."], misc=["SpaceAfter=No", "_"]), Sentence.from_words(["No"])]
    assert Document(sentences).text == "Yes. No "
    assert sentences[0].start is sentences[0].end is sentences[0][0].start is None
    assert (sentences[0].root, sentences[0].noun_chunks) == (None, [])


def test_the_root() -> None:
    sentence = Sentence.from_words(["a", "b", "c"], heads=[2, 0, 0])
    assert sentence.root == sentence[1]
    sentence[1].deprel = "root"
    assert (sentence[1].deprel, sentence[1].label, sentence.labels) == ("root", "root", ["_", "root", "_"])


def test_as_a_dictionary_and_as_json(document: Document) -> None:
    made = document.to_dict()
    assert made == {"text": TEXT, "sentences": [sentence.to_dict() for sentence in document]}
    assert json.loads(document.to_json()) == json.loads(json.dumps(made))
    again = Document.from_dict(json.loads(document.to_json(indent=1)))
    assert again.to_dict() == made
    assert again.to_conllu() == document.to_conllu()


def test_conllu_is_what_is_written(document: Document, tmp_path: Path) -> None:
    dodona.write(document, tmp_path / "some.conllu")
    assert document.to_conllu() == (tmp_path / "some.conllu").read_text()
    whole = (tmp_path / "some.conllu").read_bytes()
    (tmp_path / "bom.conllu").write_bytes(b"\xef\xbb\xbf" + whole.rstrip(b"\n"))
    with pytest.warns(dodona.FormatWarning):
        twice = [*dodona.read(tmp_path / "bom.conllu"), *dodona.read(tmp_path / "bom.conllu")]
    assert Document(twice).to_conllu() == 2 * document.to_conllu()


@pytest.mark.parametrize(
    "again",
    [
        lambda document: Document.from_bytes(document.to_bytes()),
        lambda document: pickle.loads(pickle.dumps(document)),
        copy.copy,
        copy.deepcopy,
    ],
)
def test_what_comes_back(document: Document, again: Callable[[Document], Document]) -> None:
    found = again(document)
    assert found.to_dict() == document.to_dict()
    assert found.to_conllu() == document.to_conllu()
    assert [token.offsets for token in found.tokens] == [token.offsets for token in document.tokens]


def test_bytes_of_odd_documents(nlp: dodona.Pipeline) -> None:
    for odd in (
        nlp("Oaks grow.", Request(beam=4, nbest=3)),
        nlp(" \ud800 a\x00b \u2028"),
        nlp(""),
        Document([Sentence.from_words(["a", "b"], heads=[None, 1], multiword=[(1, 2, "ab")])]),
        Document([Sentence.from_words(["a"], format="conllx")]),
    ):
        again = Document.from_bytes(odd.to_bytes())
        assert (again.text, again.to_conllu()) == (odd.text, odd.to_conllu())
        assert [sentence.offsets for sentence in again] == [sentence.offsets for sentence in odd]


def damage(change: Callable[[dict[str, Any]], object]) -> Callable[[bytes], bytes]:
    def damaged(data: bytes) -> bytes:
        given = json.loads(data)
        change(given)
        return json.dumps(given).encode()

    return damaged


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data[:-1], "a document: no JSON"),
        (lambda data: b"\xff", "a document: no JSON"),
        (lambda data: b"[]", "a document: expected JSON with format, version, text, offsets, conllu"),
        (damage(lambda given: given.update(format="x")), "a document: expected JSON with"),
        (damage(lambda given: given.update(more=1)), "a document: expected JSON with"),
        (damage(lambda given: given.pop("text")), "a document: expected JSON with"),
        (damage(lambda given: given.update(version=2)), "a document of version 2; this Dodona reads version 1"),
        (damage(lambda given: given.update(text=7)), "expected text and CoNLL-U as strings"),
        (damage(lambda given: given.update(conllu=None)), "expected text and CoNLL-U as strings"),
        (damage(lambda given: given.update(conllu="\ud800")), "CoNLL-U with lone surrogates"),
        (damage(lambda given: given.update(conllu="1\tx\n\n")), "document:1: 2 columns; expected 10"),
        (damage(lambda given: given["offsets"].pop()), "offsets of 2 sentences; expected those of 3"),
        (damage(lambda given: given["offsets"][1].pop()), "sentence 2: offsets .*; expected two numbers for each of 6"),
        (damage(lambda given: given["offsets"][1].__setitem__(0, -1)), "sentence 2: offsets "),
        (damage(lambda given: given["offsets"][1].__setitem__(0, True)), "sentence 2: offsets "),
        (damage(lambda given: given["offsets"][1].__setitem__(0, 1000)), "sentence 2: .* ends before it begins"),
        (damage(lambda given: given.update(text="short")), "sentence 1: a word that ends at 30; expected at most 5"),
    ],
)  # fmt: skip
def test_damaged_bytes_are_an_error(document: Document, change: Callable[[bytes], bytes], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        Document.from_bytes(change(document.to_bytes()))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Document(cast(Any, "text")), "'t' in a document; expected sentences"),
        (lambda: Document([], cast(Any, 7)), "text 7; expected a string, or None"),
        (lambda: Document.from_dict({}), "expected a dictionary with the list 'sentences'"),
        (lambda: Document.from_dict(cast(Any, [])), "expected a dictionary with the list 'sentences'"),
        (lambda: Document.from_dict({"sentences": [], "x": 1}), "unknown key 'x'; expected 'text' and 'sentences'"),
        (
            lambda: Document.from_dict({"text": "a", "sentences": [{"tokens": [{"form": "a", "start": 0, "end": 2}]}]}),
            "sentence 1: a word that ends at 2; expected at most 1",
        ),
        (lambda: dodona.load("en-fast").pipe(cast(Any, Document([]))), "of type Document; expected several texts"),
        (lambda: dodona.load("en-fast")(cast(Any, Document([]))), "of type Document; expected a text.*nlp.parse"),
    ],
)
def test_wrong_arguments_are_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        call()


def test_names_of_other_libraries_are_explained(document: Document) -> None:
    objects: dict[str, object] = {
        "document": document, "sentence": document[0], "token": document[0][0], "span": document.noun_chunks[0],
    }  # fmt: skip
    assert sorted(objects) == sorted(OTHER_NAMES)
    for table, one in objects.items():
        for name in OTHER_NAMES[table]:
            assert not hasattr(one, name)
            assert name not in dir(one)
            assert isinstance(one, Document | Sentence | Token | NounChunk)
            with pytest.raises(AttributeError, match=f"'{type(one).__name__}' object has no attribute '{name}'; "):
                getattr(one, name)
            with pytest.raises(AttributeError, match=f"no attribute '{name}'; "):
                setattr(one, name, 1)
    with pytest.raises(AttributeError, match="'Token' object has no attribute 'dep_'; here it is `deprel`"):
        objects["token"].dep_  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(
        AttributeError, match="'Document' object has no attribute 'ents'; Dodona does not look for named"
    ):
        document.ents  # type: ignore[attr-defined]  # noqa: B018


def test_our_names_in_the_explanations_are_there(document: Document) -> None:
    """Where an explanation is a name, the object has it."""
    one = document[0]
    for table, each in (("document", document), ("sentence", one), ("token", one[0]), ("span", one.noun_chunks[0])):
        for ours in OTHER_NAMES[table].values():
            name = re.match(r"`(\w+)(`|\.|\[| ==)(?! of)", ours)
            if name is not None and name[1] != "dodona":
                assert hasattr(each, name[1]), (table, ours)


def test_completion_shows_what_users_need(document: Document) -> None:
    shown = dir(document[0])
    assert {"words", "heads", "root", "noun_chunks", "to_dict", "to_bytes", "set_tree", "offsets", "copy"} <= {*shown}
    internal = {"accept_tree", "accept_heads", "keep_column", "enclose", "list_column", "from_columns", "gold_heads"}
    assert internal.isdisjoint(shown)
    assert internal <= {name for base in Sentence.__mro__ for name in vars(base)}  # they are there, but not shown
    assert {"text", "tokens", "sentences", "to_dataframe"} <= {*dir(document)}
    nlp = dir(dodona.load("en-fast"))
    assert {"parse", "pipe", "save", "about", "parser"} <= {*nlp}
    assert {"stream", "tokenize"}.isdisjoint(nlp)


def test_a_picture(document: Document) -> None:
    html = document._repr_html_()
    assert (html.count("<svg"), html.count("<style"), "more</p>" in html) == (3, 1, False)
    assert "&lt;" in html
    many = Document([sentence for sentence in document for _ in range(10)])
    assert many._repr_html_().count("<svg") == 20
    assert "<p>… and 10 more</p>" in many._repr_html_()
    cyclic = Document([Sentence.from_words(["<a>", "b"], heads=[2, 1])])
    assert '<p dir="auto">&lt;a&gt; b</p>' in cyclic._repr_html_()


def test_heads_that_are_set_are_checked() -> None:
    sentence = Sentence.from_words(["a", "b", "c", "d"], heads=[0, 1, 1, 1], labels=["root", "x", "x", "x"])
    before = sentence.to_bytes()
    for heads, message in (
        ([1, 2, 3, 4], "word 1 has itself as its head; expected another word, 0 or None"),
        ([2, 3, 1, 0], "the heads have a cycle, 1 → 2 → 3 → 1; expected a path from each word to the root"),
        ([0, 4, 4, 2], "the heads have a cycle, 2 → 4 → 2"),
        ([0, 1, 1, 5], "word 4 has head 5; expected a number from 0 to 4, or None"),
        ([0, 1, 1], "heads: 3 values; expected 4, one for each word"),
    ):
        with pytest.raises(OptionError, match=message):
            sentence.heads = heads
        with pytest.raises(OptionError, match=message):
            sentence.set_tree(heads, sentence.labels)
    with pytest.raises(OptionError, match="the heads have a cycle, 1 → 4 → 1"):
        sentence[0].head = 4
    assert sentence.to_bytes() == before
    sentence.heads = [None, 1, None, 3]
    assert sentence.heads == [None, 1, None, 3]
    for count, end in ((8, "1"), (9, "…"), (20, "…")):
        long = Sentence.from_words(["a"] * count)
        with pytest.raises(OptionError, match=f"a cycle, 1 → 2 → 3 → 4 → 5 → 6 → 7 → 8 → {end}; expected"):
            long.heads = [*range(2, count + 1), 1]
