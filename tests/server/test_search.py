"""`/api/search`: the matches are those of `dodona.search`, and no pattern keeps the server busy."""

import json
from typing import Any

import pytest
from samples.asgi import ask, json_of
from samples.small_models import full_treebank, whole
from starlette.applications import Starlette

import dodona
from dodona import Pipeline, Sentence
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


# Limits

TEXT = "the oak answers . the dove hears ."
GOLD = b"".join(sentence.to_bytes() for sentence in full_treebank(3)).decode()


def refusal(app: Starlette, request: dict[str, Any]) -> str | None:
    """Why a request is refused, if it is."""
    reply = ask(app, "/api/search", json.dumps(request).encode())
    assert reply.status in (200, 400)
    return reply.json["error"] if reply.status == 400 else None


@pytest.mark.parametrize("source", [{"text": TEXT}, {"conllu": GOLD}])
def test_expressions_at_their_limits(app: Starlette, source: dict[str, str]) -> None:
    """So many signs of each kind, and none after a group; wherever an expression stands."""
    good = ["a", "(a)b", "a*b+", "a{2}b*", "a?b?c|d|e", "(a|b)c?", ".*x.*"]
    bad = [
        "a*b*c*",
        "a+b+c+",
        "a{1}b{1}c{1}",
        "a*b+c{2}",
        "a?b?c?d?e?",
        "a|b|c|d|e|f",
        "(a)*",
        "(a)+",
        "(a)?",
        "(a){2}",
    ]
    for expressions, told in ((good, None), (bad, "too much for this server")):
        for expression in expressions:
            for pattern in (
                f'pattern {{ V [form=re"{expression}"] }}',
                f'pattern {{ V [] }} without {{ V.lemma = re"{expression}" }}',
                f'pattern {{ V -[re"{expression}"]-> W }}',
                f"global {{ text = /{expression}/ }}",
            ):
                message = refusal(app, {"pattern": pattern, **source})
                assert message is None if told is None else told in str(message), pattern
    expected = "at most 2 of * + { and 4 of ? |, and none of them after a group"
    long = "a" * 80 + "(a)*"
    message = refusal(app, {"pattern": f'pattern {{ V [form=re"{long}"] }}', **source})
    assert message == f"the expression {long[:60]!r} is too much for this server; expected {expected}"


def test_values_and_comments_at_their_limits(app: Starlette, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only where expressions look at them: values for any, comments for those about them."""
    about_words, about_text = 'pattern { V [form=re"x.*"] }', "global { text = /x.*/ }"
    words, text = (
        "a value of 501 letters; expected at most 500",
        "a comment of more than 2,000 letters; expected shorter",
    )
    row = "\t_" * 8 + "\n\n"

    def check(request: dict[str, Any], message: str | None) -> None:
        told = refusal(app, request)
        assert told is None if message is None else str(told).startswith(message), request

    for size, pattern, message in (
        (500, about_words, None), (501, about_words, words), (501, "pattern { V [form=x] }", None),
    ):  # fmt: skip
        check({"pattern": pattern, "conllu": f"1\t{'x' * size}{row}"}, message)
        check({"pattern": pattern, "text": "x" * size}, message)
    for size, pattern, message in ((2000, about_text, None), (2001, about_text, text), (2001, about_words, None)):
        check({"pattern": pattern, "conllu": f"# {'c' * (size - 2)}\n1\tx{row}"}, message)


def test_requests_at_their_limits(app: Starlette) -> None:
    pattern = "pattern { V [] }"
    for good, bad, told in (
        ({"pattern": pattern.ljust(5000)}, {"pattern": pattern.ljust(5001)},
         "pattern: expected `str` of length <= 5000"),
        ({"limit": 1}, {"limit": 0}, "limit: expected `int` >= 1"),
        ({"limit": 1000}, {"limit": 1001}, "limit: expected `int` <= 1000"),
        ({"count": ["V.form"] * 5}, {"count": ["V.form"] * 6}, "count: expected `array` of length <= 5"),
        ({}, {"text": "x"}, "expected one of: text, conllu"),
        ({}, {"more": 1}, "the request: object contains unknown field `more`"),
    ):  # fmt: skip
        assert refusal(app, {"pattern": pattern, "conllu": GOLD, **good}) is None
        assert refusal(app, {"pattern": pattern, "conllu": GOLD, **bad}) == told


def test_the_whole_answer(app: Starlette) -> None:
    """A hundred matches are listed unless more or fewer are wanted; sentences without any are counted."""
    sentences = full_treebank(40)
    conllu = b"".join(sentence.to_bytes() for sentence in sentences).decode()
    rare = f"pattern {{ X [form={sentences[0].words[1]}] }}"
    assert len({match.sentence for match in dodona.search(rare, sentences)}) < 40
    nouns = "pattern { X [upos=NOUN] }"
    for pattern, limit in ((rare, None), (OBJECT, None), (nouns, None), (nouns, 7)):
        found = list(dodona.search(pattern, sentences))
        most = limit or 100
        listed = [
            {**sentence.to_dict(), "matches": [m.to_dict() for m in found[:most] if m.sentence is sentence]}
            for sentence in sentences
        ]
        answer = json_of(
            app, "/api/search", {"pattern": pattern, "conllu": conllu} | ({"limit": limit} if limit else {})
        )
        assert answer == {
            "searched": 40, "found": len(found), "sentences": [each for each in listed if each["matches"]],
            "counts": [],
        }  # fmt: skip
    assert len(list(dodona.search("pattern { X [] }", sentences))) > 100
    answer = json_of(app, "/api/search", {"pattern": "pattern { X [] }", "conllu": conllu})
    assert sum(len(each["matches"]) for each in answer["sentences"]) == 100


def test_the_model_that_is_asked_for_parses_the_text() -> None:
    odd = Sentence.from_words(["a"], heads=[0], labels=["oddroot"])
    nlp = dodona.train([odd] * 2, components=["parser"], tags="gold", iterations=1, templates="stack")
    app = create_app(Models({"whole": whole(), "odd": Pipeline(nlp.parser, None, None, whole().tokenizer)}))
    for model, found in (("odd", 1), ("whole", 0), (None, 0)):
        request = {"pattern": "pattern { N -[oddroot]-> X }", "text": "a", "model": model}
        assert json_of(app, "/api/search", request)["found"] == found
    assert (
        refusal(app, {"pattern": OBJECT, "text": "a", "model": "nix"})
        == "there is no model 'nix'; the models are: whole, odd"
    )
