"""Tables of pandas have what the dictionaries have, row by row."""

import sys
from typing import Any

import pytest

import dodona
from dodona import Document, OptionError, Request, Sentence, to_dataframe
from dodona.data.dictionary import TOKEN

pandas = pytest.importorskip("pandas", reason="pip install pandas")

TEXTS = ["Oak trees don't grow. Nobody asks why.", "", "The wind moves."]


def rows_of(frame: Any) -> list[dict[str, Any]]:
    """The rows, with None for everything that pandas has for nothing."""
    rows = frame.astype(object).to_dict("records")
    return [{k: v if isinstance(v, dict) or not pandas.isna(v) else None for k, v in row.items()} for row in rows]


def expected_rows(documents: list[Document]) -> list[dict[str, Any]]:
    return [
        {"document": number, "sentence": place, **token}
        for number, document in enumerate(documents, start=1)
        for place, sentence in enumerate(document, start=1)
        for token in sentence.to_dict()["tokens"]
    ]


@pytest.mark.parametrize("request_", [None, Request(confidence=True)])
def test_one_table_for_many_documents(request_: Request | None) -> None:
    nlp = dodona.load("en-fast")
    documents = [nlp(text, request_) for text in TEXTS]
    frame = to_dataframe(nlp.pipe(TEXTS, request_))
    assert list(frame.columns) == ["document", "sentence", *TOKEN]
    assert rows_of(frame) == expected_rows(documents)
    assert frame["confidence"].notna().all() == (request_ is not None)
    assert {name: str(frame[name].dtype) for name in ("document", "id", "head", "start", "confidence")} == {
        "document": "int64", "id": "int64", "head": "Int64", "start": "Int64", "confidence": "float64",
    }  # fmt: skip
    assert rows_of(to_dataframe(documents)) == rows_of(frame)
    assert rows_of(documents[2].to_dataframe()) == expected_rows([documents[2]])
    frame["feats"][0]["Number"] = "changed"  # no other row has the same dictionary
    assert rows_of(frame)[1:] == expected_rows(documents)[1:]


def test_contexts_are_a_column() -> None:
    nlp = dodona.load("en-fast")
    pairs = list(zip(TEXTS, ["a", "b", None], strict=True))
    frame = to_dataframe(nlp.pipe(pairs, as_tuples=True))
    assert list(frame.columns) == ["document", "sentence", *TOKEN, "context"]
    assert [row["context"] for row in rows_of(frame)] == ["a"] * 10 + [None] * 4
    assert rows_of(frame.drop(columns="context")) == rows_of(to_dataframe(nlp.pipe(TEXTS)))


def test_sentences_of_a_treebank() -> None:
    odd = [
        Sentence.from_words(["a", "_", "_"], lemmas=["_", "_", "x"], heads=[None, 1, 0], feats=["A=a", "no", "_"]),
        Sentence.from_words(["b"], deps=["3"], misc=["dep"], format="conllx"),
    ]
    assert rows_of(to_dataframe(iter(odd))) == expected_rows([Document(odd)])
    assert rows_of(odd[0].to_dataframe()) == odd[0].to_dict()["tokens"]
    assert list(to_dataframe([]).columns) == ["document", "sentence", *TOKEN]


@pytest.mark.parametrize("wrong", ["text", None, ["text"], [("a", 1)], [Sentence.from_words(["a"]), Document([])]])
def test_anything_else_is_an_error(wrong: Any) -> None:
    with pytest.raises(OptionError, match="; expected documents"):
        to_dataframe(wrong)


def test_without_pandas_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    for part in (Document([]), Sentence.from_words(["a"])):
        with pytest.raises(OptionError, match=r"a data frame needs pandas: .*; expected it to be installed"):
            part.to_dataframe()


def test_a_table_of_nothing_but_empty_documents() -> None:
    frame = to_dataframe(dodona.load("en-fast").pipe(["", " "]))
    assert (len(frame), list(frame.columns)) == (0, ["document", "sentence", *TOKEN])
