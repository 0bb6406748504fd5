"""`/api/search`: the matches are those of `dodona.search`, and no pattern keeps the server busy."""

import json
from typing import Any

import pytest
from samples.asgi import ask, json_of
from samples.small_models import full_treebank, whole
from starlette.applications import Starlette

import dodona
from dodona.server.app import create_app
from dodona.server.models import Models

LONG = f"1\t{'x' * 501}" + "\t_" * 8
OBJECT = "pattern { V [upos=VERB]; e: V -[obj]-> O }"


@pytest.fixture(scope="module")
def app() -> Starlette:
    return create_app(Models({"whole": whole()}))


def test_matches_and_counts_of_conllu(app: Starlette) -> None:
    sentences = full_treebank(5)
    conllu = b"".join(sentence.to_bytes() for sentence in sentences).decode()
    answer = json_of(app, "/api/search", {"pattern": OBJECT, "conllu": conllu, "count": ["V.form", "e.label"]})
    expected = [match.to_dict() for match in dodona.search(OBJECT, sentences)]
    assert [match for each in answer["sentences"] for match in each["matches"]] == expected
    assert (answer["searched"], answer["found"]) == (5, len(expected))
    assert sum(row["matches"] for row in answer["counts"]) == len(expected)
    assert list(answer["counts"][0]) == ["V.form", "e.label", "matches", "%"]
    first = json_of(app, "/api/search", {"pattern": OBJECT, "conllu": conllu, "limit": 2})
    assert [match for each in first["sentences"] for match in each["matches"]] == expected[:2]
    assert (first["found"], first["counts"]) == (len(expected), [])


def test_a_text_is_parsed_first(app: Starlette) -> None:
    text = "the oak answers . the dove hears ."
    answer = json_of(app, "/api/search", {"pattern": "pattern { V [upos=VERB] }", "text": text})
    expected = list(dodona.search("pattern { V [upos=VERB] }", whole()(text)))
    assert answer["found"] == len(expected)
    assert [each["tokens"] for each in answer["sentences"]] == [
        match.sentence.to_dict()["tokens"] for match in expected
    ]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"pattern": OBJECT}, "expected one of: text, conllu"),
        ({"pattern": OBJECT, "text": "a", "conllu": "b"}, "expected one of: text, conllu"),
        ({"pattern": "pattern { V - }", "text": "a"}, "pattern, line 1, column 13: '-'; expected `->` or `-[label]->`"),
        ({"pattern": OBJECT, "text": "a", "count": ["X.lemma"]}, "no node or edge 'X'"),
        ({"pattern": OBJECT, "text": "a", "limit": 0}, "limit: expected `int` >= 1"),
        ({"pattern": 'pattern { V [form=re"(a+)+b"] }', "text": "a"}, "too much for this server"),
        ({"pattern": 'pattern { V [form=re"(a|a)*b"] }', "text": "a"}, "too much for this server"),
        ({"pattern": 'pattern { V [form=re".*a.*b.*"] }', "text": "a"}, "too much for this server"),
        ({"pattern": 'pattern { V -[re"(a|b|c|d|e|f)"]-> S }', "text": "a"}, "too much for this server"),
        ({"pattern": 'pattern { V [] } without { V.form = re"(a+)*" }', "text": "a"}, "too much for this server"),
        ({"pattern": 'global { text = /(a+)*/ }', "text": "a"}, "too much for this server"),
        ({"pattern": 'pattern { V [form=re"x.*"] }', "conllu": LONG}, "a value of 501 letters"),
        ({"pattern": "pattern { " + "; ".join(f"N{k} []" for k in range(10)) + " }", "conllu": "x"}, "1 columns"),
    ],
)  # fmt: skip
def test_bad_requests(app: Starlette, request_: dict[str, Any], message: str) -> None:
    answer = ask(app, "/api/search", json.dumps(request_).encode())
    assert answer.status == 400
    assert message in answer.json["error"]


def test_a_pattern_of_free_nodes_ends(app: Starlette) -> None:
    free = "pattern { " + "; ".join(f"N{k} []" for k in range(10)) + " }"
    conllu = b"".join(sentence.to_bytes() for sentence in full_treebank(1)).decode()
    answer = ask(app, "/api/search", json.dumps({"pattern": free, "conllu": conllu}).encode())
    assert answer.status == 400
    assert "more than 100,000 steps in conllu:1" in answer.json["error"]


def test_long_sentences_are_not_all_listed(app: Starlette, monkeypatch: pytest.MonkeyPatch) -> None:
    conllu = b"".join(sentence.to_bytes() for sentence in full_treebank(5)).decode()
    lengths = [len(sentence) for sentence in full_treebank(5)]
    monkeypatch.setattr("dodona.server.search.MAX_LISTED", lengths[0] + 1)
    answer = json_of(app, "/api/search", {"pattern": "pattern { X [] }", "conllu": conllu})
    assert [len(each["tokens"]) for each in answer["sentences"]] == lengths[:2]
    assert answer["found"] == sum(lengths) + len(lengths)  # ROOT is a node, too


def test_counts_of_too_many_values(app: Starlette, monkeypatch: pytest.MonkeyPatch) -> None:
    fields = {"pattern": "pattern { X [] }", "text": "the oak answers . the dove hears .", "count": ["X.form"]}
    monkeypatch.setattr("dodona.server.search.MAX_COUNTS", 7)
    assert len(json_of(app, "/api/search", fields)["counts"]) == 7  # with that of ROOT
    monkeypatch.setattr("dodona.server.search.MAX_COUNTS", 6)
    answer = ask(app, "/api/search", json.dumps(fields).encode())
    assert (answer.status, answer.json["error"].split(";")[0]) == (400, "count: more than 6 different values")
